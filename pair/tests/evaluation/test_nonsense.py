"""The limit above which a text is said to make little sense, on graded texts that did not choose it."""

import pytest

from pair.evaluation.nonsense import CAUGHT, FALSE_ALARMS, graded, rates
from unmask.inference.nonsense import limits
from unmask.models import load
from unmask.pair.worlds import strict


def test_there_are_a_hundred_good_texts_and_fifty_broken_ones_in_two_halves() -> None:
    halves = [graded("choose"), graded("test")]
    assert not {row.prompt for row in halves[0]} & {row.prompt for row in halves[1]}
    for rows in halves:
        grades = [row.grade for row in rows]
        assert grades.count("good") >= 50 and grades.count("broken") >= 25
        for row in rows:
            assert strict(row.prompt, row.prompt + row.text).strict is (row.grade == "good"), row.prompt


@pytest.mark.slow
@pytest.mark.parametrize("name", ["denoiser", "twin"])
def test_broken_texts_are_told_and_good_ones_are_not(name: str) -> None:
    denoiser = load(name)
    found = rates(denoiser, limits()[denoiser.card.weights]["limit"])
    assert found.caught >= CAUGHT and found.false_alarms <= FALSE_ALARMS, found
