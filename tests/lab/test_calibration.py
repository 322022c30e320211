"""The calibration error: nothing for a belief that is right as often as it says, the distance for one that is not."""

import numpy as np
import pytest

from dllm.lab.calibration import error


def test_an_honest_belief_has_no_error() -> None:
    sure = np.repeat(0.75, 4000)
    assert error(sure, np.tile([1.0, 1.0, 1.0, 0.0], 1000)) == pytest.approx(0.0)


def test_an_overconfident_one_is_off_by_what_it_claims_too_much() -> None:
    assert error(np.repeat(0.99, 100), np.tile([1.0, 0.0], 50)) == pytest.approx(0.49)
