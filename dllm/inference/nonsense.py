"""Texts that make no sense: how much they surprise the model that wrote them, read from left to right, and the limit
measured for its weights (`python -m pair.evaluation.nonsense`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from unmask.canvas import Card
from unmask.inference.infer import surprisal
from unmask.inference.offers import offers
from unmask.models import Denoiser, ModelInput
from unmask.paths import ASSETS
from unmask.run.settled import settled_cells
from unmask.run.state import State
from unmask.run.stats import text_cells

FILE = ASSETS / "models" / "nonsense.json"
WINDOW = 32  # tokens of a stretch: fewer say too little
POLICIES = ("proofread", "left_to_right")  # others write good texts that surprise a reader from the left
NOTE = "This text makes little sense: the model was guessing."


@cache
def limits() -> Mapping[str, Mapping[str, Any]]:
    """The measured limits, by the hash of the weights."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def surprise(denoiser: Denoiser, tokens: Sequence[int], given: int) -> float:
    """The mean surprisal, in nats a token, of the most surprising stretch behind what is given; 0 where it is short."""
    row = np.array(tokens[: denoiser.card.longest - 1], np.int64)
    if len(row) - given < WINDOW:
        return 0.0
    positions = np.arange(len(row))
    model_input = ModelInput(row, np.zeros(len(row), bool), positions, positions, causal=not denoiser.card.causal)
    nats = surprisal(denoiser, model_input, row)[given:]
    return float(np.convolve(nats, np.full(WINDOW, 1 / WINDOW), "valid").max())


def text_surprise(denoiser: Denoiser, prompt: str, text: str) -> float:
    encode = denoiser.tokenizer.encode
    return surprise(denoiser, encode(prompt + text), len(encode(prompt)))


def is_readable(card: Card, state: State) -> bool:
    """Whether a limit was measured for such texts: the likeliest words from the prompt on, read from left to right as
    they were written or before they were kept, and no rule for them."""
    canvas, settings = state.canvas, state.settings
    drawn = settings.temperature or settings.temperature_end or any(settings.heats)  # a drawn word may surprise
    likeliest = settings.policy in POLICIES and not drawn and not settings.constraint
    return card.weights in limits() and likeliest and not canvas.given[canvas.origin :].any()


def is_too_surprising(card: Card, nats: float) -> bool:
    """Whether a text of these weights surprises them too much to make sense; never where nothing was measured."""
    return card.weights in limits() and nats > limits()[card.weights]["limit"]


def settled_tokens(card: Card, state: State) -> list[int]:
    """The answer as far as no later pass changes it: a draft that is still to be read says nothing."""
    cells = text_cells(state.canvas, card)
    if not state.done:
        cells[settled_cells(state, card) :] = False
    return list(map(int, state.canvas.tokens[cells]))


def is_nonsense_so_far(denoiser: Denoiser, state: State) -> bool:
    """Whether what is final of a run makes little sense."""
    given = list(map(int, state.canvas.tokens[: state.canvas.origin]))
    tokens = given + settled_tokens(denoiser.card, state)
    return is_too_surprising(denoiser.card, surprise(denoiser, tokens, len(given)))


def prompt_of(denoiser: Denoiser, state: State) -> str:
    return denoiser.tokenizer.decode(state.canvas.tokens[: state.canvas.origin].tolist())


def nonsense_note(denoiser: Denoiser, state: State, text: str) -> str:
    """A sentence for an answer to the prompt of a state that makes little sense, with a prompt that works better."""
    prompt = prompt_of(denoiser, state)
    readable = is_readable(denoiser.card, state)
    if not readable or not is_too_surprising(denoiser.card, text_surprise(denoiser, prompt, text)):
        return ""
    instead = next((offer.prompt.strip() for offer in offers(denoiser.card, prompt)), "")
    return f"{NOTE} A prompt that works better: {instead}" if instead else NOTE
