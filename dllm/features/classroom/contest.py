"""Beat the schedule with a class: each says which cells are written in which pass, and what that is worth is counted.

No word is drawn, so nobody wins by luck: equal schedules have equal shares.
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
PASSES = 9  # a digit each
SHOWN = 12  # rows of a ranking


@dataclass(frozen=True)
class Schedule:
    """Which pass writes each cell, a digit for each; and how likely its words fit together."""

    digits: str
    share: float


@dataclass(eq=False)
class Contest:
    """One game of a class: a world, so many passes at most, and the schedules of those who play."""

    world: str
    oracle: Oracle
    passes: int
    schedules: dict[str, Schedule] = field(default_factory=dict)  # by who made them

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
        return cls(world, oracle, passes)

    @property
    def cells(self) -> int:
        return int(self.oracle.texts.shape[1])

    def answer(self, who: str, value: str) -> str:
        """One schedule each; a later one takes the place of the first. Passes that write nothing are left out."""
        if len(value) != self.cells or not all("1" <= digit <= str(self.passes) for digit in value):
            raise InvalidRequest(
                f"a schedule is {self.cells} digits from 1 to {self.passes}: the pass that writes each cell"
            )
        place = {pass_: str(at) for at, pass_ in enumerate(sorted({*value}), 1)}
        digits = "".join(place[digit] for digit in value)
        self.schedules[who] = Schedule(digits, round(order_probability(self.oracle, turns(digits)), 9))
        return digits

    def place(self, who: str) -> int:
        """From 1 for the best; equal shares stand on one place."""
        share = self.schedules[who].share
        return 1 + sum(other.share > share for other in self.schedules.values())

    def to_dict(self) -> dict[str, Any]:
        """What a class knows while it chooses."""
        row = {"kind": self.kind, "session": "", "at": 0, "answers": len(self.schedules)}
        return row | {"world": self.world, "cells": self.cells, "passes": self.passes}

    def to_revealed_dict(self) -> dict[str, Any]:
        """What was reached, beside the most and the least that there is. Without names: they are for who presents."""
        shares = [schedule.share for schedule in self.schedules.values()]
        ceiling = best(self.oracle)
        return self.to_dict() | {
            "first": max(shares, default=None),
            "best": ceiling and ceiling[self.passes - 1],
            "once": round(order_probability(self.oracle, turns("1" * self.cells)), 9),
        }

    def ranking(self, names: Mapping[str, str]) -> list[dict[str, Any]]:
        """The best, with the names of those who gave one."""
        order = sorted(self.schedules, key=lambda who: -self.schedules[who].share)[:SHOWN]
        rows = [(who, self.schedules[who]) for who in order]
        return [
            {"name": names.get(who, ""), "place": self.place(who), "digits": one.digits, "share": one.share}
            for who, one in rows
        ]


def turns(digits: str) -> list[list[int]]:
    """The cells of each pass."""
    return [[at for at, digit in enumerate(digits) if digit == one] for one in sorted({*digits})]
