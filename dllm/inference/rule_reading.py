"""What a reader from the left makes of a rule: how much of its prediction is left, and where a word would fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.canvas import Bools, Canvas, Card, Floats, Ints
from unmask.decide.constraint import CompiledConstraint
from unmask.models import Table
from unmask.models.array_ops import astype, like, to_numpy
from unmask.run.state import State

UNLIKELY = -1e4  # a logit
NESTED = 8  # how often a token is shortened to one that it begins with


@dataclass(frozen=True, eq=False)
class RuleReading:
    """For each row, as the model predicts it without the rule."""

    share: Floats  # the probability of all tokens that the rule allows
    fit: Floats  # the probability of the wanted text's first token, over that of the likeliest token


def reads_rule(card: Card, state: State) -> bool:
    """Whether this pass reads from the left under a rule."""
    return bool(state.settings.constraint) and (card.causal or state.verify is not None)


def ends_freely(state: State) -> bool:
    """Whether an EOS token may be written anywhere, as far as the settings are concerned."""
    return state.settings.end != "forbid" and not state.settings.end_after


def allowed_tokens(constraint: CompiledConstraint, card: Card, state: State, cells: Ints) -> list[Bools | None]:
    """For each of these cells, the tokens that the rule allows in this pass; None for a cell outside the rule."""
    return constraint.allowed_tokens(state.canvas, cells, reads_rule(card, state), ends_freely(state))


def read_rule(logits: Table, constraint: CompiledConstraint, state: State, cells: Ints) -> tuple[Table, RuleReading]:
    """The logits with the probability of forbidden tokens moved to those that they begin with, and the reading. What
    programs read ends as soon as it can: no blanks follow it."""
    masks = constraint.allowed_tokens(state.canvas, cells, reading=True, as_text=ends_freely(state))
    x = to_numpy(astype(logits, "float32"))
    top = x.max(-1, keepdims=True)
    chance = np.exp(x - top)
    share, healed = _heal(chance, masks, constraint.alphabet.healed)
    fit, missing = np.zeros(len(x)), constraint.missing(state.canvas, int(cells.min(initial=len(state.canvas))))
    if missing:
        fit = chance[:, missing[0]].astype(float)
    x = np.where(healed > chance, np.log(np.maximum(healed, 1e-30)) + top, x)
    ends = constraint.language.ends
    if constraint.structure and ends:
        done = [mask is not None and bool(mask[ends].any()) for mask in masks]
        x[np.ix_(np.flatnonzero(done), constraint.alphabet.blanks)] = UNLIKELY
    return astype(like(logits, x), str(logits.dtype).removeprefix("torch.")), RuleReading(share, fit)


def allowed_share(chance: Floats, constraint: CompiledConstraint, canvas: Canvas, cells: Ints) -> Floats:
    """The share of each cell's prediction, read from the left, that a rule allows."""
    masks = constraint.allowed_tokens(canvas, cells, reading=True, as_text=True)
    return _heal(chance, masks, constraint.alphabet.healed)[0]


def _heal(chance: Floats, masks: Sequence[Bools | None], healed: Ints) -> tuple[Floats, Floats]:
    """The share of each row that is allowed, and the chances once forbidden tokens have given theirs away."""
    n, words = chance.shape
    forbidden = np.zeros((n, words), bool)
    for row, mask in zip(forbidden, masks, strict=True):
        if mask is not None:
            row[: len(mask)] = ~mask
    tokens = np.flatnonzero(healed >= 0)
    moving = np.where(forbidden, chance, 0)
    result = chance - moving
    for _ in range(NESTED):
        if not moving[:, tokens].any():
            break
        arrived = np.zeros_like(chance)
        np.add.at(arrived.T, healed[tokens], moving[:, tokens].T)
        result += np.where(forbidden, 0, arrived)
        moving = np.where(forbidden, arrived, 0)
    share: Floats = (result.sum(-1) / chance.sum(-1)).astype(float)
    return share, np.where(forbidden, chance, result)
