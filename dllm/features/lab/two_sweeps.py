"""Two sweeps compared: the decoders that both have, on the prompts that both have, with paired differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from unmask.errors import InvalidRequest
from unmask.features.lab.points import UNBOUNDED, Values
from unmask.features.lab.sweep_file import SavedSweep
from unmask.run.intervals import Estimate, mean_difference, rate_difference


@dataclass(frozen=True)
class Compared:
    """A decoder in two sweeps: its two values and passes, and the second less the first."""

    decoder: str
    values: tuple[float, float]
    passes: tuple[float, float]
    difference: Estimate

    def to_dict(self) -> dict[str, Any]:
        """For JSON; an end of an interval that is not known is None."""
        gap = self.difference
        ends = [one if isfinite(one) else None for one in (gap.value, gap.low, gap.high)]
        return {"decoder": self.decoder, "values": self.values, "passes": self.passes, "difference": ends}


def compare_sweeps(first: SavedSweep, second: SavedSweep, measure: str) -> list[Compared]:
    """The decoders that both sweeps have on the same prompts. Seeds count by themselves only for one shared prompt."""
    alone = len(first.sweep.prompts) == 1 and first.sweep.prompts == second.sweep.prompts
    one, other = (replace(some.results, one_prompt=alone) for some in (first, second))
    mine, theirs = ({p.decoder: p for p in some.points([measure])} for some in (one, other))
    rows = [
        Compared(
            name,
            (point.values[measure][0], theirs[name].values[measure][0]),
            (point.passes, theirs[name].passes),
            paired(other.values(name, measure), one.values(name, measure), measure),
        )
        for name, point in mine.items()
        if name in theirs
    ]
    if not rows:
        raise InvalidRequest("the two sweeps have no decoder in common")
    if not (known := [row for row in rows if isfinite(row.difference.value)]):
        raise InvalidRequest(f"the two sweeps have no prompt in common that both measured by {measure}")
    return known


def paired(first: Values, second: Values, measure: str) -> Estimate:
    """The difference on the prompts that both have."""
    shared = [prompt for prompt in first if prompt in second]
    difference = mean_difference if measure in UNBOUNDED else rate_difference
    return difference([first[one] for one in shared], [second[one] for one in shared])
