"""Logits become a belief: a few numbers a cell, and only those leave the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.belief import PROPOSE, Belief, luck
from unmask.canvas import NOTHING, Canvas, Floats, Ints
from unmask.decide.constraint import Legal
from unmask.errors import Unthinkable
from unmask.inference.distribution_cache import Recall
from unmask.inference.host_transfer import Parcel
from unmask.inference.logit_stats import Reading, stretches
from unmask.inference.processors import FLOOR, drawing, shaping, through
from unmask.inference.query import Question, known_by
from unmask.models import Denoiser
from unmask.run.constraint_check import legal
from unmask.run.state import State

if TYPE_CHECKING:
    from torch import Tensor


def reduce(
    denoiser: Denoiser,
    state: State,
    question: Question,
    now: Sequence[Tensor],
    before: Sequence[Tensor],
    recall: Recall,
    cost: int,
) -> Callable[[], Belief]:
    """Shape the logits as the settings say and keep a few numbers a cell; only those leave the device, in one copy.

    All is on its way when this returns, and the belief waits for it when it is called for: what does not depend on the
    device's answer is done before."""
    s, canvas, rows, card = state.settings, state.canvas, question.rows, denoiser.card
    n, length = len(rows), len(canvas)
    place = np.concatenate([rows, question.shadows]) if question.shadows.size else rows
    allows = legal(card, denoiser.speller, s)
    shape, heat = shaping(state, canvas, card, now[1] if now[1:] else None, allows), state.temperature
    reading, parcel = _reading(denoiser, state, question, now[0].device), Parcel(now[0], s.precision)
    # some want the table as a whole; and a device that computes for itself gains nothing by parts
    whole = bool(question.needs.moved or question.shadows.size or now[1:] or s.constraint or denoiser.reflects)
    carry = None
    for part in stretches(n, card.words, whole or now[0].device.type != "cpu"):
        x = through(shape, now[0] if whole else now[0][part], place if whole else place[part])
        plain = x.softmax(-1)
        if question.shadows.size:
            parcel.put("doubt", _at(plain[n:], canvas.tokens[question.shadows]))
            x, plain = x[:n], plain[:n]
        cut = through(reading.cuts, x, rows[part])
        if whole:
            carry = denoiser.reflect(question.thought, cut)
        if question.needs.moved:
            parcel.put("moved", _moved(denoiser, state, question, plain, before, allows, recall))
        reading.read(parcel, part, x, plain, cut, keep=question.needs.moved)
    parcel.send()

    known = np.zeros(length, bool)
    known[rows] = True
    nothing = _empty(length)
    alike = known / card.words if question.needs.background else nothing
    stale, allowed = denoiser.staleness(question.thought), _counts(allows, canvas, rows)

    def belief() -> Belief:
        got = parcel.fetched()
        probs, ids = got["probs"], got["ids"]
        token, sure = (got["token"][:, 0], got["sure"][:, 0]) if heat else (ids[:, 0], probs[:, 0])
        top = got["top"][:, 0]
        entropy = top - np.log(probs[:, 0]) - got["mean"]
        if not _usable(top, entropy):
            raise Unthinkable("the model's numbers are not usable: some are NaN, infinite, or leave no token to choose")

        kept = np.where(canvas.open[rows], 0, got["stands"][:, 0]) if question.stands else None
        leads = None
        if question.thought.onward:
            leads = np.where(canvas.behind[rows] == NOTHING, np.nan, got["stands"][:, 1])
        # two tables over all cells, whose columns are views
        words = _spread(length, rows, ids, NOTHING)
        table = np.empty((n, 3 + probs.shape[1]))
        table[:, 0], table[:, 1], table[:, 3:] = sure, probs[:, 0] - probs[:, 1], probs
        table[:, 2] = np.maximum(entropy, 0)
        numbers = _spread(length, rows, table)
        return Belief(
            known=known,
            token=_spread(length, rows, token, NOTHING) if heat else words[:, 0],
            confidence=numbers[:, 0],
            margin=numbers[:, 1],
            entropy=numbers[:, 2],
            top_ids=words,
            top_probs=numbers[:, 3:],
            kept=nothing if kept is None else _spread(length, rows, kept),
            leads=nothing if leads is None else _spread(length, rows, leads, np.nan),
            moved=_spread(length, rows, got["moved"], np.nan) if question.needs.moved else nothing,
            doubt=_spread(length, question.shadows, got["doubt"][:, 0], np.nan) if question.shadows.size else nothing,
            background=_spread(length, rows, got["common"][:, 0]) if "common" in got else alike,
            stale=stale,
            ends=card.ends,
            skips=card.skips,
            cost=cost,
            carry=carry,
            legal=allows,
            allowed=allowed,
        )

    return belief


def _reading(denoiser: Denoiser, state: State, question: Question, place: Any) -> Reading:
    """What this pass wants to know of each row; what it must bring to the device for that goes as one copy."""
    import torch

    s, canvas, rows = state.settings, state.canvas, question.rows
    draws = stands = None
    wants_stands = question.stands or bool(question.shadows.size)
    if state.temperature or wants_stands:
        words = [np.where(canvas.open[rows], 0, canvas.tokens[rows])]
        if question.thought.onward:
            words.append(np.maximum(canvas.behind[rows], 0))
        sent = torch.from_numpy(np.stack([luck(s.seed, state.step, canvas.ids, PROPOSE)[rows], *words])).to(place)
        draws, stands = sent[0] if state.temperature else None, sent[1:].long().T if wants_stands else None
    common = denoiser.background if question.needs.background else None
    return Reading(s.candidates, drawing(state), s.confidence == "shaped", common, draws, stands)


def _usable(top: Floats, entropy: Floats) -> bool:
    """Whether all rows are finite and have a token left to choose; one sum tells."""
    return FLOOR / 2 < float(np.add.reduce(top + entropy)) < inf


def _at(table: Tensor, columns: Ints) -> Tensor:
    """One number from each row."""
    import torch

    return table.gather(1, torch.from_numpy(columns)[:, None].to(table.device))


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


def _moved(
    denoiser: Denoiser,
    state: State,
    question: Question,
    plain: Tensor,
    before: Sequence[Tensor],
    allows: Legal | None,
    recall: Recall,
) -> Tensor:
    """KL from the last pass's distribution to this one's, cell by cell; what was never thought about counts as 0."""
    import torch

    card, rows = denoiser.card, question.rows
    if question.before is not None:
        assert state.seen is not None
        then = shaping(state, state.seen, card, before[1] if before[1:] else None, allows)
        recall.put(question.key, question.before.rows, through(then, before[0], question.before.rows).softmax(-1))
    p, eps = plain.double(), 1e-12
    last = torch.zeros_like(p)
    if question.key and (found := recall.get(question.key)) is not None:
        old, q = found
        both = np.isin(rows, question.wanted)  # not what was only watched then: nobody's answer depends on that
        last[np.flatnonzero(both)] = q[np.searchsorted(old, rows[both])].double()
    recall.put(known_by(state.canvas, state, card), rows, plain)
    return ((p + eps) * (torch.log(p + eps) - torch.log(last + eps))).sum(-1)


def _spread(length: int, rows: Ints, values: Any, elsewhere: float = 0) -> Any:
    """Values of rows as a row over all cells."""
    full = np.zeros((length, *values.shape[1:]), values.dtype)
    if elsewhere:
        full.fill(elsewhere)
    full[rows] = values
    return full
