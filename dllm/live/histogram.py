"""A histogram with fixed bounds, as Prometheus reads it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
TOKENS = (0, 1, 2, 4, 8, 16, 32, 64)


class Histogram:
    """Counts of values by upper bound, the sum of the values, and the largest."""

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(bounds) + 1)
        self.sum, self.largest = 0.0, 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value
        self.largest = max(self.largest, value)

    @property
    def total(self) -> int:
        return sum(self.counts)

    def upto(self) -> Iterator[tuple[str, int]]:
        """Cumulative counts: each bound with the number of values at or below it."""
        count = 0
        for bound, more in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            count += more
            yield bound, count
