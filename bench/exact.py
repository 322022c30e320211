"""Exact intervals to compare with: inverted tests whose probabilities are added up, not approximated.

They are told what the Lab has to estimate, the correlation within a prompt, and are slow."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, lgamma

import numpy as np

from unmask.canvas import Floats

ALPHA = 0.025  # on each side
RATES = 1999  # true rates that are tried
NUISANCE = 40  # rates of losses that are tried for each difference
STEP = 0.0025  # between the differences that are tried


def prompt_probabilities(rates: Floats, correlation: float, runs: int, model: str) -> Floats:
    """[rates, runs + 1]: the probability of each number of right texts on one prompt."""
    counts = range(runs + 1)
    binomial = np.stack([comb(runs, i) * rates**i * (1 - rates) ** (runs - i) for i in counts], -1)
    alike = np.zeros_like(binomial)
    alike[:, 0], alike[:, runs] = 1 - rates, rates
    if model == "mixture" or correlation in (0, 1):
        return correlation * alike + (1 - correlation) * binomial
    gamma = np.vectorize(lgamma)
    whole = 1 / correlation - 1
    a, b = rates * whole, (1 - rates) * whole
    rows = [gamma(a + i) + gamma(b + runs - i) - gamma(a) - gamma(b) for i in counts]
    factor = gamma(whole) - gamma(whole + runs)
    return np.stack([comb(runs, i) * np.exp(row + factor) for i, row in zip(counts, rows, strict=True)], -1)


def clopper_pearson(prompts: int, runs: int, correlation: float, model: str) -> Floats:
    """[total + 1, 2]: the interval of a rate for each number of right texts, with the correlation known."""
    rates = (np.arange(RATES) + 1) / (RATES + 1)
    total = prompts * runs
    one = prompt_probabilities(rates, correlation, runs, model)
    sums = np.fft.irfft(np.fft.rfft(one, total + 1, axis=1) ** prompts, total + 1, axis=1).clip(0)
    at_most = sums.cumsum(1)
    at_least = sums[:, ::-1].cumsum(1)[:, ::-1]
    inside = (at_most > ALPHA) & (at_least > ALPHA)
    low = np.where(at_least[0] > ALPHA, 0, rates[inside.argmax(0)])
    high = np.where(at_most[-1] > ALPHA, 1, rates[RATES - 1 - inside[::-1].argmax(0)])
    return np.stack([low, high], -1)


def chan_zhang(pairs: int, tables: Sequence[tuple[int, int]]) -> Floats:
    """[tables, 2]: the interval of a difference for each (gains, losses) among so many independent pairs.

    Chan and Zhang (1999): tables are ordered by the score, and a difference is refused if under no rate of losses both
    tails have more than 2.5 %."""
    n = pairs
    gains, losses = (row.astype(float) for row in np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n))
    logs = np.concatenate([[0.0], np.log(np.arange(1, n + 1)).cumsum()])
    ways = logs[n] - logs[gains.astype(int)] - logs[losses.astype(int)] - logs[n - (gains + losses).astype(int)]
    seen = np.array([int(np.flatnonzero((gains == g) & (losses == m))[0]) for g, m in tables])
    means = (gains - losses)[seen] / n
    spread = 5 * np.sqrt(np.maximum((gains + losses)[seen].max() / n, 4 / n) / n)
    tried = np.arange(max(-1 + STEP, means.min() - spread), min(1 - STEP / 2, means.max() + spread), STEP)
    inside = np.array([_kept(d, n, gains, losses, ways, seen) for d in tried])
    low, high = tried[inside.argmax(0)], tried[len(tried) - 1 - inside[::-1].argmax(0)]
    return np.stack([low - STEP / 2, high + STEP / 2], -1).clip(-1, 1)


def _kept(d: float, n: int, gains: Floats, losses: Floats, ways: Floats, seen: np.ndarray) -> np.ndarray:
    """For each table seen, whether a true difference `d` is not refused."""
    b = -gains - losses + (2 * n - gains + losses) * d
    likeliest = (np.sqrt(np.maximum(b * b + 8 * n * losses * d * (1 - d), 0)) - b) / (4 * n)
    score = (gains - losses - n * d) / np.sqrt(np.maximum(n * (2 * likeliest + d * (1 - d)), 1e-12))
    order = np.argsort(score, kind="stable")
    ranked = score[order]
    first = np.searchsorted(ranked, score[seen] - 1e-9)
    last = np.searchsorted(ranked, score[seen] + 1e-9)
    least, most = max(0.0, -d), (1 - d) / 2
    rates = least + (most - least) * (np.arange(NUISANCE) + 0.5) ** 2 / NUISANCE**2  # closer where rates are small
    above, below = np.zeros(len(seen)), np.zeros(len(seen))
    for rate in rates:
        gain, rest = rate + d, max(1 - 2 * rate - d, 1e-300)
        logs = ways + gains * np.log(max(gain, 1e-300)) + losses * np.log(max(rate, 1e-300))
        sums = np.concatenate([[0.0], np.exp(logs + (n - gains - losses) * np.log(rest))[order].cumsum()])
        above, below = np.maximum(above, sums[-1] - sums[first]), np.maximum(below, sums[last])
    return (above > ALPHA) & (below > ALPHA)
