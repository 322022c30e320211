"""The README's charts, from real runs: decoders of the shipped pair against passes, and permutations counted.

`make figures`. A minute or two; the same weights give the same points."""

from __future__ import annotations

import argparse
import asyncio
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import pyplot

from unmask.canvas import blank
from unmask.features.lab.points import Point, points
from unmask.features.lab.sweep import Sweep, settings
from unmask.features.lab.sweep_runner import SweepRunner
from unmask.inference.outcomes import ceiling
from unmask.live.device import Device
from unmask.models import load
from unmask.models.oracle import Oracle
from unmask.pair.eval.generate import held_out
from unmask.run.presets import Decoder

FOLDER = Path(__file__).parents[2] / "docs" / "figures"
DECODERS = ("fast-dllm", "llada", "eb-sampler", "local-leap", "dus")
PROMPTS, CELLS = 24, 96
matplotlib.use("Agg")


def swept(prompts: int) -> tuple[Sweep, list[Point]]:
    """The pair's decoders at five settings each, on prompts that it was never trained on."""
    denoiser, twin, fast = load("denoiser"), load("twin"), load("fast")
    ways = [Decoder(name, changes) for name in DECODERS for changes in settings(name, CELLS)]
    every = (*ways, Decoder("autoregressive", {}, "twin"), Decoder("draft-and-verify", {}, "fast"))
    shapes = ("story", "dialogue", "recipe", "letter", "record", "sum", "sort")
    sweep = Sweep("denoiser", every, tuple(d.prompt for d in held_out(prompts, shapes)), (0,), CELLS)

    async def whole() -> SweepRunner:
        device = Device()
        runner = SweepRunner(sweep, {"denoiser": denoiser, "twin": twin, "fast": fast}, device, "figures", twin)
        runner.start()
        while runner.state == "running":
            await asyncio.sleep(1)
            print(f"\r{len(runner.outcomes)} of {sweep.count} texts", end="", flush=True)
        device.close()
        print(f" in {runner.seconds:.0f} s {runner.failure}")
        return runner

    return sweep, points(asyncio.run(whole()).results)


def pareto(axes: Any, rows: list[Point]) -> None:
    """Right texts against passes, with intervals; the front behind them."""
    front = sorted((p for p in rows if "right" in p.best), key=lambda p: p.passes)
    axes.plot([p.passes for p in front], [p.values["right"][0] for p in front], lw=7, color="0.85", label="the front")
    names = dict.fromkeys(p.decoder.split(", ")[0] for p in rows)
    for name, mark in zip(names, "osD^Pv*X", strict=False):
        some = [p for p in rows if p.decoder.split(", ")[0] == name]
        values = [p.values["right"] for p in some]
        wide = [[m - low for m, low, _ in values], [high - m for m, _, high in values]]
        axes.errorbar(
            [p.passes for p in some], [m for m, _, _ in values], wide, fmt=f"{mark}:", lw=1, capsize=2, label=name
        )
    axes.set(xscale="log", xlabel="passes (forwards of the model)", ylabel="right texts", ylim=(-0.03, 1.03))
    axes.set_xticks([4, 6, 8, 10, 15, 20, 30, 40, 60])
    axes.xaxis.set_major_formatter(matplotlib.ticker.ScalarFormatter())
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1))
    axes.legend(fontsize=8)


def permutations(axes: Any) -> None:
    """How often a permutation of four comes out right: every way to share four cells among passes, and the best."""
    oracle = load("permutations:4")
    assert isinstance(oracle, Oracle)
    right = set(map(tuple, oracle.texts.tolist()))
    best = [ceiling(oracle, blank([4]), passes, right) for passes in range(1, 5)]
    axes.plot(range(1, 5), best, "o--", color="0.4", label="the best of all schedules")
    labels: dict[tuple[int, float], list[str]] = {}
    for shares in (s for n in range(1, 5) for s in product(range(1, 5), repeat=n) if sum(s) == 4):
        left, chance = 4, 1.0
        for count in shares:  # words drawn at once from what is left: all different?
            for k in range(count):
                chance *= (left - k) / left
            left -= count
        labels.setdefault((len(shares), round(chance, 9)), []).append(" + ".join(map(str, shares)))
    for point, equal in labels.items():
        axes.annotate(" or ".join(equal), point, fontsize=8, xytext=(6, -3), textcoords="offset points")
        axes.plot(*point, "k.", ms=5)
    axes.set(xlabel="passes", ylabel="right permutations of four", xticks=range(1, 5), xlim=(0.8, 4.9), ylim=(0, 1.05))
    axes.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1))
    axes.legend(fontsize=8, loc="lower right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prompts", type=int, nargs="?", default=PROMPTS, help="how many prompts each decoder answers")
    prompts = parser.parse_args().prompts
    FOLDER.mkdir(parents=True, exist_ok=True)
    sweep, rows = swept(prompts)
    for name, draw, data in (("pareto", pareto, (rows,)), ("permutations", permutations, ())):
        figure, axes = pyplot.subplots(figsize=(7.5, 4.6))
        draw(axes, *data)
        note = f"make figures, {date.today()}"
        if name == "pareto":
            note += f"; {len(sweep.prompts)} prompts never trained on, {CELLS} cells, one seed"
        figure.text(0.995, 0.005, note, ha="right", fontsize=7, color="0.4")
        figure.tight_layout()
        figure.savefig(FOLDER / f"{name}.png", dpi=110)
        pyplot.close(figure)
        print(f"wrote {FOLDER / name}.png")


if __name__ == "__main__":
    main()
