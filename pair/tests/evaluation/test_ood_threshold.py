"""With the weights that ship: prompts of their worlds pass, and ordinary questions are caught before the run."""

from pair.evaluation.ood_threshold import CAUGHT, COLLECTED, FALSE_ALARMS, chosen, rates
from unmask.inference.ood import ood_threshold, ood_thresholds
from unmask.models import load


def test_false_alarms_are_rare_and_ordinary_questions_are_caught_on_lists_that_chose_nothing() -> None:
    twin = load("twin")
    most = ood_threshold(twin.card)
    assert most is not None, "python -m pair.evaluation.ood_threshold"
    found = rates(twin, most, ood_thresholds()[twin.card.weights]["shapes"])
    assert found.false_alarms <= FALSE_ALARMS and found.caught >= CAUGHT, found


def test_the_limit_lies_between_both_kinds() -> None:
    assert chosen([1.0, 2.0, 3.0], [9.0, 10.0, 11.0]) > 3
    assert chosen([1.0, 2.0, 3.0], [9.0, 10.0, 11.0]) < 9


def test_the_kinds_that_are_written_badly_are_collected_ones() -> None:
    for found in ood_thresholds().values():
        assert set(found["weak"]) <= set(COLLECTED)
