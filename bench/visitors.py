"""Thirty visitors at once on the bundled denoiser: throughput of all over that of one, and the longest wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from itertools import pairwise

from bench.row import Row, at_least, at_most
from unmask.live.session import Session
from unmask.models import Denoiser, load
from unmask.run.command import Play
from unmask.run.event import Done, Stepped
from unmask.run.spec import RunSpec
from unmask.serve.runtime import Runtime

VISITORS, CELLS, PASSES = 30, 64, 16
PROMPT = "Story: Lily had a red kite."


async def open_session(runtime: Runtime, denoiser: Denoiser, visitor: int) -> Session:
    changes = {"policy": "confidence", "passes": PASSES, "end": "allow"}
    return await runtime.open(
        denoiser, RunSpec(PROMPT, "denoiser", CELLS, changes=changes, seed=visitor), f"v{visitor}"
    )


async def run(session: Session) -> list[float]:
    """The times of Play and of each pass."""
    reader, times = session.subscribe(0), [time.perf_counter()]
    session.send(Play())
    while True:
        event = (await reader.get()).event
        if isinstance(event, Stepped):
            times.append(time.perf_counter())
        if isinstance(event, Done):
            session.unsubscribe(reader)
            return times


async def measured(visitors: int, rounds: int) -> tuple[float, float]:
    """Cells a second of all over those of one, and the longest wait over the fair share, in wall time."""
    denoiser, runtime = load("denoiser"), Runtime()
    alone, shares, waits = list[float](), list[float](), list[float]()
    for at in range(rounds + 1):
        one = await run(await open_session(runtime, denoiser, 1000 + at))
        alone.append((one[-1] - one[0]) / PASSES)
        sessions = [await open_session(runtime, denoiser, i) for i in range(visitors)]
        began = time.perf_counter()
        times = await asyncio.gather(*(run(session) for session in sessions))
        spent = time.perf_counter() - began
        shares.append(visitors * PASSES * alone[-1] / spent)
        longest = max(b - a for each in times for a, b in pairwise(each))
        waits.append(longest / (spent / PASSES))
        for session in list(runtime.sessions.alive.values()):
            runtime.sessions.close(session)
    await runtime.close()
    return sorted(shares[1:])[rounds // 2], sorted(waits[1:])[rounds // 2]


def rows(tiny: bool = False) -> Iterator[Row]:
    visitors = 3 if tiny else VISITORS
    together, wait = asyncio.run(measured(visitors, 1 if tiny else 3))
    yield at_least(f"{visitors} visitors: total throughput over one's", together, 2)
    yield at_most("the longest wait of any pass over the fair share", wait, 2)
