"""What other visitors lose while a model of 0.6 billion parameters is converted and opened beside their runs.

`python -m bench opening` starts the app, two clients that run the bundled pair in a loop, and a visitor who opens the
model (see `forged.py`). A pass is the time between two steps of a denoiser, as its client sees
them."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean, median
from typing import Any

import websockets

from bench.forged import forge
from bench.process import app
from bench.row import Row, at_most
from unmask.models.hub.converted import NAME

LONGEST = 600.0  # seconds for this benchmark
CLIENTS, CELLS, BEFORE = 2, 64, 20.0  # clients, cells of each run, seconds that they run alone


class Others:
    """Clients that run the pair again and again."""

    def __init__(self, url: str) -> None:
        self.url, self.passes = url, list[tuple[float, float]]()  # when each ended, and its seconds

    async def run(self) -> None:
        """One client's runs, until it is cancelled."""
        denoiser = {"model": "denoiser", "settings": {"policy": "confidence", "passes": CELLS}}
        sides = [denoiser, {"model": "twin", "preset": "autoregressive"}]
        prompt = {"do": "open", "prompt": "Story: Lily had a red kite.", "length": CELLS, "sides": sides, "play": True}
        async with websockets.connect(self.url, max_size=None) as socket:
            while True:
                await socket.send(json.dumps(prompt))
                opened, last, done = list[str](), 0.0, 0
                while done < len(sides):
                    event, now = json.loads(await socket.recv()), time.perf_counter()
                    if event["did"] == "opened":
                        opened.append(event["session"])
                    if event["did"] == "stepped" and event["session"] == opened[0]:
                        if last:
                            self.passes.append((now, now - last))
                        last = now
                    done += event["did"] == "done"
                for session in opened:
                    await socket.send(json.dumps({"do": "close", "session": session}))

    def between(self, begin: float, end: float) -> list[float]:
        return sorted(seconds for at, seconds in self.passes if begin < at <= end)


async def stages(url: str, what: str) -> list[tuple[str, float]]:
    """The stages of opening a model, and when each began; the last is when it was open."""
    found = [("clicked", time.perf_counter())]
    command = {"do": "open", "prompt": "a", "length": 8, "sides": [{"model": what}]}
    async with websockets.connect(url, max_size=None) as socket:
        await socket.send(json.dumps(command))
        while True:
            event: dict[str, Any] = json.loads(await socket.recv())
            stage = event.get("stage") if event["did"] == "loading" else event["did"]
            if stage in ("error", "refused"):
                raise RuntimeError(str(event))
            if stage and stage != "beat" and found[-1][0] != stage:
                found.append((stage, time.perf_counter()))
            if stage == "opened":
                return found


async def measured(url: str, what: str, before: float) -> tuple[Others, list[tuple[str, float]]]:
    others = Others(url.replace("http", "ws") + "/ws")
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(others.run()) for _ in range(CLIENTS)]
        while len(others.passes) < 20 * CLIENTS:  # until both models are open
            await asyncio.sleep(0.1)
        began = time.perf_counter()
        await asyncio.sleep(before)
        found = [("alone", began), *await stages(others.url, what)]
        for one in running:
            one.cancel()
    return others, found


def rows(tiny: bool = False) -> Iterator[Row]:
    folder = forge(tiny)
    shutil.rmtree(folder / NAME, ignore_errors=True)
    with app("app.py", "--port") as (url, _):
        others, found = asyncio.run(measured(url, f"{folder}?number=int8", 1 if tiny else BEFORE))
    (_, begin), (_, clicked), *_, (_, end) = found
    alone, beside = others.between(begin, clicked), others.between(clicked, end)
    yield Row("passes of two others alone, in ms", spread(alone))
    yield Row("passes beside a model that is converted and opened", spread(beside))
    for (name, at), (_, until) in pairwise(found[1:]):
        yield Row(f"while its stage is *{name}*, {until - at:.1f} s", spread(others.between(at, until)))
    lost = (max(beside) - max(alone)) / median(alone)
    yield at_most("turns lost: the longest pass over the longest one alone, in passes", lost, 1, " turns")
    yield at_most("a pass beside over one alone, on average", mean(beside) / mean(alone), 1.1)
    yield Row("converted and opened beside two others", f"{end - clicked:.1f} s")


def spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "none"
    at95 = seconds[int(0.95 * len(seconds))]
    return f"{1000 * median(seconds):.0f} in the median, {1000 * at95:.0f} for 95 %, {1000 * seconds[-1]:.0f} at most"
