"""Preparing a constraint is counted, over all its parts together, and stops when nobody waits for it any more."""

import pytest

from tests.lettered import PIECES
from unmask.decide.constraint import CompiledConstraint
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.budget import MOST_WORK, StepBudget, spend, step_budget
from unmask.errors import InvalidRequest

ALPHABET = Alphabet(PIECES)
PART = {"kind": "regex", "pattern": "(a|b){0,300}c[abc]{0,40}"}


def test_parts_of_one_constraint_are_counted_together() -> None:
    with step_budget() as one:
        CompiledConstraint.compile(PART, ALPHABET, (), (0,))
    with step_budget() as both:
        CompiledConstraint.compile(
            {"kind": "every", "of": [PART, {"kind": "contains", "text": "cab"}]}, ALPHABET, (), (0,)
        )
    assert 0 < one.spent < both.spent < MOST_WORK


def test_what_nobody_waits_for_is_let_go() -> None:
    with step_budget(StepBudget(stopped=True)), pytest.raises(InvalidRequest, match="was cancelled"):
        CompiledConstraint.compile(PART, ALPHABET, (), (0,))


def test_more_than_the_bound_is_refused_by_its_count() -> None:
    with step_budget(), pytest.raises(InvalidRequest, match="too long to prepare"):
        for _ in range(10):
            spend(MOST_WORK // 5)
    spend(MOST_WORK * 2)  # outside of a count nothing is counted
