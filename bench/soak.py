"""Thirty mixed visitors on a real server, some of them hostile: `make soak`; `ARGS="--seconds 60"` is the short form.
`ARGS="--sessions 10000"` compares the memory after so many sessions with that after a tenth.

They run, steer, pace, reconnect, cancel, read slowly or not at all, ask for costly things, and flood, each from an
address of its own. Their texts are compared with those of the same runs alone; anything unexpected is an error."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.serve.process import Server, started
from unmask.inference.decode import decode
from unmask.models.toy import Toy
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

KEY = "soak-key"
SETTINGS = {"policy": "confidence", "passes": 24, "temperature": 1.0}
LENGTH, SEEDS = 48, 6
OWN = 12  # the most tasks of a server without visitors


@dataclass
class Seen:
    """Measurements and errors of all visitors together."""

    requests: int = 0
    sessions: int = 0
    frames: int = 0
    first: list[float] = field(default_factory=list)  # seconds from the request to the first pass
    passes: list[float] = field(default_factory=list)  # seconds between two passes of an unpaced run
    waits: dict[str, float] = field(default_factory=dict)  # the longest of each visitor
    expected: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    texts: dict[int, str] = field(default_factory=dict)

    def wait(self, visitor: str, seconds: float) -> None:
        self.waits[visitor] = max(self.waits.get(visitor, 0.0), seconds)

    def compare(self, seed: int, text: str) -> None:
        self.compared += 1
        if text != self.texts[seed]:
            self.errors["tokens differ from solo"] += 1


@dataclass
class Visitor:
    """A visitor who repeats one act until the time is over."""

    name: str
    server: Server
    seen: Seen
    rng: random.Random
    patience: float  # seconds after which the server disconnects a client that stops reading

    @asynccontextmanager
    async def line(self, **options: Any) -> Any:
        headers = {"X-Forwarded-For": self.name}
        address = f"ws://127.0.0.1:{self.server.port}/ws"
        async with connect(address, additional_headers=headers, max_size=None, open_timeout=60, **options) as socket:
            yield socket

    async def open_session(self, socket: ClientConnection, seed: int, play: bool = True, **more: Any) -> dict[str, Any]:
        side = {"model": "toy", "settings": SETTINGS}
        row = {"do": "open", "sides": [side], "prompt": "3 1 4", "length": LENGTH, "seed": seed, "play": play}
        self.seen.requests += 1
        self.seen.sessions += 1
        await socket.send(json.dumps(row | more))
        return await self.until(socket, "opened")

    async def until(self, socket: ClientConnection, did: str, pace: bool = False) -> dict[str, Any]:
        """Read up to a message of this kind; count and time the passes before it."""
        began = last = time.perf_counter()
        first = did != "opened"
        while True:
            async with asyncio.timeout(60):
                row = json.loads(await socket.recv())
            if row["did"] == "stepped":
                now = time.perf_counter()
                self.seen.frames += 1
                if first:
                    self.seen.first.append(now - began)
                    self.seen.wait(self.name, now - began)
                    first = False
                elif not pace:
                    self.seen.passes.append(now - last)
                    self.seen.wait(self.name, now - last)
                last = now
            if row["did"] == did:
                return dict(row)
            if row["did"] == "refused":
                raise RuntimeError(f"refused: {row['why']}")

    async def plain(self) -> None:
        seed = self.rng.randrange(SEEDS)
        async with self.line() as socket:
            run = await self.open_session(socket, seed)
            done = await self.until(socket, "done")
            self.seen.compare(seed, done["text"])
            await socket.send(json.dumps({"do": "close", "session": run["session"]}))

    async def paced(self) -> None:
        async with self.line() as socket:
            await self.open_session(socket, 0, pace=0.1)
            await self.until(socket, "done", pace=True)

    async def steering(self) -> None:
        async with self.line() as socket:
            run = (await self.open_session(socket, 1, pace=0.05))["session"]
            for edit in (
                {"do": "pin", "cells": [20, 21], "tokens": [5, 6]}, {"do": "boost", "token": 7, "amount": 3.0},
                {"do": "erase", "cells": [20]}, {"do": "tune", "changes": {"passes": 20}}, {"do": "fork", "at": 2},
                {"do": "stretch", "at": 30, "by": 2}, {"do": "seek", "to": 1}, {"do": "undo"}, {"do": "play"},
            ):  # fmt: skip
                self.seen.requests += 1
                await socket.send(json.dumps(edit | {"session": run}))
                await asyncio.sleep(0.05)
            await self.until(socket, "done", pace=True)

    async def reconnecting(self) -> None:
        seed = self.rng.randrange(SEEDS)
        async with self.line() as socket:
            run = await self.open_session(socket, seed, pace=0.05)
            last = await self.until(socket, "stepped", pace=True)
        async with self.line() as socket:
            row = {"do": "resume", "session": run["session"], "key": run["keys"]["own"], "after": last["n"]}
            await socket.send(json.dumps(row))
            done = await self.until(socket, "done", pace=True)
            self.seen.compare(seed, done["text"])

    async def cancelling(self) -> None:
        async with self.line() as socket:
            await self.open_session(socket, 2)
            await self.until(socket, "stepped")  # disconnects in the middle of a pass
            socket.transport.abort()

    async def slow(self) -> None:
        async with self.line(max_queue=1, close_timeout=1) as socket:  # a close frame is not read behind a full queue
            await self.open_session(socket, 3)
            for _ in range(10):
                await asyncio.sleep(0.2)
                await socket.recv()

    async def dead(self) -> None:
        async with self.line(max_queue=1, ping_interval=None) as socket:
            socket.transport.pause_reading()
            side = {"model": "toy", "settings": SETTINGS | {"passes": 2000}}
            await socket.send(json.dumps({"do": "open", "sides": [side], "prompt": "3", "length": 2000, "play": True}))
            await asyncio.sleep(self.patience + 1)
            socket.transport.abort()
            self.seen.expected["a reader who read nothing"] += 1

    async def flooding(self) -> None:
        async with self.line() as socket:
            run = (await self.open_session(socket, 4))["session"]
            try:
                for k in range(3000):
                    await socket.send(json.dumps({"do": "tune", "session": run, "changes": {"passes": 5 + k % 40}}))
                await socket.wait_closed()
            except ConnectionClosed:
                pass
            self.seen.expected[f"a flood, closed with {socket.close_code}"] += 1
        await asyncio.sleep(2)

    async def asking(self) -> None:
        """Ask for what is computed beside passes, several times ahead."""
        async with self.line() as socket:
            run = (await self.open_session(socket, 5))["session"]
            await self.until(socket, "done")
            costly = {
                "constraint": {"kind": "regex", "pattern": f"((a|b|c){{1,9}}(h|i){{1,{self.rng.randrange(9, 40)}}})+"}
            }
            for row in (
                {"do": "history", "session": run}, {"do": "compare", "session": run, "one": "1", "two": "1"},
                {"do": "script", "session": run}, {"do": "judge", "prompt": "3", "text": "1 4 1 5 " * 200},
                {"do": "plan", "prompt": "1", "length": 16, "model": "toy", "changes": costly},
            ) * 4:  # fmt: skip
                self.seen.requests += 1
                await socket.send(json.dumps(row))
            for _ in range(20):
                async with asyncio.timeout(60):
                    await socket.recv()

    async def program(self) -> None:
        seed = self.rng.randrange(SEEDS)
        body = {"model": "toy", "prompt": "3 1 4", "max_tokens": LENGTH, "seed": seed, **SETTINGS}
        async with httpx.AsyncClient(timeout=60) as web:
            headers = {"Authorization": f"Bearer {KEY}", "X-Forwarded-For": self.name}
            self.seen.requests += 1
            answered = await web.post(f"{self.server.url}/v1/completions", json=body, headers=headers)
            answered.raise_for_status()
            self.seen.compare(seed, answered.json()["choices"][0]["text"])


KINDS: dict[str, int] = {
    "plain": 9, "paced": 4, "steering": 3, "reconnecting": 4, "cancelling": 3, "slow": 2, "dead": 1, "flooding": 1,
    "program": 3, "asking": 2,
}  # fmt: skip


async def repeat_visits(
    visitor: Visitor, act: Callable[[], Awaitable[None]], until: float, visits: int | None, most: int | None
) -> None:
    await asyncio.sleep(visitor.rng.random() * 2)
    for _ in count() if visits is None else range(visits):
        if time.monotonic() >= until or (most is not None and visitor.seen.sessions >= most):
            break
        try:
            await act()
        except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError, RuntimeError, httpx.HTTPError) as error:
            visitor.seen.errors[f"{act.__name__}: {type(error).__name__}: {str(error)[:80]}"] += 1
        await asyncio.sleep(0.1 + visitor.rng.random() * 0.4)


def alone(seed: int) -> str:
    toy = Toy()
    spec = RunSpec("3 1 4", "toy", LENGTH, changes=SETTINGS, seed=seed)
    return answer_text(toy, list(decode(toy, spec.start(toy.card, toy.tokenizer)))[-1][0].canvas)


def gauge(server: Server, name: str) -> float:
    text = httpx.get(f"{server.url}/metrics", headers={"Authorization": f"Bearer {KEY}"}, timeout=30).text
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith(f"unmask_{name} ")))


def centile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


async def run_visitors(
    server: Server, seconds: float, visits: int | None, seen: Seen, patience: float, most: int | None = None
) -> dict[str, list[float]]:
    until, tasks, number = time.monotonic() + seconds, [], 0
    for kind, many in KINDS.items():
        for _ in range(many):
            visitor = Visitor(f"203.0.113.{number + 1}", server, seen, random.Random(number), patience)
            tasks.append(asyncio.create_task(repeat_visits(visitor, getattr(visitor, kind), until, visits, most)))
            number += 1
    figures: dict[str, list[float]] = {"memory": [], "tasks": [], "threads": []}
    all_visits = asyncio.gather(*tasks)
    rest = min(20.0, seconds / 4)  # by then everything that is opened once is open
    async with asyncio.timeout(seconds + 90):
        while not all_visits.done():
            await asyncio.wait([all_visits], timeout=rest)
            rest = 10.0
            figures["memory"].append(server.memory())
            for name in ("tasks", "threads"):
                figures[name].append(await asyncio.to_thread(gauge, server, name))
        await all_visits
    return figures


def tasks_after_expiry(server: Server, seconds: float) -> float:
    """The number of tasks once the visitors' sessions have expired, or after `seconds`."""
    until = time.monotonic() + seconds
    while (tasks := gauge(server, "tasks")) > OWN and time.monotonic() < until:
        time.sleep(0.5)
    return tasks


