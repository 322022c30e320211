"""Beat the schedule, as a contest: each follower chooses which pass writes each cell.

A schedule's score is the exact probability that its text is right. No word is drawn, so equal schedules score the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from unmask.errors import InvalidRequest
from unmask.inference.schedule_game import best, order_probability
from unmask.models import load
from unmask.models.oracle import Oracle

WORLDS = ("permutations", "permutations:6", "balanced", "sudoku4")
PASSES = 9  # a schedule has one digit for each cell
SHOWN = 12  # rows of a ranking


@dataclass(frozen=True)
class Schedule:
    """Which pass writes each cell, one digit a cell; and the probability that the text is right."""

    digits: str
    share: float


@dataclass(eq=False)
class Contest:
    """A contest: a world, a limit on passes, and the schedule of each player."""

    world: str
    oracle: Oracle
    passes: int
    schedules: dict[str, Schedule] = field(default_factory=dict)  # by seat

    kind: ClassVar[str] = "schedule"

    @classmethod
    def of(cls, world: str, passes: int) -> Contest:
        if world not in WORLDS:
            raise InvalidRequest(f"the game is played on one of {', '.join(WORLDS)}")
        oracle = load(world)
        assert isinstance(oracle, Oracle)
        most = min(PASSES, oracle.texts.shape[1] - 1)  # one cell a pass is always right
        if not 1 <= passes <= most:
            raise InvalidRequest(f"a schedule for '{world}' has 1 to {most} passes")
        best(oracle)  # computed here, so that it is known when the result is shown
        return cls(world, oracle, passes)

    @property
    def cells(self) -> int:
        return int(self.oracle.texts.shape[1])

    def withdraw(self, who: str) -> None:
        self.schedules.pop(who, None)

    def answer(self, who: str, value: str) -> str:
        """Record a player's schedule in place of an earlier one; returns it without passes that write nothing."""
        if len(value) != self.cells or not all("1" <= digit <= str(self.passes) for digit in value):
            raise InvalidRequest(
                f"a schedule is {self.cells} digits from 1 to {self.passes}: the pass that writes each cell"
            )
        place = {pass_: str(at) for at, pass_ in enumerate(sorted({*value}), 1)}
        digits = "".join(place[digit] for digit in value)
        self.schedules[who] = Schedule(digits, round(order_probability(self.oracle, turns(digits)), 9))
        return digits

    def place(self, who: str) -> int:
        """A player's place, from 1 for the best; equal shares have the same place."""
        share = self.schedules[who].share
        return 1 + sum(other.share > share for other in self.schedules.values())

    def to_dict(self) -> dict[str, Any]:
        """For JSON, while the contest is open: not what others chose."""
        row = {"kind": self.kind, "session": "", "at": 0, "answers": len(self.schedules)}
        return row | {"world": self.world, "cells": self.cells, "passes": self.passes}

    def to_revealed_dict(self) -> dict[str, Any]:
        """For JSON, once revealed, without names: the best share reached, the best possible, and that of one pass."""
        shares = [schedule.share for schedule in self.schedules.values()]
        ceiling = best(self.oracle)
        return self.to_dict() | {
            "first": max(shares, default=None),
            "best": ceiling and ceiling[self.passes - 1],
            "once": round(order_probability(self.oracle, turns("1" * self.cells)), 9),
        }

    def ranking(self, names: Mapping[str, str]) -> list[dict[str, Any]]:
        """The best schedules, with the names of players who gave one; for the presenter."""
        order = sorted(self.schedules, key=lambda who: -self.schedules[who].share)[:SHOWN]
        rows = [(who, self.schedules[who]) for who in order]
        return [
            {"name": names.get(who, ""), "place": self.place(who), "digits": one.digits, "share": one.share}
            for who, one in rows
        ]


def turns(digits: str) -> list[list[int]]:
    """The cells of each pass."""
    return [[at for at, digit in enumerate(digits) if digit == one] for one in sorted({*digits})]
