"""Coverage and width of the Lab's intervals, in sweeps whose true rates are known: `python -m bench.intervals`.

For each number of prompts, true rate and correlation within a prompt: how often the 95 % interval holds the truth, how
wide it is beside an exact one, and how often the bootstrap over runs held it. Then: how often a lead is named."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from bench.exact import chan_zhang, clopper_pearson
from bench.simulated_sweeps import sweep
from unmask.run.intervals import corrected, rate, rate_difference

RUNS = 5
PROMPTS = (12, 40, 100)
RATES = (0.5, 0.95)
CORRELATIONS = (0.0, 0.5, 1.0)
DRAWS = 500  # of the bootstrap
Cell = tuple[int, float, float]  # prompts, rate, correlation
HEAD = "| prompts | rate | correlation | covers | width : exact | bootstrap over runs |\n|---|---|---|---|---|---|"


def cells() -> Iterator[Cell]:
    """Every case."""
    return ((prompts, rate, same) for prompts in PROMPTS for rate in RATES for same in CORRELATIONS)


def singles(cell: Cell, sweeps: int, random: np.random.Generator, model: str = "beta") -> tuple[float, float, float]:
    """Rates: coverage, mean width over Clopper and Pearson's with the correlation known, the bootstrap's coverage."""
    prompts, truth, correlation = cell
    exact = clopper_pearson(prompts, RUNS, correlation, model)
    covered, old, width, wanted = 0, 0, 0.0, 0.0
    for _ in range(sweeps):
        (texts,) = sweep(random, [truth], correlation, prompts, RUNS, model=model)
        found = rate(texts)
        covered += found.low <= truth <= found.high
        width += found.high - found.low
        wanted += float(np.diff(exact[int(texts.sum())])[0])
        drawn = random.binomial(texts.size, texts.mean(), DRAWS) / texts.size
        low, high = np.quantile(drawn, (0.025, 0.975))
        old += low <= truth <= high
    return covered / sweeps, width / wanted, old / sweeps


def pairs(cell: Cell, sweeps: int, random: np.random.Generator, model: str = "beta") -> tuple[float, float, float]:
    """Differences of two equal decoders: the same, beside Chan and Zhang's interval of independent pairs."""
    prompts, truth, correlation = cell
    independent = round(prompts * RUNS / (1 + (RUNS - 1) * correlation))
    covered, old, width, tables = 0, 0, 0.0, []
    for _ in range(sweeps):
        a, b = sweep(random, [truth, truth], correlation, prompts, RUNS, model=model)
        found = rate_difference(a, b)
        covered += found.low <= 0 <= found.high
        width += found.high - found.low
        gains = float((a.mean(1) * (1 - b.mean(1))).mean())
        losses = float((b.mean(1) * (1 - a.mean(1))).mean())
        tables.append((round(gains * independent), round(losses * independent)))
        more, less = ((a > b).mean(), (a < b).mean())
        drawn = random.multinomial(a.size, (more, less, max(0.0, 1 - more - less)), DRAWS) / a.size
        low, high = np.quantile(drawn[:, 0] - drawn[:, 1], (0.025, 0.975))
        old += low <= 0 <= high
    kinds = sorted(set(tables))
    exact = dict(zip(kinds, np.diff(chan_zhang(independent, kinds))[:, 0], strict=True))
    return covered / sweeps, width / sum(exact[table] for table in tables), old / sweeps


def lead(
    rates: list[float], prompts: int, correlation: float, shared: float, sweeps: int, random: np.random.Generator
) -> float:
    """How often a decoder is said to be ahead of all others; if one is better in truth, how often that one."""
    better = int(np.argmax(rates)) if max(rates) > min(rates) else -1
    named = 0
    for _ in range(sweeps):
        found = sweep(random, rates, correlation, prompts, RUNS, shared)
        best = max(range(len(rates)), key=lambda i: float(found[i].mean()))
        others = [(texts, found[best]) for i, texts in enumerate(found) if i != best]
        ahead = all(each.high < 0 for each in corrected(others, rate_difference))
        named += ahead and better in (-1, best)
    return named / sweeps


def mark(value: float, good: bool, digits: int = 3) -> str:
    """A figure, in bold where it misses its target."""
    return f"{value:.{digits}f}" if good else f"**{value:.{digits}f}**"


def coverage_table(sweeps: int, model: str) -> Iterator[str]:
    """Both tables of coverage, line by line."""
    for title, measured in (("A rate", singles), ("A difference of two decoders", pairs)):
        yield f"\n{title}; correlation by the model `{model}`\n\n{HEAD}"
        for number, cell in enumerate(cells()):
            covers, wide, old = measured(cell, sweeps, np.random.default_rng(number), model)
            good = covers >= 0.93 and (cell[0] < 40 or covers <= 0.97)
            yield (
                f"| {cell[0]} | {cell[1]} | {cell[2]} | {mark(covers, good)} "
                f"| {mark(wide, wide <= 1.15, 2)} | {old:.3f} |"
            )


def lead_table(sweeps: int) -> Iterator[str]:
    """How often a lead is named."""
    yield "\nA lead is named\n\n| decoders | prompts | correlation | equally difficult prompts | named | wanted |"
    yield "|---|---|---|---|---|---|"
    for truth in RATES:
        for prompts in PROMPTS:
            for correlation in CORRELATIONS:
                value = lead([truth] * 8, prompts, correlation, 0, sweeps, np.random.default_rng(prompts))
                yield (
                    f"| eight at {truth} | {prompts} | {correlation} | none | {mark(value, value <= 0.05)} | ≤ .05 |"
                )
    for count in (2, 8):
        for first, rest in ((0.95, 0.8), (0.65, 0.5)):
            for correlation in CORRELATIONS:
                for shared in (0.0, 0.5, 1.0):
                    rates = [rest] * (count - 1) + [first]
                    value = lead(rates, 40, correlation, shared, sweeps, np.random.default_rng(count))
                    share = "none" if not shared else "half" if shared == 0.5 else "all"
                    name = f"{count}: one at {first}, the others at {rest}"
                    yield f"| {name} | 40 | {correlation} | {share} | {mark(value, value >= 0.8)} | ≥ .80 |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", type=int, default=1000, help="simulated sweeps of each case")
    arguments = parser.parse_args()
    print(f"{arguments.sweeps} sweeps of each case, {RUNS} seeds. Bold: misses its target.", flush=True)
    for model in ("beta", "mixture"):
        for line in coverage_table(arguments.sweeps, model):
            print(line, flush=True)
    for line in lead_table(arguments.sweeps):
        print(line, flush=True)


if __name__ == "__main__":
    main()
