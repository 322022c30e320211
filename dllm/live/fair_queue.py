"""Whose turn it is on a device: whichever visitor has had least of it, and of that visitor's runs the one with least.

A turn is one pass. So nobody holds a place: a run that rests between two passes, or waits for a person, is in nobody's
way, and fifty runs of one visitor delay another's next pass no more than one run does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

MANY = 4096  # visitors that are remembered


class Runner(Protocol):
    """One who takes turns."""

    visitor: str
    credit: float


@dataclass
class _Share:
    """What one visitor has had."""

    credit: float = 0.0  # seconds of device time, levelled with the others' whenever it comes back
    level: float = 0.0  # the credit of whichever of its runs thought last: none starts below it


@dataclass
class FairQueue:
    """Seconds of device time by visitor and by run."""

    level: float = 0.0  # the credit of the visitor who thought last: nobody starts below it
    shares: dict[str, _Share] = field(default_factory=dict)

    def add(self, runner: Runner) -> None:
        """Level a newcomer with those who are at it: having been away is no claim to more."""
        share = self._share(runner.visitor)
        share.credit = max(share.credit, self.level)
        runner.credit = max(runner.credit, share.level)

    def order(self, runner: Runner) -> tuple[float, float]:
        """The least goes first."""
        return self._share(runner.visitor).credit, runner.credit

    def give(self, runner: Runner) -> None:
        """It is this one's turn."""
        share = self._share(runner.visitor)
        self.level = max(self.level, share.credit)
        share.level = max(share.level, runner.credit)

    def spend(self, runner: Runner, seconds: float) -> None:
        """The turn took so long."""
        self._share(runner.visitor).credit += seconds
        runner.credit += seconds

    def _share(self, visitor: str) -> _Share:
        if visitor not in self.shares:
            if len(self.shares) >= MANY:  # the one with the least loses nothing by being forgotten
                most = sorted(self.shares.items(), key=lambda item: item[1].credit)[MANY // 2 :]
                self.shares = dict(most)
            self.shares[visitor] = _Share(self.level)
        return self.shares[visitor]
