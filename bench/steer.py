"""Cost of steering: latency of the `clash` lens, its effect on a live run, constraints, and the `clash` policy.

`python bench/steer.py [TEXTS]`: the number of held-out texts for the last and longest part; 0 leaves it out."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

import numpy as np

from bench import clash, constraint
from unmask.features.lenses.clashes import clash as clash_lens
from unmask.features.lenses.requests import Clash
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models import Denoiser, load
from unmask.run.command import Play, Step
from unmask.run.spec import RunSpec
from unmask.run.timeline import new_timeline

CELLS, ROWS = 64, 20
PROMPT = "Story: Lily had a red kite."


def session(denoiser: Denoiser, device: Device) -> Session:
    spec = RunSpec(PROMPT, length=CELLS, preset="llada", changes={"passes": CELLS}, seed=1)
    return Session(denoiser, device, new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer)))


async def finished(run: Session, command: Play | Step) -> float:
    """Seconds from a command until the run stops playing."""
    note = asyncio.ensure_future(run.run())
    began = time.perf_counter()
    run.send(command)
    subscriber = run.subscribe()
    while True:
        event = (await subscriber.get()).event
        if type(event).__name__ == "Done" or (type(event).__name__ == "Moved" and not getattr(event, "playing", True)):
            break
    spent = time.perf_counter() - began
    run.unsubscribe(subscriber)
    run.close()
    await note
    return spent


async def pointed(denoiser: Denoiser, device: Device) -> list[tuple[float, float]]:
    """For each row of the lift matrix, the seconds until the lens answers, and processor seconds."""
    run, waits = session(denoiser, device), []
    cells = np.flatnonzero(run.state.canvas.open)[:: max(1, CELLS // ROWS)].tolist()
    for cell in cells[:ROWS]:
        began, busy = time.perf_counter(), time.process_time()
        await clash_lens(run, Clash(run.id, cell=cell))
        waits.append((time.perf_counter() - began, time.process_time() - busy))
    return waits


async def shared(denoiser: Denoiser, device: Device) -> tuple[float, float, int]:
    """Seconds of a run alone and while lens questions are answered, and the number of questions."""
    alone = await finished(session(denoiser, device), Play())
    beside, rows = session(denoiser, device), 0
    live = asyncio.ensure_future(finished(session(denoiser, device), Play()))
    cells = np.flatnonzero(beside.state.canvas.open).tolist()
    while not live.done():
        await clash_lens(beside, Clash(beside.id, cell=cells[rows % len(cells)]))
        rows += 1
    return alone, await live, rows


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    denoiser, device = load("denoiser"), Device()
    asyncio.run(pointed(denoiser, device))  # warm-up
    waits = asyncio.run(pointed(denoiser, device))
    for name, times in zip(("a person waits", "of compute"), zip(*waits, strict=True), strict=True):
        first, *rest = (1000 * one for one in times)
        later = f"then {statistics.median(rest):.0f}, at most {max(rest):.0f}"
        print(f"rows of influence at {CELLS} cells, {name}: {first:.0f} ms for the first, {later} (<= 300)", flush=True)
    alone, beside, rows = asyncio.run(shared(denoiser, device))
    fair = "at most twice is a fair share"
    print(
        f"a run of {CELLS} passes while {rows} rows are answered: {beside / alone:.2f} times as long ({fair})",
        flush=True,
    )
    device.close()
    constraint.main()
    if count:
        sys.argv[1:] = [str(count)]
        clash.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
