"""Whether a prompt is of the kind that a model was trained on: how much it surprises the model, beside a limit that
was found for its weights (`python -m unmask.pair.evaluation.ood_threshold`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import Card
from unmask.canvas.text import BLANK
from unmask.inference.infer import surprisal
from unmask.models import Denoiser, ModelInput

FILE = Path(__file__).resolve().parents[2] / "assets" / "models" / "familiar.json"
LONGEST = 96  # tokens that are read
PARTS = 4  # a model that sees both sides reads in so many forwards, every fourth token hidden in each


def text_before_blank(text: str) -> str:
    """What stands before the first blank: all of it where there is none."""
    blank = BLANK.search(text)
    return (text[: blank.start()] if blank else text).rstrip()


def prompt_surprisal(denoiser: Denoiser, text: str) -> float | None:
    """How much a prompt surprises a model, in nats: half is the first token's surprise, half the mean of the others'.

    The texts of our worlds say at once of what kind they are, so a beginning counts as much as all that follows,
    however long that is. None where there is no figure: the prompt is empty, or the model reads noise."""
    row = np.array(
        denoiser.tokenizer.encode(text_before_blank(text))[: min(LONGEST, denoiser.card.longest - 1)], np.int64
    )
    if not len(row) or denoiser.card.noise:
        return None
    nats = _read(denoiser, row)
    return float((nats[0] + nats[1:].mean()) / 2 if len(row) > 1 else nats[0])


def _read(denoiser: Denoiser, row: Any) -> Any:
    every = np.arange(len(row))
    if denoiser.card.causal or denoiser.card.both:  # from left to right, in one forward
        model_input = ModelInput(row, np.zeros(len(row), bool), every, every, causal=not denoiser.card.causal)
        return surprisal(denoiser, model_input, row)
    nats = np.zeros(len(row))
    for part in range(min(PARTS, len(row))):
        hidden = every % PARTS == part
        nats[hidden] = surprisal(denoiser, ModelInput(row, hidden, np.flatnonzero(hidden), every), row[hidden])
    return nats


@cache
def ood_thresholds() -> Mapping[str, Mapping[str, Any]]:
    """What was found for each set of weights, by their hash."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def ood_threshold(card: Card) -> float | None:
    """Above this, a prompt is of another kind than the model knows; None where nobody has measured."""
    return ood_thresholds().get(card.weights, {}).get("limit")
