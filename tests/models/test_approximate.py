"""The window of an approximate cache: nothing is copied at a pass but what is new; another window is thought again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tests.models.forge import Forged
from unmask.models import load
from unmask.models.hub.approximate import Around
from unmask.models.interface import ModelInput

Forge = Callable[[str], Forged]


def model_input(tokens: np.ndarray, still_open: np.ndarray, block: tuple[int, int], carry: Any) -> ModelInput:
    inside = (np.arange(len(tokens)) >= block[0]) & (np.arange(len(tokens)) < block[1])
    return ModelInput(
        tokens, still_open, np.flatnonzero(still_open & inside), np.arange(len(tokens)), None, 8, carry, block
    )


@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0"])
def test_keys_and_values_are_written_in_place(forged: Forge, name: str) -> None:
    denoiser: Any = load(str(forged(name).folder), number="fp32", device="cpu", cache="dual", engine="transformers")
    tokens, still_open = np.arange(3, 35), np.arange(32) >= 8
    first = model_input(tokens, still_open, (8, 16), None)
    carry = denoiser.make_carry(first, denoiser.logits([first])[0])
    places, answers = [], []
    for cell in (9, 10, 9):
        now = np.where(np.arange(32) == cell, False, still_open)
        answers.append(denoiser.logits([model_input(tokens, now, (8, 16), carry)])[0])
        kept = list(denoiser.kept.values())[-1]  # the first are of the self-test
        assert isinstance(kept, Around)
        places.append([layer.keys.data_ptr() for layer in kept.past.layers])
    assert places[0] == places[1] == places[2]
    assert torch.equal(answers[0], answers[2]) and not torch.equal(answers[0], answers[1])
    forwards = denoiser.forwards
    fresh: Any = load(str(forged(name).folder), number="fp32", device="cpu", cache="dual", engine="transformers")
    again = np.where(np.arange(32) == 9, False, still_open)
    # from a cache that was lost
    assert torch.equal(fresh.logits([model_input(tokens, again, (8, 16), carry)])[0], answers[0])
    assert denoiser.forwards == forwards
