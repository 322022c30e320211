"""A class of 300 through a whole lesson: each answers every question once; votes lost, and seconds to an answer.

`python -m bench.class_lesson --followers 300`. Clients are WebSockets of this process, and share its processor."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import websockets

from bench.process import app
from bench.row import Row, at_most
from bench.viewers import FOLLOWERS, open_class
from unmask.inference.decode import timelines
from unmask.models import load
from unmask.ui.lessons import lessons

LESSON = 3  # how many looks: three stories
QUESTIONS = 3  # questions about each run
PATIENCE = 30.0  # seconds for an answer before a vote counts as lost


class Pupil:
    """A follower that answers each question with an open cell, after a moment."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.waits: list[float] = []
        self.question = ""
        self.refused: list[str] = []

    async def join(self, url: str, room: str) -> None:
        self.line = await websockets.connect(url.replace("http", "ws") + "/ws", max_size=None)
        await self.line.send(json.dumps({"do": "enter", "room": room}))

    async def follow(self, opens: dict[str, list[int]]) -> None:
        sent = 0.0
        async for text in self.line:
            if not text.startswith(('{"did":"class"', '{"did":"answered"', '{"did":"refused"')):
                continue
            row = json.loads(text)
            if row["did"] == "answered":
                self.waits.append(time.perf_counter() - sent)
            elif row["did"] == "refused":
                self.refused.append(row["why"])
            elif (question := row.get("question")) and (name := _name(question)) != self.question:
                self.question = name
                await asyncio.sleep(self.rng.random())  # a class does not answer in one instant
                sent = time.perf_counter()
                await self.line.send(json.dumps({"do": "answer", "value": str(self.rng.choice(opens[name]))}))


def _name(question: Mapping[str, Any]) -> str:
    return f"{question['session']} {question['at']}"


async def teach(line: Any, pupils: list[Pupil], opens: dict[str, list[int]]) -> tuple[int, int]:
    """Play every run of the lesson to the class, and ask about it; the votes given and counted."""

    async def hear(did: str, **fields: Any) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while True:
                row = json.loads(await line.recv())
                if row["did"] == did and all(row.get(k) == v for k, v in fields.items()):
                    return dict(row)

    given = counted = 0
    for run in lessons()[LESSON - 1].runs.values():
        order = run.spec.to_dict()
        side = {"model": "denoiser", "preset": order.get("preset"), "settings": order.get("changes", {})}
        opening = {"do": "open", "prompt": order["prompt"], "length": order.get("length", 96), "sides": [side]}
        await line.send(json.dumps(opening))
        session = (await hear("opened"))["session"]
        await line.send(json.dumps({"do": "show", "sessions": [session]}))
        *_, timeline = timelines(load("denoiser"), run.spec)
        for node in timeline.head.path()[:QUESTIONS]:
            if node.state.done:
                break
            canvas = node.canvas  # the server decodes the same
            ends = np.flatnonzero(canvas.answer & ~canvas.open & np.isin(canvas.tokens, timeline.about["ends"]))
            seen = canvas.open[: ends[0]] if len(ends) else canvas.open
            if not seen.any():
                break
            opens[f"{session} {node.at}"] = np.flatnonzero(seen).tolist()
            await line.send(json.dumps({"do": "question", "kind": "cell", "session": session}))
            given += len(pupils)
            try:
                async with asyncio.timeout(PATIENCE):
                    while ((await hear("class"))["question"] or {}).get("answers") != len(pupils):
                        pass
            except TimeoutError:
                pass
            await line.send(json.dumps({"do": "reveal"}))
            while not (row := await hear("class")).get("revealed"):
                pass
            counted += row["revealed"]["answers"]
            await line.send(json.dumps({"do": "step", "session": session}))
            await hear("stepped", session=session)
        if timeline.head.at > QUESTIONS:
            await line.send(json.dumps({"do": "play", "session": session}))
            await hear("done", session=session)
    return given, counted


async def measured(url: str, followers: int) -> tuple[int, int, list[float], list[str]]:
    line, room = await open_class(url)
    pupils = [Pupil(seed) for seed in range(followers)]
    for pupil in pupils:
        await pupil.join(url, room)
    opens: dict[str, list[int]] = {}
    tasks = [asyncio.ensure_future(pupil.follow(opens)) for pupil in pupils]
    given, counted = await teach(line, pupils, opens)
    for task in tasks:
        task.cancel()
    waits = [wait for pupil in pupils for wait in pupil.waits]
    return given, counted, waits, [why for pupil in pupils for why in pupil.refused]


def rows(followers: int = FOLLOWERS) -> Iterator[Row]:
    """The rows of the table."""
    with app("-m", "unmask", "serve", "--model", "denoiser", "--port") as (url, _):
        given, counted, waits, refused = asyncio.run(measured(url, followers))
    what = f"a class of {followers} through lesson {LESSON}"
    note = f" of {given}" + (f" ({'; '.join(sorted({*refused}))})" if refused else "")
    yield at_most(f"{what}: votes lost", given - counted, 0, "", 0, note)
    yield at_most(f"{what}: p99 of an answer", float(np.quantile(waits, 0.99)), 1, " s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--followers", type=int, default=FOLLOWERS)
    for row in rows(parser.parse_args().followers):
        print(row)
