"""Start time of the app, its processor time while idle, and its memory with the bundled pair open."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import websockets

from bench.process import app, cpu, resident
from bench.row import Row, at_most

RUNS = 60


async def run(url: str, model: str) -> None:
    """One short run of the pair, as a visitor starts it."""
    async with websockets.connect(url.replace("http", "ws") + "/ws", max_size=None) as socket:
        sides = [{"model": m, "preset": p} for m, p in ((model, "fast-dllm"), ("twin", "autoregressive"))]
        sides = sides if model == "denoiser" else sides[:1]
        prompt = "Sort: 7 2 9" if model == "denoiser" else "7 2 9"
        await socket.send(json.dumps({"do": "open", "prompt": prompt, "length": 16, "sides": sides, "play": True}))
        sessions, done = [], 0
        while done < len(sides):
            event = json.loads(await socket.recv())
            done += event["did"] == "done"
            sessions += [event["session"]] if event["did"] == "opened" else []
        for session in sessions:
            await socket.send(json.dumps({"do": "close", "session": session}))


def rows(tiny: bool = False) -> Iterator[Row]:
    runs = 4 if tiny else RUNS
    model = "denoiser" if Path("assets/models/denoiser/config.json").exists() else "toy"
    began = time.perf_counter()
    with app("app.py", "--port") as (url, pid):
        httpx.get(url, timeout=30).raise_for_status()
        yield at_most("The app answers after", time.perf_counter() - began, 3, " s")
        began = time.perf_counter()
        asyncio.run(run(url, model))
        yield at_most("first run of a pair, both models opened for it", time.perf_counter() - began, None, " s")
        yield at_most("memory with the pair open", resident(pid), 900, " MB", 0)
        time.sleep(3)
        before = cpu(pid)
        time.sleep(1 if tiny else 10)
        idle = (cpu(pid) - before) * (100 if tiny else 10)
        yield at_most("a server where nothing happens, of a core", idle, 5, " %", 1)
        for k in range(runs):
            asyncio.run(run(url, model))
            if k == runs // 4:
                settled = resident(pid)
        grown = 100 * (resident(pid) / settled - 1)
        yield at_most(f"memory after {runs} runs over after {runs // 4}", grown, 3, " %", 1)
