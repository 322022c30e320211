"""The speed of a run, and how many passes it takes before it pauses."""

from __future__ import annotations

from dataclasses import dataclass

SLOWEST = 60.0  # most seconds of rest after a pass


@dataclass
class Pace:
    """The rest after each pass, and the number of passes until the run pauses."""

    slow: float = 1.0  # how many times as long a pass takes as the model needs
    least: float = 0.0  # seconds that a pass takes at the least
    passes: int | None = None  # None: until the run is done

    @classmethod
    def of(cls, slow: float, least: float) -> Pace:
        """A pace within the allowed range."""
        return cls(min(max(slow, 1.0), 1000.0), min(max(least, 0.0), SLOWEST))

    @property
    def last(self) -> bool:
        """Whether the next pass is the last before the pause."""
        return self.passes is not None and self.passes <= 1

    def counted(self) -> bool:
        """Count a pass; whether it was the last before the pause."""
        if self.passes is None:
            return False
        self.passes -= 1
        return self.passes <= 0

    def rest(self, inference: float, other: float) -> float:
        """Seconds to rest after a pass whose inference, and everything else, took so many seconds."""
        return min(max((self.slow - 1) * inference, self.least - inference - other), SLOWEST)
