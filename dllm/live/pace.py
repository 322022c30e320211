"""How fast a run is written, and for how many passes."""

from __future__ import annotations

from dataclasses import dataclass

SLOWEST = 60.0  # seconds a pass may be stretched to


@dataclass
class Pace:
    """Rests between two passes, and the passes that are left until the run pauses by itself."""

    slow: float = 1.0  # a pass takes so many times as long as the model needs
    least: float = 0.0  # and so many seconds at the least
    passes: int | None = None  # without a number, until it is done

    @classmethod
    def of(cls, slow: float, least: float) -> Pace:
        """What somebody wishes, within what is possible."""
        return cls(min(max(slow, 1.0), 1000.0), min(max(least, 0.0), SLOWEST))

    @property
    def last(self) -> bool:
        """Is the pass that is due the last that was wished for?"""
        return self.passes is not None and self.passes <= 1

    def counted(self) -> bool:
        """One pass is done; was it the last that was wished for?"""
        if self.passes is None:
            return False
        self.passes -= 1
        return self.passes <= 0

    def rest(self, thinking: float, other: float) -> float:
        """Seconds of rest behind a pass that took so many."""
        return min(max((self.slow - 1) * thinking, self.least - thinking - other), SLOWEST)
