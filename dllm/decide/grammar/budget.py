"""A limit on the work of compiling a constraint, counted in steps so that every machine has the same limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from unmask.decide.pause import may_pause
from unmask.errors import InvalidRequest

MOST_WORK = 2_000_000  # steps to build the automaton: one or two seconds
TOO_LONG = "the pattern takes too long to prepare: use fewer or shorter repeats"


@dataclass
class StepBudget:
    """Counts the steps of compiling one constraint and stops it at the limit."""

    spent: int = 0
    stopped: bool = False  # the request was cancelled; another thread may set it

    def spend(self, steps: int) -> None:
        self.spent += steps
        if self.stopped:
            raise InvalidRequest("the constraint was cancelled: its run has ended")
        if self.spent > MOST_WORK:
            raise InvalidRequest(TOO_LONG)


_CURRENT: ContextVar[StepBudget | None] = ContextVar("step_budget", default=None)


def spend(steps: int) -> None:
    """Count steps against the current budget, if there is one; long work may pause here."""
    may_pause()
    if (budget := _CURRENT.get()) is not None:
        budget.spend(steps)


@contextmanager
def step_budget(budget: StepBudget | None = None) -> Iterator[StepBudget]:
    """A context in which `spend` counts against one budget: this one, that of an outer context, or a new one."""
    outer = _CURRENT.get()
    if budget is None and outer is not None:
        yield outer
        return
    budget = budget or StepBudget()
    token = _CURRENT.set(budget)
    try:
        yield budget
    finally:
        _CURRENT.reset(token)
