"""A mean and how far it may be off, by drawing from the same values again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Share:
    """The mean of some values, and the interval that holds 95 in 100 of the means of redrawn ones."""

    mean: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{100 * self.mean:5.1f} % [{100 * self.low:.0f}–{100 * self.high:.0f}]"


def share(values: Sequence[float], draws: int = 2000) -> Share:
    """Bootstrap over values; the same values always give the same interval."""
    if not len(values):
        return Share(float("nan"), float("nan"), float("nan"), 0)
    row = np.asarray(values, float)
    means = row[np.random.default_rng(0).integers(0, len(row), (draws, len(row)))].mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return Share(float(row.mean()), float(low), float(high), len(row))
