"""What one visitor costs the others: fair first steps, many followers, hostile bodies, and memory that comes back.

Every figure is a ratio within one run, so that a busy machine says little about it."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import torch
from websockets.asyncio.client import connect

from bench.page import cpu
from dllm.live.session import Session
from dllm.models import Thought
from dllm.models.toy import Toy
from dllm.run.command import Play
from dllm.run.event import Done, Stepped
from dllm.run.order import Order
from dllm.serve.host import Host
from dllm.serve.memory import resident
from tests.serve.process import Server, started

PASS = 0.02  # seconds


class Steady(Toy):
    """A toy whose every pass takes the same time, and shares it with nobody: as on a device that is full."""

    def logits(self, thoughts: Sequence[Thought]) -> list[torch.Tensor]:
        time.sleep(PASS * len(thoughts))
        return super().logits(thoughts)


async def opened(host: Host, toy: Toy, visitor: str, passes: int = 32) -> Session:
    return await host.open(toy, Order("1 2", "toy", 32, changes={"policy": "confidence", "passes": passes}), visitor)


async def steps(session: Session, many: int) -> list[float]:
    """When each of the first passes was heard of, in seconds from asking."""
    reader, began, times = session.subscribe(0), time.perf_counter(), list[float]()
    session.send(Play())
    while len(times) < many:
        event = (await reader.get()).event
        if isinstance(event, Stepped):
            times.append(time.perf_counter() - began)
        if isinstance(event, Done):
            break
    session.unsubscribe(reader)
    return times


async def fair(visitors: int = 64) -> None:
    toy, host = Steady(), Host()
    host.device.batch = 1
    alone = (await steps(await opened(host, toy, "x"), 8))[-1] / 8
    sessions = [await opened(host, toy, f"v{i}") for i in range(visitors)]
    first = sorted(times[0] for times in await asyncio.gather(*(steps(s, 1) for s in sessions)))
    share = visitors * alone
    print(f"{visitors} visitors at once: last first step {first[-1] / share:.2f} x the fair share", end=" ")
    print(f"({visitors} x one pass, {1000 * share:.0f} ms)   <= 3 x")
    for session in list(host.sessions.alive.values()):
        host.sessions.close(session)
    await asyncio.sleep(0.5)
    greedy = [await opened(host, toy, "greedy", 4000 // 100) for _ in range(50)]
    for session in greedy:
        session.send(Play())
    await asyncio.sleep(0.5)
    times = await steps(await opened(host, toy, "other"), 10)
    gap = max(b - a for a, b in pairwise(times))
    print(f"beside 50 runs of one visitor: longest wait for a pass {gap / alone:.1f} passes   <= 2: theirs and its own")
    await host.close()


async def followed(server: Server, many: int = 300, seconds: float = 10.0) -> None:
    url = f"ws://127.0.0.1:{server.port}/ws"
    async with connect(url, max_size=None) as owner:
        side = {"model": "toy", "settings": {"policy": "confidence", "passes": 200}}
        row = {"do": "open", "sides": [side], "prompt": "1", "length": 200, "pace": 0.2}
        await owner.send(json.dumps(row))
        while (run := json.loads(await owner.recv()))["did"] != "opened":
            pass
        counts = [0] * many

        async def follow(i: int) -> None:
            async with connect(url, max_size=None) as line:
                await line.send(json.dumps({"do": "resume", "session": run["session"], "key": run["keys"]["watch"]}))
                async for text in line:
                    counts[i] += '"did":"stepped"' in str(text)[:40]

        tasks = [asyncio.create_task(follow(i)) for i in range(many)]
        await asyncio.sleep(5)
        await owner.send(json.dumps({"do": "play", "session": run["session"], "pace": 0.2}))
        await asyncio.sleep(2)
        before, seen, began = cpu(server.process.pid), sum(counts), time.perf_counter()
        await asyncio.sleep(seconds)
        took, wall = cpu(server.process.pid) - before, time.perf_counter() - began
        rate = (sum(counts) - seen) / wall / many
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    share = 100 * took / wall
    print(f"{many} followers at {rate:.1f} passes a second each: {share:.1f} % of a core   <= 10 %")
    print(f"    that is {1e6 * took / max(1, sum(counts) - seen):.0f} us of compute a pass and follower")


async def hostile(server: Server) -> None:
    gaps: list[float] = []
    calm = 0

    async def bystander() -> None:
        async with connect(f"ws://127.0.0.1:{server.port}/ws", max_size=None) as line:
            while True:
                side = {"model": "toy", "settings": {"policy": "confidence", "passes": 200}}
                await line.send(json.dumps({"do": "open", "sides": [side], "prompt": "1", "length": 200, "play": True}))
                last = None
                while (row := json.loads(await line.recv()))["did"] != "done":
                    if row["did"] == "stepped":
                        now = time.perf_counter()
                        if last is not None:
                            gaps.append(now - last)
                        last = now
                await line.send(json.dumps({"do": "close", "session": row["session"]}))

    def blocks(size: int) -> Iterator[bytes]:
        for _ in range(size >> 16):
            yield b"a" * (1 << 16)

    async def chunks(size: int) -> Any:
        for block in blocks(size):
            yield block

    task = asyncio.create_task(bystander())
    await asyncio.sleep(6)
    calm = len(gaps)
    before = server.memory()
    took = {}
    async with httpx.AsyncClient(timeout=60) as web:
        kind = {"Content-Type": "application/json"}
        prompt = b'{"model": "toy", "prompt": "' + b"1 " * (5 << 20) + b'"}'
        for name, content in (("a prompt of 10 MB", prompt), ("an upload of 300 MB", chunks(300 << 20))):
            began = time.perf_counter()
            try:
                answered = await web.post(f"{server.url}/v1/completions", content=content, headers=kind)
                assert answered.status_code == 413, answered.text
            except (httpx.WriteError, httpx.RemoteProtocolError, httpx.ReadError):
                pass  # the door closed while more was coming
            took[name] = time.perf_counter() - began
        small = json.dumps({"model": "toy", "prompt": "1 " * 200_000}).encode()
        began = time.perf_counter()
        answers = await asyncio.gather(
            *(web.post(f"{server.url}/v1/completions", content=small, headers=kind) for _ in range(4))
        )
        assert all(a.status_code == 400 for a in answers)
        took["four prompts of 400 kB"] = time.perf_counter() - began
    grown = (server.memory() - before) / (1 << 20)
    await asyncio.sleep(1)
    task.cancel()
    quiet, loud = sorted(gaps[:calm]), sorted(gaps[calm:])
    ratio = loud[int(0.99 * len(loud))] / quiet[int(0.99 * len(quiet))]
    print("; ".join(f"{name}: refused in {seconds:.2f} s" for name, seconds in took.items()), "  <= 1 s")
    print(f"memory {grown:+.0f} MB   <= +50; a bystander's pass at p99 {ratio:.1f} x before   <= 2 x")


async def back() -> None:
    host, toy = Host(), Toy()
    host.sessions.share = 10_000

    async def short() -> None:
        session = await opened(host, toy, "a", 8)
        await steps(session, 8)
        host.sessions.close(session)

    def settled() -> int:
        gc.collect()
        host.sessions.memory.give_back()
        return resident()

    for _ in range(100):
        await short()
    before = settled()
    for _ in range(1000):
        await short()
    runs = settled()
    order = Order("1", "toy", 400, changes={"policy": "confidence", "passes": 400})
    long = [await host.open(toy, order, f"v{i}") for i in range(12)]
    await asyncio.gather(*(steps(s, 400) for s in long))
    from dllm.serve.download import chunks

    size = sum(await asyncio.gather(*(asyncio.to_thread(lambda s=s: sum(map(len, chunks(s.trace())))) for s in long)))
    for session in long:
        host.sessions.close(session)
    long.clear()
    await asyncio.sleep(0.2)
    files = settled()
    print(f"memory after 1,000 short runs {100 * (runs / before - 1):+.1f} %   <= 5 %")
    print(f"    after 12 files of {size / 12e6:.0f} MB at once {100 * (files / before - 1):+.1f} %   <= 5 %")
    await host.close()


def main() -> int:
    torch.set_num_threads(1)
    asyncio.run(fair())
    server = started(Path(tempfile.mkdtemp()) / "log", "--model", "toy", UNMASK_VISITOR_LINES="1000")
    asyncio.run(followed(server))
    asyncio.run(hostile(server))
    server.stop()
    asyncio.run(back())
    return 0


if __name__ == "__main__":
    sys.exit(main())
