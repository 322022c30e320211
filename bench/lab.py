"""Time of a sweep: five decoders at five settings on twenty prompts of 64 cells, in parallel over one run at a time.

`python bench/lab.py [PROMPTS]`"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from unmask.features.lab import sweep_runner
from unmask.features.lab.sweep import Sweep, settings
from unmask.features.lab.sweep_runner import SweepRunner
from unmask.live.device import Device
from unmask.models import load
from unmask.pair.eval.generate import held_out
from unmask.run.presets import Decoder

DECODERS = ("fast-dllm", "llada", "eb-sampler", "local-leap", "dus")


async def run_sweep(sweep: Sweep, together: int) -> tuple[float, float]:
    """Seconds of the sweep, and the delay of the event loop during it, p95 in ms."""
    sweep_runner.PARALLEL_RUNS = together
    denoiser, device, late = load("denoiser"), Device(), []
    one = SweepRunner(sweep, {"denoiser": denoiser}, device, "bench")
    one.start()
    while one.state == "running":
        began = time.perf_counter()
        await asyncio.sleep(0.02)
        late.append(1000 * (time.perf_counter() - began - 0.02))
    device.close()
    assert one.state == "done", one.failure
    return one.seconds, statistics.quantiles(late, n=20)[-1]


def main() -> None:
    prompts = int(sys.argv[1]) if sys.argv[1:] else 20
    ways = tuple(Decoder(name, changes) for name in DECODERS for changes in settings(name, 64))
    texts = tuple(d.prompt for d in held_out(prompts, ("story", "record", "sum", "sort")))
    few = Sweep("denoiser", ways, texts[: max(2, prompts // 5)], (0,), 64)
    alone, _ = asyncio.run(run_sweep(few, 1))
    shared, _ = asyncio.run(run_sweep(few, 8))
    ratio = f"{alone / shared:.2f} x (wanted >= 1.8)"
    print(f"{few.count} runs: {alone:.0f} s one at a time, {shared:.0f} s together: {ratio}")
    whole = Sweep("denoiser", ways, texts, (0,), 64)
    seconds, late = asyncio.run(run_sweep(whole, 8))
    print(
        f"{whole.count} runs: {seconds:.0f} s (wanted <= 480); the loop was late by {late:.1f} ms at p95 (wanted <= 50)"
    )


if __name__ == "__main__":
    main()
