"""Intervals of rates and means over prompts, and of the difference of two decoders on the same prompts.

Runs of one prompt resemble each other, so what counts is how many *independent* answers they are worth
(`_independent`), between one a prompt and one a run. With that number, a rate gets Wilson's interval and a difference
of two rates Tango's, both of which are made from a score test and hold for few prompts and for rates close to 0 or 1.
Values that are no rates get Student's interval of the prompts' means. `bench/intervals.py` checks all by simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isinf, nan, pi, sqrt, tan
from statistics import NormalDist

import numpy as np

from unmask.canvas import Floats

Values = Sequence[Sequence[float]]  # for each prompt, the values of its runs
Difference = Callable[[Values, Values, float], "Estimate"]
LEVEL = 0.95
ALIKE = (
    0.5  # prompts, added to those seen, whose runs all end the same: few prompts say little about how alike runs are
)
HALVINGS = 45  # of a search between -1 and 1


@dataclass(frozen=True)
class Estimate:
    """A value with its interval; both ends are NaN where nothing can be said of them."""

    value: float
    low: float
    high: float
    z: float = 0.0  # of a difference: how many standard errors it is from zero

    def __str__(self) -> str:
        return f"{100 * self.value:5.1f} % [{100 * self.low:.0f}–{100 * self.high:.0f}]"

    @property
    def excludes_zero(self) -> bool:
        """Whether zero is outside the interval."""
        return self.low > 0 or self.high < 0


NOTHING = Estimate(nan, nan, nan)


def share(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """The mean of values between 0 and 1, one for each prompt."""
    return rate([[value] for value in values], level)


def rate(values: Values, level: float = LEVEL) -> Estimate:
    """The mean over prompts of values between 0 and 1, with Wilson's interval."""
    if not len(values):
        return NOTHING
    means, runs, binary = _prompts(values)
    mean = float(means.mean())
    floor = float((1 / runs).mean()) if binary else 0.0
    mixed = int(np.count_nonzero(means < 1 if mean >= 0.5 else means > 0))
    count = _independent(means, mean * (1 - mean), mixed, floor)
    square = quantile(level, inf if binary else len(means) - 1) ** 2
    if isinf(square):  # one prompt says nothing about others
        return Estimate(mean, 0.0, 1.0)
    middle = (mean + square / count / 2) / (1 + square / count)
    half = sqrt(square * mean * (1 - mean) / count + (square / count) ** 2 / 4) / (1 + square / count)
    return Estimate(mean, max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half)))


def rate_difference(first: Values, second: Values, level: float = LEVEL) -> Estimate:
    """The mean difference of values between 0 and 1 on the same prompts, with Tango's interval."""
    if not len(first):
        return NOTHING
    (a, a_runs, a_binary), (b, b_runs, b_binary) = _prompts(first), _prompts(second)
    gains, losses = _gains(first, second, a, b, a_binary and b_binary)
    gain, loss, difference = float(gains.mean()), float(losses.mean()), float((a - b).mean())
    floor = _floor(a, b, a_runs, b_runs) if a_binary and b_binary else 0.0
    mixed = int(np.count_nonzero(gains + losses))
    count = _independent(a - b, gain + loss - difference**2, mixed, floor)
    z = quantile(level, inf if a_binary and b_binary else len(a) - 1)
    score = difference * sqrt(count / (gain + loss)) if gain + loss else 0.0
    if isinf(z):
        return Estimate(difference, -1.0, 1.0)
    return Estimate(difference, *_tango(gain, loss, count, z), score)


def mean(values: Values, level: float = LEVEL) -> Estimate:
    """The mean over prompts of values on any scale, with Student's interval."""
    return _student(_prompts(values)[0], level) if len(values) else NOTHING


def mean_difference(first: Values, second: Values, level: float = LEVEL) -> Estimate:
    """The mean difference of values on any scale on the same prompts, with Student's interval."""
    return _student(_prompts(first)[0] - _prompts(second)[0], level) if len(first) else NOTHING


