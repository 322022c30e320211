"""Runs a sweep in this process, without a server: for Python and the terminal."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace

from unmask.features.lab.scoring import Scoring, get_scorer
from unmask.features.lab.sweep import Sweep
from unmask.features.lab.sweep_file import SavedSweep, SweepFile
from unmask.features.lab.sweep_runner import SweepRunner
from unmask.live.device import Device
from unmask.models import Denoiser
from unmask.models.hub.hardware import threads
from unmask.models.oracle import Oracle

AGREEMENT = ("agrees", "same")  # measures that need a second run of each prompt and seed
Report = Callable[[int, int, float | None], None]  # runs done, all runs, seconds left


def check_starts(plan: Sweep, denoiser: Denoiser) -> None:
    """Refuse a decoder or a prompt that cannot start, before any run."""
    prompts, decoders = set(plan.prompts), set(map(id, plan.decoders))
    for _, decoder, spec in plan.specs():
        if spec.prompt in prompts or id(decoder) in decoders:
            spec.start(denoiser.card, denoiser.tokenizer)
            prompts.discard(spec.prompt)
            decoders.discard(id(decoder))


def run_plan(
    plan: SavedSweep, denoiser: Denoiser, twin: Denoiser | None, file: SweepFile | None, progress: Report | None
) -> tuple[SavedSweep, str]:
    """Run what is left of a plan: the sweep, and why it ended before its last run.

    It runs on a thread with a loop of its own, since a notebook has one already."""
    scoring = Scoring(get_scorer(plan.scorer), plan.items) if plan.scorer else None
    stop = threading.Event()

    async def work() -> SweepRunner:
        device = Device(workers=min(threads(), 8))
        runner = SweepRunner(
            plan.sweep, {plan.sweep.model: denoiser}, device, "sweep", None if isinstance(denoiser, Oracle) else twin,
            scoring=scoring, agreement=plan.measure in AGREEMENT, keep=file.add if file else lambda *_: None,
        )  # fmt: skip
        runner.outcomes.update(plan.outcomes)
        runner.start()
        try:
            while runner.state == "running" and not stop.is_set():
                await asyncio.sleep(0.1)
                if progress is not None:
                    progress(len(runner.outcomes), runner.count, runner.seconds_left)
            await runner.stop()
            return runner
        finally:
            device.close()

    with ThreadPoolExecutor(1, "sweep") as thread:
        running, why = thread.submit(lambda: asyncio.run(work())), ""
        while not running.done():
            try:
                wait([running], 0.2)
            except KeyboardInterrupt:
                why = "interrupted; the same call goes on" if file else "interrupted"
                stop.set()
        runner = running.result()
    return replace(plan, outcomes=dict(runner.outcomes)), runner.failure or why
