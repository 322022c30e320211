"""Calibration: a temperature that was hidden is found again, and confidence then says how often it is right."""

import pytest
import torch

from dllm.train.calibrate import error, fitted


@pytest.mark.parametrize("heat", [0.5, 1.0, 2.0])
def test_a_hidden_temperature_is_found_again(heat: float) -> None:
    torch.manual_seed(0)
    true = 3 * torch.randn(6000, 12)
    target = torch.multinomial(true.softmax(-1), 1)[:, 0]
    found = fitted(true * heat, target)
    assert found == pytest.approx(heat, rel=0.08)
    assert error(true * heat / found, target) < 0.02
    if heat == 2.0:  # too sure
        assert error(true * heat, target) > 0.05
