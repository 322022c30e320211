"""Logits become a belief: a few numbers a cell, and only those leave the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.belief import PROPOSE, Belief, random_draws
from unmask.canvas import NOTHING, Canvas, Floats, Ints
from unmask.decide.constraint import CompiledConstraint
from unmask.errors import ModelError
from unmask.inference.distribution_cache import DistributionCache
from unmask.inference.host_transfer import HostTransfer
from unmask.inference.logit_stats import LogitStats, row_chunks
from unmask.inference.processors import FLOOR, apply_processors, model_processors, sampling_processors
from unmask.inference.query import BeliefQuery, distribution_key
from unmask.models import Denoiser
from unmask.run.constraint_check import compile_constraint
from unmask.run.state import State

if TYPE_CHECKING:
    from torch import Tensor


def reduce(
    denoiser: Denoiser,
    state: State,
    question: BeliefQuery,
    now: Sequence[Tensor],
    before: Sequence[Tensor],
    distribution_cache: DistributionCache,
    cost: int,
) -> Callable[[], Belief]:
    """Shape the logits as the settings say and keep a few numbers a cell; only those leave the device, in one copy.

    All is on its way when this returns, and the belief waits for it when it is called for: what does not depend on the
    device's answer is done before."""
    s, canvas, rows, card = state.settings, state.canvas, question.rows, denoiser.card
    n, length = len(rows), len(canvas)
    place = np.concatenate([rows, question.shadows]) if question.shadows.size else rows
    constraint = compile_constraint(card, denoiser.tokenizer, s)
    shape, heat = model_processors(state, canvas, card, now[1] if now[1:] else None, constraint), state.temperature
    reading, transfer = _logit_stats(denoiser, state, question, now[0].device), HostTransfer(now[0], s.precision)
    # some want the table as a whole; and a device that computes for itself gains nothing by parts
    whole = bool(question.needs.moved or question.shadows.size or now[1:] or s.constraint or denoiser.has_carry)
    carry = None
    for part in row_chunks(n, card.words, whole or now[0].device.type != "cpu"):
        x = apply_processors(shape, now[0] if whole else now[0][part], place if whole else place[part])
        plain = x.softmax(-1)
        if question.shadows.size:
            transfer.put("doubt", _gather_column(plain[n:], canvas.tokens[question.shadows]))
            x, plain = x[:n], plain[:n]
        cut = apply_processors(reading.sampling_processors, x, rows[part])
        if whole:
            carry = denoiser.make_carry(question.model_input, cut)
        if question.needs.moved:
            transfer.put("moved", _kl_moved(denoiser, state, question, plain, before, constraint, distribution_cache))
        reading.collect(transfer, part, x, plain, cut, keep=question.needs.moved)
    transfer.send()

    known = np.zeros(length, bool)
    known[rows] = True
    nothing = _empty(length)
    alike = known / card.words if question.needs.background else nothing
    stale, allowed = denoiser.staleness(question.model_input), _counts(constraint, canvas, rows)

    def belief() -> Belief:
        got = transfer.wait()
        probs, ids = got["probs"], got["ids"]
        token, sure = (got["token"][:, 0], got["sure"][:, 0]) if heat else (ids[:, 0], probs[:, 0])
        top = got["top"][:, 0]
        entropy = top - np.log(probs[:, 0]) - got["mean"]
        if not _all_usable(top, entropy):
            raise ModelError("the model's numbers are not usable: some are NaN, infinite, or leave no token to choose")

        kept = np.where(canvas.open[rows], 0, got["stands"][:, 0]) if question.scores_current else None
        leads = None
        if question.model_input.causal:
            leads = np.where(canvas.behind[rows] == NOTHING, np.nan, got["stands"][:, 1])
        # two tables over all cells, whose columns are views
        words = _scatter(length, rows, ids, NOTHING)
        table = np.empty((n, 3 + probs.shape[1]))
        table[:, 0], table[:, 1], table[:, 3:] = sure, probs[:, 0] - probs[:, 1], probs
        table[:, 2] = np.maximum(entropy, 0)
        numbers = _scatter(length, rows, table)
        return Belief(
            known=known,
            token=_scatter(length, rows, token, NOTHING) if heat else words[:, 0],
            confidence=numbers[:, 0],
            margin=numbers[:, 1],
            entropy=numbers[:, 2],
            top_ids=words,
            top_probs=numbers[:, 3:],
            kept=nothing if kept is None else _scatter(length, rows, kept),
            next_word_probs=nothing if leads is None else _scatter(length, rows, leads, np.nan),
            moved=_scatter(length, rows, got["moved"], np.nan) if question.needs.moved else nothing,
            doubt=_scatter(length, question.shadows, got["doubt"][:, 0], np.nan) if question.shadows.size else nothing,
            background=_scatter(length, rows, got["common"][:, 0]) if "common" in got else alike,
            stale=stale,
            ends=card.ends,
            skips=card.skips,
            forwards=cost,
            carry=carry,
            constraint=constraint,
            allowed=allowed,
        )

    return belief


