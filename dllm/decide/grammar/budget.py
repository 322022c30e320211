"""What preparing a constraint may cost: counted, so that every machine refuses the same; and whether anybody waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from unmask.errors import InvalidRequest

MOST_WORK = 2_000_000  # steps of a construction: a second or two
TOO_LONG = "the pattern takes too long to prepare: use fewer or shorter repeats"


@dataclass
class StepBudget:
    """Steps spent on one constraint."""

    spent: int = 0
    stopped: bool = False  # nobody waits for it any more; another thread may say so

    def spend(self, steps: int) -> None:
        self.spent += steps
        if self.stopped:
            raise InvalidRequest("nobody waits for this constraint any more")
        if self.spent > MOST_WORK:
            raise InvalidRequest(TOO_LONG)


_NOW: ContextVar[StepBudget | None] = ContextVar("work", default=None)


def spend(steps: int) -> None:
    """So many steps of what is being prepared."""
    if (work := _NOW.get()) is not None:
        work.spend(steps)


@contextmanager
def step_budget(work: StepBudget | None = None) -> Iterator[StepBudget]:
    """Meanwhile, steps are counted together; inside another count they are counted there."""
    outer = _NOW.get()
    if work is None and outer is not None:
        yield outer
        return
    work = work or StepBudget()
    token = _NOW.set(work)
    try:
        yield work
    finally:
        _NOW.reset(token)
