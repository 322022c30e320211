"""Fair queueing: next is the visitor with the least device time, and of that visitor's runs the one with the least.

A turn is one pass. A run that pauses between two passes, or waits for a person, holds no place in the queue, and fifty
runs of one visitor delay another visitor's next pass no more than one run does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

MANY = 4096  # visitors whose device time is remembered


class Runner(Protocol):
    """A client that takes turns."""

    visitor: str
    credit: float


@dataclass
class _Share:
    """The device time of one visitor."""

    credit: float = 0.0  # seconds of device time, raised to the others' level when the visitor comes back
    level: float = 0.0  # the credit of the visitor's run that ran last: no run starts below it


@dataclass
class FairQueue:
    """Device time in seconds, by visitor and by run."""

    level: float = 0.0  # the credit of the visitor who ran last: no visitor starts below it
    shares: dict[str, _Share] = field(default_factory=dict)

    def add(self, runner: Runner) -> None:
        """Raise a newcomer to the level of those present: time away earns no extra turns."""
        share = self._share(runner.visitor)
        share.credit = max(share.credit, self.level)
        runner.credit = max(runner.credit, share.level)

    def order(self, runner: Runner) -> tuple[float, float]:
        """Sort key of a runner; the smallest goes first."""
        return self._share(runner.visitor).credit, runner.credit

    def give(self, runner: Runner) -> None:
        """Record that a runner gets its turn."""
        share = self._share(runner.visitor)
        self.level = max(self.level, share.credit)
        share.level = max(share.level, runner.credit)

    def spend(self, runner: Runner, seconds: float) -> None:
        """Charge a runner for the seconds of its turn."""
        self._share(runner.visitor).credit += seconds
        runner.credit += seconds

    def _share(self, visitor: str) -> _Share:
        if visitor not in self.shares:
            if len(self.shares) >= MANY:  # those with the least credit lose nothing: they would start at the level
                kept = sorted(self.shares.items(), key=lambda item: item[1].credit)[MANY // 2 :]
                self.shares = dict(kept)
            self.shares[visitor] = _Share(self.level)
        return self.shares[visitor]
