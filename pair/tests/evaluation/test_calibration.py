"""The calibration error: nothing for a belief that is right as often as it says, the distance for one that is not."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from pair.evaluation import calibration
from pair.evaluation.calibration import fitted
from unmask.canvas import blank
from unmask.inference import processors
from unmask.models import load
from unmask.pair.eval.calibration import error


def test_an_honest_belief_has_no_error() -> None:
    sure = np.repeat(0.75, 4000)
    assert error(sure, np.tile([1.0, 1.0, 1.0, 0.0], 1000)) == pytest.approx(0.0)


def test_an_overconfident_one_is_off_by_what_it_claims_too_much() -> None:
    assert error(np.repeat(0.99, 100), np.tile([1.0, 0.0], 50)) == pytest.approx(0.49)


@pytest.mark.parametrize("heat", [0.8, 1.25])
def test_a_hidden_temperature_is_found_again(heat: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    true = 3 * rng.standard_normal((6000, 12))
    shares = np.exp(true) / np.exp(true).sum(1, keepdims=True)
    target = np.array([rng.choice(12, p=row) for row in shares])

    def beliefs(denoiser: Any, documents: Any, hidden: float) -> Any:
        logits = true * heat / denoiser.card.calibration[0]
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        return p.max(1), (p.argmax(1) == target).astype(float)

    monkeypatch.setattr(calibration, "beliefs", beliefs)
    toy = load("toy")
    toy.card = replace(toy.card, calibration=())
    found, unsure = fitted(toy, [])
    assert len(found) == calibration.STEPS + 1 and all(f == pytest.approx(heat, abs=0.11) for f in found)
    assert toy.card.calibration == () and toy.card.hesitant == 0
    assert unsure in calibration.UNSURE


def test_cells_without_a_guess_have_a_temperature_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that is too sure where it has a guess and too modest where it has none is mended by no one number."""
    rng = np.random.default_rng(1)
    true = np.r_[5 * rng.standard_normal((1500, 12)), 0.8 * rng.standard_normal((1500, 12))]
    shares = np.exp(true) / np.exp(true).sum(1, keepdims=True)
    target = np.array([rng.choice(12, p=row) for row in shares])
    logits = np.r_[1.5 * true[:1500], 0.8 * true[1500:]]

    def beliefs(denoiser: Any, documents: Any, hidden: float) -> Any:
        processor = processors._calibration(denoiser.card, blank([[1], 3]))
        p = processor.apply(torch.from_numpy(logits.copy()), np.arange(0)).softmax(-1).numpy()
        return p.max(1), (p.argmax(1) == target).astype(float)

    monkeypatch.setattr(calibration, "beliefs", beliefs)
    toy = load("toy")
    found, unsure = fitted(toy, [])
    one = min(error(*beliefs(card_of(heat, 0.0), [], 1.0)) for heat in calibration.HEATS)
    assert error(*beliefs(card_of(found[-1], unsure), [], 1.0)) < 0.7 * one


def card_of(heat: float, unsure: float) -> Any:
    toy = load("toy")
    toy.card = replace(toy.card, calibration=(heat,), hesitant=unsure)
    return toy