def corrected(pairs: Sequence[tuple[Values, Values]], difference: Difference, level: float = LEVEL) -> list[Estimate]:
    """The differences of many decoders to one, the best of them, corrected by Holm for the number of comparisons.

    The difference that is furthest from zero gets the widest interval, the nearest one the plain one. The best is ahead
    of all others only if each interval excludes zero. Among equals this happens in less than 1 - `level` of all cases,
    since the best must be ahead of the second best as well."""
    plain = [difference(*pair, level) for pair in pairs]
    tests = [sum(abs(other.z) <= abs(each.z) for other in plain) for each in plain]  # equal ones have equal intervals
    return [difference(*pair, 1 - (1 - level) / count) for pair, count in zip(pairs, tests, strict=True)]


def quantile(level: float, degrees: float = inf) -> float:
    """Half the width of an interval of this level, in standard errors: Student's quantile."""
    upper = (1 + level) / 2
    if degrees < 1:
        return inf
    if degrees == 1:
        return tan(pi * (upper - 0.5))
    if degrees == 2:
        return (2 * upper - 1) * sqrt(2 / (4 * upper * (1 - upper)))
    z = NormalDist().inv_cdf(upper)
    terms = (  # Cornish and Fisher's expansion: 1 % off for three degrees of freedom, less for more
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / degrees**power for power, term in enumerate(terms, 1))


def _prompts(values: Values) -> tuple[Floats, Floats, bool]:
    """The mean of each prompt, its number of runs, and whether all values are 0 or 1."""
    runs = np.array([len(some) for some in values], float)
    flat = np.concatenate([np.asarray(some, float) for some in values])
    starts = np.concatenate([[0], runs.cumsum()[:-1]]).astype(int)
    return np.add.reduceat(flat, starts) / runs, runs, bool(((flat == 0) | (flat == 1)).all())


def _independent(means: Floats, variance: float, mixed: int, floor: float) -> float:
    """How many independent answers the prompts are worth.

    `variance` is that of one answer, `floor` the share of it that is left between prompts if runs are independent. The
    variance between prompts says how much is left in truth, but little if only a few prompts, `mixed`, differ from the
    common answer: so it is drawn towards all of it, the variance of runs that all end the same."""
    if not mixed or len(means) < 2 or variance <= 1e-12:
        return float(len(means))
    left = float(means.var(ddof=1)) / variance
    return len(means) / min(1.0, max(floor, (mixed * left + ALIKE) / (mixed + ALIKE)))


def _floor(a: Floats, b: Floats, a_runs: Floats, b_runs: Floats) -> float:
    """The share of a difference's variance that is left between prompts if all runs are independent."""
    a_variance, b_variance = a.mean() * (1 - a.mean()), b.mean() * (1 - b.mean())
    whole = float(a_variance + b_variance)
    return float((a_variance * (1 / a_runs).mean() + b_variance * (1 / b_runs).mean()) / whole) if whole else 1.0


def _gains(first: Values, second: Values, a: Floats, b: Floats, binary: bool) -> tuple[Floats, Floats]:
    """For each prompt, by how much a run of the first is better than one of the second, and by how much worse."""
    if binary:
        return a * (1 - b), b * (1 - a)
    pairs = [np.subtract.outer(np.asarray(x, float), np.asarray(y, float)) for x, y in zip(first, second, strict=True)]
    return np.array([p.clip(0).mean() for p in pairs]), np.array([(-p).clip(0).mean() for p in pairs])


def _tango(gain: float, loss: float, count: float, z: float) -> tuple[float, float]:
    """The differences that a score test does not refuse, given the rates of pairs that differ (Tango 1998)."""
    difference = gain - loss

    def distance(truth: float) -> float:
        """Standard errors from `truth` to the difference, with the rate of losses that is likeliest under it."""
        b = -gain - loss + (2 - difference) * truth
        losses = (sqrt(max(0.0, b * b + 8 * loss * truth * (1 - truth))) - b) / 4
        variance = max(1e-300, 2 * losses + truth * (1 - truth))
        return (difference - truth) * sqrt(count / variance)

    ends = []
    for sign in (-1, 1):
        inside, outside = difference, float(sign)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if abs(distance(middle)) > z else (middle, outside)
        ends.append(outside)
    return ends[0], ends[1]


def _student(means: Floats, level: float) -> Estimate:
    value = float(means.mean())
    if len(means) < 2:
        return Estimate(value, nan, nan)
    error = float(means.std(ddof=1)) / sqrt(len(means))
    half = quantile(level, len(means) - 1) * error
    return Estimate(
        value, value - half, value + half, value / error if error else inf * np.sign(value) if value else 0.0
    )
