"""What a sweep says of its decoders: means with intervals, the difference to the best, and which one to take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import inf, isnan
from typing import Any

import numpy as np

from unmask.errors import InvalidRequest
from unmask.features.lab.sweep import MEASURES, Outcome, Sweep
from unmask.run.intervals import Estimate, corrected, mean, mean_difference, rate, rate_difference

LOWER = ("surprise", "repeated")  # measures of which less is better
UNBOUNDED = ("surprise",)  # all others are between 0 and 1
Row = tuple[float, float, float]  # a value, and the ends of its interval of 95 %
Values = Mapping[Any, list[float]]  # for each prompt, the values of its runs


@dataclass(frozen=True)
class Point:
    """One decoder at one setting."""

    decoder: str
    runs: int
    prompts: int
    texts: int  # different ones
    greedy: bool  # it draws nothing: each prompt has one text, whatever the seed
    tokens: float
    passes: float
    tokens_per_pass: float
    seconds: float  # modelled: passes × measured seconds of one pass alone
    values: Mapping[str, Row]  # by measure
    behind: Mapping[str, Row] = field(default_factory=dict)  # by measure: the difference to the best, if it is not that
    best: tuple[str, ...] = ()  # measures in which no other point is both better and cheaper

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which has no NaN."""
        rows = {"values": self.values, "behind": self.behind}
        return asdict(self) | {name: {k: _json(v) for k, v in found.items()} for name, found in rows.items()}


@dataclass(frozen=True)
class Advice:
    """The decoder to take within a budget."""

    point: Point
    among: int  # decoders within the budget
    ahead: bool  # its difference to each other excludes zero
    equal: tuple[str, ...] = ()  # others that may be as good

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"point": self.point.to_dict()}


@dataclass(frozen=True)
class Results:
    """The outcomes of a sweep, to be compared.

    With one prompt only, each seed counts by itself: intervals are then of this prompt. In a world that can be counted,
    a greedy decoder writes its one likeliest text, which says nothing of how often it would be right: it is compared
    with no decoder that draws."""

    outcomes: Sequence[Outcome]
    one_prompt: bool = False
    counted: bool = False

    @classmethod
    def of(cls, sweep: Sweep, outcomes: Sequence[Outcome], counted: bool) -> Results:
        """The results of a sweep so far; `counted` says that its model is a world that can be counted."""
        return cls(outcomes, len(sweep.prompts) == 1, counted)

    def points(self, compared: Sequence[str] = ()) -> list[Point]:
        """A point for each decoder, in order of first appearance; the difference to the best for some measures."""
        rows = [self._point(name, some) for name, some in self._groups.items()]
        for measure in compared:
            behind = self.behind(rows, measure)
            found = {name: (each.value, each.low, each.high) for name, each in behind.items()}
            rows = [
                replace(row, behind={**row.behind, measure: found[row.decoder]}) if row.decoder in found else row
                for row in rows
            ]
        comparable = self._comparable(rows)
        return [replace(row, best=_front(row, comparable)) if row in comparable else row for row in rows]

    def behind(self, rows: Sequence[Point], measure: str) -> dict[str, Estimate]:
        """The difference of each decoder to the best of them, on the prompts of both, corrected for their number."""
        known = [row for row in self._comparable(rows) if not isnan(row.values[measure][0])]
        if len(known) < 2:
            return {}
        others = {row.decoder: self.values(row.decoder, measure) for row in known}
        top = others.pop(_best(known, measure).decoder)
        pairs = []
        for own in others.values():
            shared = [key for key in own if key in top]
            pairs.append(([own[key] for key in shared], [top[key] for key in shared]))
        difference = mean_difference if measure in UNBOUNDED else rate_difference
        return dict(zip(others, corrected(pairs, difference), strict=True))

    def values(self, decoder: str, measure: str) -> Values:
        """What one decoder reached, prompt by prompt."""
        found: dict[Any, list[float]] = {}
        for one in self._groups[decoder]:
            if not isnan(value := getattr(one, measure)):
                found.setdefault(one.seed if self.one_prompt else one.prompt, []).append(value)
        return found

    def advice(self, measure: str, passes: float = inf, seconds: float = inf) -> Advice:
        """The best decoder within a budget, whether it is ahead of all others, and those that may be as good."""
        if measure not in MEASURES:
            raise InvalidRequest(f"no measure '{measure[:40]}'; there are {', '.join(MEASURES)}")
        known = [row for row in self._comparable(self.points()) if not isnan(row.values[measure][0])]
        if not known:
            raise InvalidRequest(f"nothing was measured as '{measure}' here: {MEASURES[measure]}")
        within = [row for row in known if row.passes <= passes and row.seconds <= seconds]
        if not within:
            least = min(known, key=lambda row: row.passes)
            raise InvalidRequest(
                f"no decoder of this sweep fits this budget: the cheapest is {least.decoder} "
                f"with {least.passes:.1f} passes and {least.seconds:.2f} s (modelled)"
            )
        top = _best(within, measure)
        behind = self.behind(within, measure)
        equal = tuple(name for name, difference in behind.items() if not difference.excludes_zero)
        return Advice(top, len(within), bool(behind) and not equal, equal)

    @cached_property
    def _groups(self) -> dict[str, list[Outcome]]:
        groups: dict[str, list[Outcome]] = {}
        for one in self.outcomes:
            groups.setdefault(one.decoder, []).append(one)
        return groups

    def _comparable(self, rows: Sequence[Point]) -> list[Point]:
        return [row for row in rows if not (self.counted and row.greedy)]

    def _point(self, name: str, some: Sequence[Outcome]) -> Point:
        values = {}
        for measure in MEASURES:
            known = list(self.values(name, measure).values())
            found = mean(known) if measure in UNBOUNDED else rate(known)
            values[measure] = (found.value, found.low, found.high)
        tokens, passes = sum(o.tokens for o in some), sum(o.passes for o in some)
        return Point(
            decoder=name,
            runs=len(some),
            prompts=len({o.prompt for o in some}),
            texts=len({(o.prompt, o.text) for o in some}),
            greedy=not any(o.draws for o in some),
            tokens=tokens / len(some),
            passes=passes / len(some),
            tokens_per_pass=tokens / max(1, passes),
            seconds=float(np.mean([o.seconds for o in some])),
            values=values,
        )


def points(outcomes: Sequence[Outcome]) -> list[Point]:
    """A point for each decoder, without differences."""
    return Results(outcomes).points()


def better(measure: str, a: float, b: float) -> bool:
    """Whether a value of this measure is better than another."""
    return a < b if measure in LOWER else a > b


def _best(rows: Sequence[Point], measure: str) -> Point:
    """The best value, with the fewest passes where several have it."""
    sign = -1 if measure in LOWER else 1
    return max(rows, key=lambda row: (sign * row.values[measure][0], -row.passes))


def _front(point: Point, every: Sequence[Point]) -> tuple[str, ...]:
    """The measures in which no point is better with no more passes, or as good with fewer."""
    best = []
    for measure, (value, _, _) in point.values.items():
        beaten = any(
            (better(measure, other.values[measure][0], value) and other.passes <= point.passes)
            or (other.values[measure][0] == value and other.passes < point.passes)
            for other in every
        )
        if not beaten and not isnan(value):
            best.append(measure)
    return tuple(best)


def _json(row: Row) -> list[float | None] | None:
    return None if isnan(row[0]) else [None if isnan(x) else round(x, 4) for x in row]
