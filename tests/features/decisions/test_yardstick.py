"""The yardstick: questions from stories, reliability with intervals, and a threshold for a wanted error."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.errors import InvalidRequest
from unmask.features.decisions.yardstick import cloze, majority, reliability, threshold


def test_a_story_stops_before_the_last_name_that_was_there_before() -> None:
    text = "Story: One day Mia met Tom. Then Tom gave Mia a kite. The kite was red, said Mia."
    found = cloze(text)
    assert found is not None and found.right == "Mia" and found.options == ("Mia", "Tom")
    assert found.state.endswith("The kite was red, said")
    assert cloze("Story: One day Mia was alone. Then Mia slept.") is None
    assert majority([found]) == 1  # both are named twice, and Mia comes first


def test_a_calibrated_model_has_a_small_error_and_an_overconfident_one_a_large_one() -> None:
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.5, 1, 4000)
    right = rng.uniform(0, 1, 4000) < sure
    good = reliability(sure.tolist(), right.tolist())
    assert good.error < 0.03 and sum(one.count for one in good.bins) == 4000
    inside = [one.right.low <= one.sure <= one.right.high for one in good.bins]
    assert sum(inside) >= len(inside) - 1
    bad = reliability([0.99] * 400, [i % 2 == 0 for i in range(400)])
    assert bad.error == pytest.approx(0.49) and bad.bins[0].right.high < 0.6


def test_a_threshold_is_the_lowest_that_keeps_to_the_wanted_error() -> None:
    sure, right = [0.95, 0.9, 0.8, 0.7, 0.6], [True, True, False, True, False]
    gate = threshold(sure, right, 0.25)
    assert gate is not None and (gate.above, gate.answered, gate.wrong.value) == (0.7, 0.8, 0.25)
    strict = threshold(sure, right, 0.0)
    assert strict is not None and strict.above == 0.9
    assert threshold([0.9], [False], 0.1) is None
    for wrong in (lambda: threshold([], [], 0.1), lambda: reliability([1.2], [True]), lambda: reliability([0.5], [])):
        with pytest.raises(InvalidRequest):
            wrong()
