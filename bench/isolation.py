"""How far visitors are isolated from each other: fair turns, many followers, hostile requests, and freed memory.

Every figure is a ratio within one run, so other programs change it little. `python -m bench.isolation fair` runs one
part alone; the parts are fair, followers, hostile and memory."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise, repeat
from pathlib import Path
from select import select
from typing import Any

import httpx
import torch
from starlette.applications import Starlette
from websockets.asyncio.client import connect

from bench.process import cpu
from tests.serve.process import Server, started
from unmask.features.exports import routes
from unmask.live.device import Client
from unmask.live.permissions import Permission
from unmask.live.session import Session
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Play
from unmask.run.event import Done, Stepped
from unmask.run.spec import RunSpec
from unmask.serve.process import resident
from unmask.serve.runtime import Runtime

PASS = 0.02  # seconds


MINE = 7  # the first token of the prompt of the visitor who is timed


class Steady(Toy):
    """A toy model whose passes all take the same time and share no forward, as on a fully loaded device."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[bool] = []  # for each pass, whether it was the timed visitor's

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        self.turns += [model_input.tokens[0] == MINE for model_input in model_inputs]
        time.sleep(PASS * len(model_inputs))
        return super().logits(model_inputs)


async def open_session(runtime: Runtime, toy: Toy, visitor: str, passes: int = 32, prompt: str = "1 2") -> Session:
    spec = RunSpec(prompt, "toy", 32, changes={"policy": "confidence", "passes": passes})
    return await runtime.open(toy, spec, visitor)


