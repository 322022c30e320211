"""How well a limit tells texts apart: of those that should stay below it and of those that should not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Rates:
    """The shares above a limit, of texts that did not choose it."""

    false_alarms: float
    caught: float

    @classmethod
    def of(cls, limit: float, below: Sequence[float], above: Sequence[float]) -> Rates:
        return cls(*(float(np.mean([one > limit for one in values])) for values in (below, above)))

    def good(self, false_alarms: float, caught: float) -> bool:
        return self.false_alarms <= false_alarms and self.caught >= caught
