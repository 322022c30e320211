"""Logits become a belief: a few numbers a cell, and only those leave the device."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dllm.belief import PROPOSE, Belief, luck
from dllm.canvas import NOTHING, Canvas, Floats, Ints
from dllm.decide.constraint import Legal
from dllm.models import Denoiser
from dllm.run.legal import legal
from dllm.run.state import State
from dllm.think.picking import drawn, foremost, largest
from dllm.think.processors import FLOOR, drawing, shaping, through
from dllm.think.questions import Question, known_by
from dllm.think.recall import Recall
from dllm.think.unthinkable import Unthinkable

if TYPE_CHECKING:
    from torch import Tensor


def reduce(
    denoiser: Denoiser,
    state: State,
    question: Question,
    now: Sequence[Tensor],
    before: Sequence[Tensor],
    recall: Recall,
) -> Belief:
    """Shape the logits as the settings say and keep a few numbers a cell; only those leave the device."""
    s, canvas, rows, card = state.settings, state.canvas, question.rows, denoiser.card
    n, length = len(rows), len(canvas)
    place = np.concatenate([rows, question.shadows]) if question.shadows.size else rows
    allows = legal(card, denoiser.speller, s)
    x = through(shaping(state, canvas, card, now[1] if now[1:] else None, allows), now[0], place)
    plain = x.softmax(-1)
    if question.shadows.size:
        x, plain, shadow = x[:n], plain[:n], plain[n:]
    heat = state.temperature
    cuts = drawing(state)
    cut = through(cuts, x, rows)
    shaped = cut.softmax(-1) if cuts else plain
    p, y = (shaped, cut) if s.confidence == "shaped" else (plain, x)

    values, best = largest(p, s.candidates)
    probs = _numbers(values)
    margin = probs[:, 0] - probs[:, 1]
    if np.count_nonzero(margin) < n:
        best = foremost(values, best, y)
    ids = _numbers(best)
    token, sure = ids[:, 0], probs[:, 0]
    if heat:
        draws = luck(s.seed, state.step, canvas.ids, PROPOSE)[rows]
        drew = drawn(shaped, draws)
        token, sure = _numbers(drew), _numbers(p.gather(1, drew[:, None]))[:, 0]
    carry = denoiser.reflect(question.thought, cut)
    # the largest logit, since a maximum over the rows would cost as much as all the rest
    top = _numbers(y.gather(1, best[:, :1]))[:, 0]
    y.mul_(p)  # the logits are spent on their mean: a second table would cost as much as the sum
    wide = top - np.log(probs[:, 0])
    entropy = wide - _numbers(y.sum(-1))
    if not _usable(top, entropy):  # what the model itself forbids may come as minus infinity, and weighs nothing
        entropy = wide - _numbers(y.nansum(-1))
        if not _usable(top, entropy):
            raise Unthinkable("the model's numbers are not usable: some are NaN, infinite, or leave no token to choose")

    known = np.zeros(length, bool)
    known[rows] = True
    moved = doubt = kept = background = _empty(length)
    if question.needs.moved:
        if question.before is not None:
            assert state.seen is not None
            last = through(
                shaping(state, state.seen, card, before[1] if before[1:] else None, allows),
                before[0],
                question.before.rows,
            )
            recall.put(question.key, question.before.rows, last.softmax(-1))
        moved = _spread(
            length, rows, _numbers(_moved(known_by(canvas, state, card), rows, plain, question, recall)), np.nan
        )
    if question.needs.background:
        common = denoiser.background
        background = known / card.words if common is None else _spread(length, rows, _numbers(common)[token])
    if question.needs.rows == "answer":
        stands = np.where(canvas.open[rows], 0, canvas.tokens[rows])
        kept = _spread(length, rows, np.where(canvas.open[rows], 0, _at(plain, stands)))
    if question.shadows.size:
        doubt = _spread(length, question.shadows, _at(shadow, canvas.tokens[question.shadows]), np.nan)
    # two tables over all cells, whose columns are views
    words = _spread(length, rows, ids, NOTHING)
    numbers = np.concatenate([[sure, margin, np.maximum(entropy, 0)], probs.T])
    numbers = _spread(length, rows, numbers.T.astype(float))
    return Belief(
        known=known,
        token=_spread(length, rows, token, NOTHING) if heat else words[:, 0],
        confidence=numbers[:, 0],
        margin=numbers[:, 1],
        entropy=numbers[:, 2],
        top_ids=words,
        top_probs=numbers[:, 3:],
        kept=kept,
        moved=moved,
        doubt=doubt,
        background=background,
        stale=denoiser.staleness(question.thought),
        ends=card.ends,
        carry=carry,
        legal=allows,
        allowed=_counts(allows, canvas, rows),
    )


def _numbers(table: Tensor) -> Any:
    """A few numbers a row, as numpy has them."""
    return (table if table.element_size() > 2 else table.float()).cpu().numpy()  # numpy knows no bfloat16


def _usable(top: Floats, entropy: Floats) -> bool:
    """Whether all rows are finite and have a token left to choose; one sum tells."""
    return bool(FLOOR / 2 < np.add.reduce(top + entropy) < np.inf)


def _at(table: Tensor, columns: Ints) -> Floats:
    """One number from each row."""
    import torch

    found: Floats = _numbers(table.gather(1, torch.from_numpy(columns)[:, None].to(table.device)))[:, 0]
    return found


def _counts(allows: Legal | None, canvas: Canvas, rows: Ints) -> Ints:
    """How many words the constraint leaves to each cell."""
    if allows is None:
        return np.empty(0, np.int64)
    masks = allows.allowed(canvas, rows)
    known = {id(mask): int(np.count_nonzero(mask)) for mask in masks if mask is not None}
    counts = [-1 if mask is None else known[id(mask)] for mask in masks]
    return _spread(len(canvas), rows, np.array(counts, np.int64), -1)  # type: ignore[no-any-return]


@cache
def _empty(length: int) -> Floats:
    return np.broadcast_to(np.nan, length)


def _moved(key: bytes, rows: Ints, plain: Tensor, question: Question, recall: Recall) -> Tensor:
    """KL from the last pass's distribution to this one's, cell by cell; what was never thought about counts as 0."""
    import torch

    p, eps = plain.double(), 1e-12
    last = torch.zeros_like(p)
    if question.key and (found := recall.get(question.key)) is not None:
        then, q = found
        both = np.isin(rows, question.wanted)  # not what was only watched then: nobody's answer depends on that
        last[np.flatnonzero(both)] = q[np.searchsorted(then, rows[both])].double()
    recall.put(key, rows, plain)
    return ((p + eps) * (torch.log(p + eps) - torch.log(last + eps))).sum(-1)


def _spread(length: int, rows: Ints, values: Any, elsewhere: float = 0) -> Any:
    """Values of rows as a row over all cells."""
    full = np.zeros((length, *values.shape[1:]), values.dtype)
    if elsewhere:
        full.fill(elsewhere)
    full[rows] = values
    return full