async def steps(session: Session, many: int) -> list[float]:
    """Seconds from Play to each of the first passes."""
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
    toy, runtime = Steady(), Runtime()
    runtime.device.batch = 1
    alone = (await steps(await open_session(runtime, toy, "x"), 8))[-1] / 8
    sessions = [await open_session(runtime, toy, f"v{i}") for i in range(visitors)]
    first = sorted(times[0] for times in await asyncio.gather(*(steps(s, 1) for s in sessions)))
    share = visitors * alone
    print(f"{visitors} visitors at once: last first step {first[-1] / share:.2f} x the fair share", end=" ")
    print(f"({visitors} x one pass, {1000 * share:.0f} ms)   <= 3 x")
    for session in list(runtime.sessions.alive.values()):
        runtime.sessions.close(session)
    await asyncio.sleep(0.5)
    greedy = [await open_session(runtime, toy, "greedy", 4000 // 100) for _ in range(50)]
    for session in greedy:
        session.send(Play())
    await asyncio.sleep(0.5)
    other, begun, think = await open_session(runtime, toy, "other", 20, f"{MINE} 2"), list[int](), runtime.device.infer

    async def counted(client: Client, *rest: Any) -> Any:
        if client is other.client:
            begun.append(len(toy.turns))
        return await think(client, *rest)

    runtime.device.infer = counted  # type: ignore[method-assign]
    await steps(other, 20)
    mine = [at for at, whose in enumerate(toy.turns) if whose]
    waited = [then - at for at, then in zip(begun, mine, strict=True)]
    print(f"beside 50 runs of one visitor: at most {max(waited)} of their passes begin while another's waits", end=" ")
    print(f"({sum(waited) / len(waited):.2f} on average)   <= 1")
    await runtime.close()


async def many_followers(server: Server, many: int = 300, seconds: float = 10.0) -> None:
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


async def watch(port: int) -> None:
    """Runs in a bystander's process: prints the time of each pass that it receives."""
    async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as line:
        while True:
            side = {"model": "toy", "settings": {"policy": "confidence", "passes": 200}}
            await line.send(json.dumps({"do": "open", "sides": [side], "prompt": "1", "length": 200, "play": True}))
            first = True  # the first pass of a run; the gap before it is not a pass
            while (row := json.loads(await line.recv()))["did"] != "done":
                if row["did"] == "stepped":
                    print(f"{time.monotonic()} {int(first)}", flush=True)
                    first = False
            await line.send(json.dumps({"do": "close", "session": row["session"]}))


def refusal(port: int, size: int, body: Iterator[bytes], chunked: bool = False) -> int:
    """Send a body until the server answers; returns the status."""
    how = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n{how}"
        line.sendall(head.encode() + b"\r\n\r\n")
        with suppress(ConnectionError):  # the server closed the connection while more was sent
            for block in body:
                if select([line], [], [], 0)[0]:
                    break
                line.sendall(b"%x\r\n%b\r\n" % (len(block), block) if chunked else block)
        with suppress(ConnectionError):
            return int(line.recv(4096).split()[1])
    return 413  # it closed the connection before the answer was read


def hostile(server: Server) -> None:
    block = b"1 " * (1 << 15)
    small = json.dumps({"model": "toy", "prompt": "1 " * 200_000}).encode()
    command = [sys.executable, "-m", "bench.isolation", "watch", str(server.port)]

    def prompts() -> list[int]:
        with ThreadPoolExecutor(4) as four:
            return [*four.map(lambda _: refusal(server.port, len(small), iter([small])), range(4))]

    with tempfile.TemporaryFile("w+") as lines:
        bystander = subprocess.Popen(command, stdout=lines)
        time.sleep(15)
        before, began, took = server.memory(), time.monotonic(), dict[str, float]()
        attacks = (
            ("a prompt of 10 MB", lambda: [refusal(server.port, 10 << 20, repeat(block, 160))], 413),
            ("an upload of 300 MB", lambda: [refusal(server.port, 0, repeat(block, 4800), chunked=True)], 413),
            ("four prompts of 400 kB", prompts, 400),
        )
        while time.monotonic() < began + 15:
            for name, send, status in attacks:
                at = time.monotonic()
                assert set(send()) == {status}, name
                took[name] = max(took.get(name, 0.0), time.monotonic() - at)
                time.sleep(0.2)
        ended, grown = time.monotonic(), (server.memory() - before) / (1 << 20)
        time.sleep(1)
        bystander.terminate()
        bystander.wait()
        lines.seek(0)
        rows = [line.split() for line in lines.read().splitlines()[:-1]]
    gaps = [(float(b), float(b) - float(a)) for (a, _), (b, first) in pairwise(rows) if first == "0"]
    calm = sorted(gap for at, gap in gaps if at < began)
    loud = sorted(gap for at, gap in gaps if began <= at <= ended + calm[-1])
    print("; ".join(f"{name}: refused in {seconds:.2f} s" for name, seconds in took.items()), "  <= 1 s")
    print(f"memory {grown:+.0f} MB   <= +50; a bystander's pass meanwhile, {len(loud)} of them:", end=" ")
    print(f"p99 {1000 * _p99(loud):.0f} ms, {_p99(loud) / _p99(calm):.1f} x before   <= 2 x")


def _p99(values: Sequence[float]) -> float:
    return values[min(len(values) - 1, int(0.99 * len(values)))]


async def memory_returns() -> None:
    runtime, toy = Runtime(), Toy()
    runtime.sessions.share = 10_000

    async def short() -> None:
        session = await open_session(runtime, toy, "a", 8)
        await steps(session, 8)
        runtime.sessions.close(session)

    def settled() -> int:
        gc.collect()
        runtime.sessions.memory.give_back()
        return resident()

    for _ in range(100):
        await short()
    await files(runtime, toy, 32)  # warm-up: caches that stay are not a run's memory
    before = settled()
    for _ in range(1000):
        await short()
    runs = settled()
    size = await files(runtime, toy, 700)
    after = settled()
    print(f"memory after 1,000 short runs {100 * (runs / before - 1):+.1f} %   <= 5 %")
    print(f"    after 12 files of {size / 12e6:.0f} MB at once {100 * (after / before - 1):+.1f} %   <= 5 %")
    await runtime.close()


async def files(runtime: Runtime, toy: Toy, cells: int) -> int:
    """Download a dozen large traces at once, each of its own session; returns their bytes."""
    spec = RunSpec("1", "toy", cells, changes={"policy": "confidence", "passes": cells})
    one = await runtime.open(toy, spec, "a")
    await steps(one, cells)
    many = [runtime.sessions.open(toy, runtime.device, one.timeline, group=f"v{i}") for i in range(12)]
    transport = httpx.ASGITransport(Starlette(routes=routes.routes(runtime)))
    async with httpx.AsyncClient(transport=transport, base_url="http://a", timeout=600) as web:

        async def fetch(session: Session) -> int:
            size = 0
            async with web.stream("GET", f"/trace/{session.id}?key={session.rights.keys[Permission.WATCH]}") as answer:
                async for piece in answer.aiter_bytes():
                    size += len(piece)
            return size

        sizes = await asyncio.gather(*(fetch(session) for session in many))
    for session in (one, *many):
        runtime.sessions.close(session)
    while runtime.sessions._tasks:  # a session's task holds its run until it ends
        await asyncio.sleep(0.02)
    return sum(sizes)


QUESTIONS = ("fair", "followers", "hostile", "memory")


def main(*questions: str) -> int:
    torch.set_num_threads(1)
    if questions[:1] == ("watch",):
        asyncio.run(watch(int(questions[1])))
    for question in questions or QUESTIONS:
        server = _server() if question in ("followers", "hostile") else None
        try:
            match question:
                case "fair":
                    asyncio.run(fair())
                case "followers":
                    assert server
                    asyncio.run(many_followers(server))
                case "hostile":
                    assert server
                    hostile(server)
                case "memory":
                    asyncio.run(memory_returns())
        finally:
            if server:
                server.stop()
    return 0


def _server() -> Server:
    return started(Path(tempfile.mkdtemp()) / "log", "--model", "toy", UNMASK_VISITOR_CONNECTIONS="1000")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
