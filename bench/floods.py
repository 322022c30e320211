"""One visitor floods a door from another process: the event loop's lag, and another visitor's runs, against quiet."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import uvicorn
from websockets.asyncio.client import connect

from bench.row import Row, at_most
from tests.faults.test_floods import DOORS, FLOOD, OTHER
from tests.serve.process import free_port
from unmask.config import config
from unmask.serve.runtime import Runtime
from unmask.serve.server import app

SECONDS, EVERY = 4.0, 0.01
SIDE = {"model": "toy", "settings": {"policy": "confidence", "passes": 8}}


async def lags(until: float) -> list[float]:
    """Seconds that a task of the event loop was late, sampled until a time."""
    late = []
    while (began := time.perf_counter()) < until:
        await asyncio.sleep(EVERY)
        late.append(time.perf_counter() - began - EVERY)
    return sorted(late)


async def hear(line: Any, *dids: str) -> dict[str, Any]:
    while (row := json.loads(await line.recv()))["did"] not in dids:
        pass
    return dict(row)


async def runs(port: int, until: float) -> list[float]:
    """Seconds of another visitor's short runs, from connecting to their end."""
    spent = []
    while (began := time.perf_counter()) < until:
        async with connect(f"ws://127.0.0.1:{port}/ws", additional_headers=OTHER) as line:
            await line.send(json.dumps({"do": "open", "sides": [SIDE], "prompt": "1 2", "length": 16, "play": True}))
            await hear(line, "done")
        spent.append(time.perf_counter() - began)
    return sorted(spent)


async def measured(seconds: float) -> dict[str, tuple[float, float]]:
    """By door, and for quiet: the p99 of the loop's lag, and the median of the runs."""
    runtime, port = Runtime(), free_port()
    server = uvicorn.Server(uvicorn.Config(app(runtime, ["toy", "denoiser"]), port=port, log_level="error"))
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    serving, found = asyncio.ensure_future(server.serve()), {}
    while not server.started:
        await asyncio.sleep(0.01)
    async with connect(f"ws://127.0.0.1:{port}/ws", additional_headers=FLOOD, max_size=None) as line:
        side = {"model": "toy", "settings": {"policy": "confidence", "passes": 500}}
        await line.send(json.dumps({"do": "open", "sides": [side], "length": 500, "play": True}))
        opened = await hear(line, "opened")
        await hear(line, "done")
        await line.send(json.dumps({"do": "familiar", "models": ["denoiser"], "prompt": "1"}))
        await hear(line, "familiar")
        for door in ("quiet", *DOORS):
            flood = [sys.executable, "-m", "bench.floods", door, opened["session"], opened["keys"]["own"], str(port)]
            process = await asyncio.create_subprocess_exec("nice", *flood) if door in DOORS else None
            await asyncio.sleep(1.5)  # it has started
            until = time.perf_counter() + seconds
            late, spent = await asyncio.gather(lags(until), runs(port, until))
            found[door] = late[int(0.99 * len(late))], spent[len(spent) // 2]
            if process is not None:
                process.kill()
                await process.wait()
    server.should_exit = True
    await serving
    return found


def rows(tiny: bool = False) -> Iterator[Row]:
    os.environ["UNMASK_PROXIES"] = "1"  # so that each address is a visitor
    config.cache_clear()
    try:
        found = asyncio.run(measured(0.5 if tiny else SECONDS))
    finally:
        del os.environ["UNMASK_PROXIES"]
        config.cache_clear()
    quiet_lag, quiet = found.pop("quiet")
    yield at_most("the loop's lag, p99, quiet", 1000 * quiet_lag, None, " ms", 1)
    for door, (lag, spent) in found.items():
        yield at_most(f"the same while one visitor floods `{door}`", 1000 * lag, 500, " ms", 1)
        yield at_most(f"another's run meanwhile, over quiet ({1000 * quiet:.0f} ms)", spent / quiet, None)


async def flood(door: str, session: str, key: str, port: int) -> None:
    await asyncio.gather(*DOORS[door](session, key, port), return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(flood(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