def memory_at_rest(server: Server, seconds: float = 10) -> float:
    """The least memory seen in so many seconds: a server without sessions returns freed memory within two of them."""
    until, least = time.monotonic() + seconds, server.memory()
    while time.monotonic() < until:
        time.sleep(0.5)
        least = min(least, server.memory())
    return least


def soak(
    seconds: float, visits: int | None = None, idle: float = 20, patience: float = 5
) -> tuple[Seen, dict[str, list[float]], int]:
    """Run the visitors for so many seconds or visits.

    Returns their measurements, the server's figures over time, and its exit status."""
    seen = Seen(texts={seed: alone(seed) for seed in range(SEEDS)})
    log = Path(tempfile.mkdtemp()) / "log"
    limits = {"UNMASK_PROXIES": "1", "UNMASK_API_KEYS": KEY}
    limits |= {"UNMASK_READ_TIMEOUT": f"{patience:g}", "UNMASK_IDLE": f"{idle:g}"}
    server = started(log, "--model", "toy", **limits)
    try:
        figures = asyncio.run(run_visitors(server, seconds, visits, seen, patience))
        figures["tasks"].append(tasks_after_expiry(server, idle + 60))
        figures["memory"].append(memory_at_rest(server))
        figures["threads"].append(gauge(server, "threads"))
        status = server.stop()
    finally:
        with suppress(ProcessLookupError):
            server.process.kill()
    for line in log.read_text().splitlines():
        if "Traceback" in line or "ERROR" in line:
            seen.errors[f"in the log: {line[:80]}"] += 1
    return seen, figures, status


