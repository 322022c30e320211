"""Cost of a class of 300: one run, each frame encoded once and sent to all; against one Gradio event for each viewer.

`python -m bench.viewers --minutes 10` checks that memory does not grow. Clients are raw sockets of this process, which
is not measured.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import time
from collections.abc import Iterator
from typing import Any

import httpx
import websockets

from bench.process import app, cpu, resident
from bench.row import Row, at_most

FOLLOWERS, VIEWERS = 300, 30
SECONDS = 12.0
CELLS = 96
TARGETS = {5: 10, 20: 40}  # frames a second: target in percent of a core


class Reader:
    """A follower on a raw WebSocket, which records when each frame arrives."""

    def __init__(self, came: dict[int, list[float]]) -> None:
        self.came = came
        self.reads = True

    async def join(self, port: int, room: str) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        key = base64.b64encode(os.urandom(16)).decode()
        head = f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self.writer.write(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        await self.reader.readuntil(b"\r\n\r\n")
        text = json.dumps({"do": "enter", "room": room}).encode()
        self.writer.write(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)

    async def follow(self) -> None:
        while True:
            head = await self.reader.readexactly(2)
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            body = await self.reader.readexactly(size)
            now = time.perf_counter()
            if body.startswith(b'{"did":"stepped"'):
                self.came.setdefault(hash(body), []).append(now)  # all followers get the same bytes


async def open_class(url: str) -> tuple[Any, str]:
    """A WebSocket that presents a class, and the code of the class."""
    line = await websockets.connect(url.replace("http", "ws") + "/ws", max_size=None)
    await line.send(json.dumps({"do": "class"}))
    while (row := json.loads(await line.recv()))["did"] != "class":
        pass
    return line, row["room"]


async def show_run(line: Any, frames: int, seconds: float) -> None:
    """Show one run at `frames` frames a second to the class, until the time is over."""
    side = {"model": "toy", "settings": {"policy": "left_to_right"}}
    await line.send(json.dumps({"do": "open", "prompt": "1", "length": CELLS, "sides": [side]}))
    while (row := json.loads(await line.recv()))["did"] != "opened":
        pass
    session = row["session"]
    await line.send(json.dumps({"do": "show", "sessions": [session]}))
    await line.send(json.dumps({"do": "play", "pace": 1 / frames, "session": session}))
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        try:
            row = json.loads(await asyncio.wait_for(line.recv(), max(0.01, until - time.perf_counter())))
        except TimeoutError:
            break
        if row["did"] == "done":
            await line.send(json.dumps({"do": "close", "session": session}))
            await show_run(line, frames, until - time.perf_counter())
            return
    await line.send(json.dumps({"do": "close", "session": session}))


async def measured(url: str, pid: int, frames: int, seconds: float, trouble: bool) -> list[Row]:
    line, room = await open_class(url)
    came: dict[int, list[float]] = {}
    readers = [Reader(came) for _ in range(FOLLOWERS)]
    for reader in readers:
        await reader.join(int(url.rsplit(":", 1)[1]), room)
    tasks = [asyncio.ensure_future(reader.follow()) for reader in readers]
    if trouble:  # one stops reading, one disconnects without a close frame
        tasks[0].cancel()
        readers[0].reader._transport.pause_reading()  # type: ignore[attr-defined]
        readers[1].writer.transport.abort()
    await asyncio.sleep(2)
    came.clear()
    before, began = cpu(pid), time.perf_counter()
    await show_run(line, frames, seconds)
    share = 100 * (cpu(pid) - before) / (time.perf_counter() - began)
    delays = sorted(1000 * (t - times[0]) for times in came.values() for t in times)
    frames_seen = sum(map(len, came.values())) / (FOLLOWERS - 2 * trouble) / seconds
    p99 = delays[int(0.99 * (len(delays) - 1))] if delays else float("nan")
    for task in tasks:
        task.cancel()
    for reader in readers:
        reader.writer.close()
    await line.send(json.dumps({"do": "dismiss"}))
    await line.close()
    what = f"{FOLLOWERS} viewers at {frames} frames a second" + ", one reads nothing and one is gone" * trouble
    reach = f" ({frames_seen:.1f} reach each)"
    return [
        at_most(f"{what}, of a core", share, TARGETS[frames], " %", 1, reach),
        at_most("the same: p99 behind the first", p99, 50, " ms", 0),
    ]


async def flat(url: str, pid: int, minutes: float) -> None:
    """Memory of the server during a long class."""
    line, room = await open_class(url)
    readers = [Reader({}) for _ in range(FOLLOWERS)]
    for reader in readers:
        await reader.join(int(url.rsplit(":", 1)[1]), room)
    tasks = [asyncio.ensure_future(reader.follow()) for reader in readers]
    await show_run(line, 5, 20)
    first = resident(pid)
    await show_run(line, 5, 60 * minutes - 20)
    print(f"memory of a class of {FOLLOWERS}: {first:.0f} MB, after {minutes:g} minutes {resident(pid):.0f} MB (flat)")
    for task in tasks:
        task.cancel()
    await line.close()


def gradio(port: int) -> None:
    """The baseline without classes: each viewer starts a Gradio event that yields the cells."""
    import gradio as gr

    async def watch() -> Any:
        for at in range(10_000):
            cells = [("word " if i <= at else "·", 0.9 if i <= at else 0.2) for i in range(CELLS)]
            yield cells
            await asyncio.sleep(1 / 5)

    with gr.Blocks() as blocks:
        button, out = gr.Button(), gr.HighlightedText()
        button.click(watch, None, out, concurrency_limit=None, api_name="watch")
    blocks.launch(server_port=port, quiet=True, ssr_mode=False)


async def viewers(url: str, pid: int, seconds: float) -> Row:
    frames = 0

    async def view(client: httpx.AsyncClient) -> None:
        nonlocal frames
        call = f"{url}/gradio_api/call/watch"
        event = (await client.post(call, json={"data": []})).json()["event_id"]
        async with client.stream("GET", f"{call}/{event}", timeout=None) as stream:
            async for line in stream.aiter_lines():
                frames += line.startswith("event: generating")

    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=None)) as client:
        tasks = [asyncio.ensure_future(view(client)) for _ in range(VIEWERS)]
        await asyncio.sleep(5)
        frames, before, began = 0, cpu(pid), time.perf_counter()
        await asyncio.sleep(seconds)
        share = 100 * (cpu(pid) - before) / (time.perf_counter() - began)
        for task in tasks:
            task.cancel()
    reach = f" ({frames / VIEWERS / seconds:.1f} reach each)"
    return at_most(f"baseline: {VIEWERS} viewers of a Gradio event each at 5, of a core", share, None, " %", 1, reach)


def rows(tiny: bool = False, seconds: float = SECONDS) -> Iterator[Row]:
    with app("-m", "unmask", "serve", "--model", "toy", "--port") as (url, pid):
        yield from asyncio.run(measured(url, pid, 5, seconds, False))
        yield from asyncio.run(measured(url, pid, 20, seconds, False))
    with app("-m", "bench.viewers", "--gradio") as (url, pid):
        yield asyncio.run(viewers(url, pid, seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--gradio", type=int, help="serve the baseline on this port")
    arguments = parser.parse_args()
    if arguments.gradio:
        gradio(arguments.gradio)
        return
    with app("-m", "unmask", "serve", "--model", "toy", "--port") as (url, pid):
        print(*asyncio.run(measured(url, pid, 20, SECONDS, True)), sep="\n")
        asyncio.run(flat(url, pid, arguments.minutes))


if __name__ == "__main__":
    main()
