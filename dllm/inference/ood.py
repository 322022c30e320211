"""Out-of-distribution prompts: a prompt's surprisal under a model, and the threshold measured for its weights
(`python -m pair.evaluation.ood_threshold`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from unmask.canvas import Card
from unmask.canvas.text import BLANK
from unmask.inference.infer import surprisal
from unmask.models import Denoiser, ModelInput
from unmask.paths import ASSETS

FILE = ASSETS / "models" / "familiar.json"
MAX_TOKENS = 96  # of the prompt
MAX_CHARS = 2000  # of the prompt, before it is split into tokens
PARTS = 4  # forwards for a bidirectional model: each masks every fourth token


def text_before_blank(text: str) -> str:
    """The text before its first blank, or all of it if there is none."""
    blank = BLANK.search(text)
    return (text[: blank.start()] if blank else text).rstrip()


def prompt_surprisal(denoiser: Denoiser, text: str) -> float | None:
    """A prompt's surprisal in nats: the mean of the first token's surprisal and the average of all others.

    The first token of our training texts already tells their kind, so it weighs as much as all the rest, however
    long that is. None for an empty prompt, and for a model of uniform noise."""
    row = np.array(
        denoiser.tokenizer.encode(text_before_blank(text[:MAX_CHARS]))[: min(MAX_TOKENS, denoiser.card.longest - 1)],
        np.int64,
    )
    if not len(row) or denoiser.card.noise:
        return None
    nats = _token_surprisal(denoiser, row)
    return float((nats[0] + nats[1:].mean()) / 2 if len(row) > 1 else nats[0])


def _token_surprisal(denoiser: Denoiser, row: Any) -> Any:
    """Surprisal in nats of each token of a row."""
    positions = np.arange(len(row))
    if denoiser.card.causal or denoiser.card.both:  # from left to right, in one forward
        model_input = ModelInput(row, np.zeros(len(row), bool), positions, positions, causal=not denoiser.card.causal)
        return surprisal(denoiser, model_input, row)
    nats = np.zeros(len(row))
    for part in range(min(PARTS, len(row))):
        masked = positions % PARTS == part
        nats[masked] = surprisal(denoiser, ModelInput(row, masked, np.flatnonzero(masked), positions), row[masked])
    return nats


@cache
def ood_thresholds() -> Mapping[str, Mapping[str, Any]]:
    """The measured thresholds, by the hash of the weights."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def ood_threshold(card: Card) -> float | None:
    """The surprisal above which a prompt is out of distribution; None if these weights were not measured."""
    return ood_thresholds().get(card.weights, {}).get("limit")


def weak_kind(card: Card, prompt: str) -> str:
    """The title that a prompt begins with, if these weights write few texts of that kind well; empty for any other."""
    title, colon, _ = prompt.lstrip().partition(":")
    title = title.capitalize()
    return title if colon and title in ood_thresholds().get(card.weights, {}).get("weak", ()) else ""


def has_known_title(card: Card, prompt: str) -> bool:
    """Whether a prompt begins with a title of the training texts and a colon, or is such a title; True where nothing
    stands before a blank. The title alone decides: “Sort these: 9 4 7 1” surprises no model that knows “Sort:”."""
    text = text_before_blank(prompt).strip()
    return text in card.titles or card.starts_like_training(text)


def unfamiliar_note(denoiser: Denoiser, prompt: str) -> str:
    """A sentence for a prompt that is out of distribution or of a kind that is written badly; empty for any other."""
    if title := weak_kind(denoiser.card, prompt):
        return f"The model writes few texts well that begin with “{title}:”: the answer may make no sense."
    if (limit := ood_threshold(denoiser.card)) is None:
        return ""
    if has_known_title(denoiser.card, prompt):
        found = prompt_surprisal(denoiser, prompt)
        if found is None or found <= limit:
            return ""
    return f"This prompt is unlike the model's training texts ({denoiser.card.knows}): the answer may make no sense."