def sessions(many: int) -> int:
    """The memory of a server at rest after a tenth of so many sessions, and after all of them."""
    seen, at_rest = Seen(texts={seed: alone(seed) for seed in range(SEEDS)}), list[int]()
    limits = {"UNMASK_PROXIES": "1", "UNMASK_API_KEYS": KEY, "UNMASK_READ_TIMEOUT": "5", "UNMASK_IDLE": "20"}
    with tempfile.TemporaryDirectory() as folder:
        server = started(Path(folder) / "log", "--model", "toy", **limits)
        try:
            for most in (many // 10, many):
                began = time.monotonic()
                asyncio.run(run_visitors(server, 3600, None, seen, 5, most))
                tasks = tasks_after_expiry(server, 80)
                at_rest.append(memory_at_rest(server, 20))
                print(f"{seen.sessions} sessions: {at_rest[-1] >> 20} MB at rest, {tasks:.0f} tasks,"
                      f" {time.monotonic() - began:.0f} s", flush=True)  # fmt: skip
        finally:
            server.stop()
    wrong = +seen.errors
    print("unexpected:", ", ".join(f"{n} x {what}" for what, n in wrong.items()) or "0")
    print(f"memory over that after a tenth of the sessions: {100 * (at_rest[1] / at_rest[0] - 1):+.1f} %")
    return int(bool(wrong) or at_rest[1] > 1.05 * at_rest[0])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--sessions", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.sessions:
        return sessions(options.sessions)
    seen, figures, status = soak(options.seconds)
    name, longest = max(seen.waits.items(), key=lambda item: item[1], default=("nobody", 0.0))
    print(f"{sum(KINDS.values())} visitors, {options.seconds:g} s: {', '.join(f'{n} {k}' for k, n in KINDS.items())}")
    print(f"requests {seen.requests}, frames {seen.frames}")
    for title, values in (("first step", seen.first), ("pass", seen.passes)):
        print(f"{title:10} p50 {1000 * centile(values, 0.5):6.0f} ms, p99 {1000 * centile(values, 0.99):6.0f} ms")
    print(f"longest wait of any visitor {longest:.2f} s ({name})")
    print(f"tokens compared with solo {seen.compared}, different {seen.errors['tokens differ from solo']}")
    for title in ("memory", "tasks", "threads"):
        scale, unit = (1 << 20, " MB") if title == "memory" else (1, "")
        values = [value / scale for value in figures[title]]
        print(f"{title:10} warm {values[0]:.0f}{unit}, most {max(values):.0f}{unit}, at the end {values[-1]:.0f}{unit}")
    print("expected:", ", ".join(f"{n} x {what}" for what, n in seen.expected.items()) or "nothing")
    wrong = +seen.errors
    print("unexpected:", ", ".join(f"{n} x {what}" for what, n in wrong.items()) or "0")
    print(f"exit status of the server {status}")
    return int(bool(wrong) or status != 0)


if __name__ == "__main__":
    sys.exit(main())
