"""Preparing a constraint is counted, over all its parts together, and stops when nobody waits for it any more."""

import pytest

from tests.lettered import PIECES
from unmask.decide.constraint import Legal
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.budget import MOST_WORK, Work, counted, spend
from unmask.errors import Refused

ALPHABET = Alphabet(PIECES)
PART = {"kind": "regex", "pattern": "(a|b){0,300}c[abc]{0,40}"}


def test_parts_of_one_constraint_are_counted_together() -> None:
    with counted() as one:
        Legal.of(PART, ALPHABET, (), (0,))
    with counted() as both:
        Legal.of({"kind": "every", "of": [PART, {"kind": "contains", "text": "cab"}]}, ALPHABET, (), (0,))
    assert 0 < one.spent < both.spent < MOST_WORK


def test_what_nobody_waits_for_is_let_go() -> None:
    with counted(Work(stopped=True)), pytest.raises(Refused, match="nobody waits"):
        Legal.of(PART, ALPHABET, (), (0,))


def test_more_than_the_bound_is_refused_by_its_count() -> None:
    with counted(), pytest.raises(Refused, match="too long to prepare"):
        for _ in range(10):
            spend(MOST_WORK // 5)
    spend(MOST_WORK * 2)  # outside of a count nothing is counted