def _logit_stats(denoiser: Denoiser, state: State, question: BeliefQuery, place: Any) -> LogitStats:
    """What this pass wants to know of each row; what it must bring to the device for that goes as one copy."""
    import torch

    s, canvas, rows = state.settings, state.canvas, question.rows
    draws = stands = None
    wants_stands = question.scores_current or bool(question.shadows.size)
    if state.temperature or wants_stands:
        words = [np.where(canvas.open[rows], 0, canvas.tokens[rows])]
        if question.model_input.causal:
            words.append(np.maximum(canvas.behind[rows], 0))
        sent = torch.from_numpy(np.stack([random_draws(s.seed, state.step, canvas.ids, PROPOSE)[rows], *words])).to(
            place
        )
        draws, stands = sent[0] if state.temperature else None, sent[1:].long().T if wants_stands else None
    common = denoiser.background if question.needs.background else None
    return LogitStats(s.candidates, sampling_processors(state), s.confidence == "shaped", common, draws, stands)


def _all_usable(top: Floats, entropy: Floats) -> bool:
    """Whether all rows are finite and have a token left to choose; one sum tells."""
    return FLOOR / 2 < float(np.add.reduce(top + entropy)) < inf


def _gather_column(table: Tensor, columns: Ints) -> Tensor:
    """One number from each row."""
    import torch

    return table.gather(1, torch.from_numpy(columns)[:, None].to(table.device))


def _counts(constraint: CompiledConstraint | None, canvas: Canvas, rows: Ints) -> Ints:
    """How many words the constraint leaves to each cell."""
    if constraint is None:
        return np.empty(0, np.int64)
    masks = constraint.allowed_tokens(canvas, rows)
    known = {id(mask): int(np.count_nonzero(mask)) for mask in masks if mask is not None}
    counts = [-1 if mask is None else known[id(mask)] for mask in masks]
    return _scatter(len(canvas), rows, np.array(counts, np.int64), -1)  # type: ignore[no-any-return]


@cache
def _empty(length: int) -> Floats:
    return np.broadcast_to(np.nan, length)


def _kl_moved(
    denoiser: Denoiser,
    state: State,
    question: BeliefQuery,
    plain: Tensor,
    before: Sequence[Tensor],
    constraint: CompiledConstraint | None,
    distribution_cache: DistributionCache,
) -> Tensor:
    """KL from the last pass's distribution to this one's, cell by cell; what was never thought about counts as 0."""
    import torch

    card, rows = denoiser.card, question.rows
    if question.before is not None:
        assert state.seen is not None
        then = model_processors(state, state.seen, card, before[1] if before[1:] else None, constraint)
        distribution_cache.put(
            question.key, question.before.rows, apply_processors(then, before[0], question.before.rows).softmax(-1)
        )
    p, eps = plain.double(), 1e-12
    last = torch.zeros_like(p)
    if question.key and (found := distribution_cache.get(question.key)) is not None:
        old, q = found
        both = np.isin(rows, question.wanted)  # not what was only watched then: nobody's answer depends on that
        last[np.flatnonzero(both)] = q[np.searchsorted(old, rows[both])].double()
    distribution_cache.put(distribution_key(state.canvas, state, card), rows, plain)
    return ((p + eps) * (torch.log(p + eps) - torch.log(last + eps))).sum(-1)


def _scatter(length: int, rows: Ints, values: Any, elsewhere: float = 0) -> Any:
    """Values of rows as a row over all cells."""
    full = np.zeros((length, *values.shape[1:]), values.dtype)
    if elsewhere:
        full.fill(elsewhere)
    full[rows] = values
    return full
