"""Reduction of logits to a belief: a few numbers a cell, computed on the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from typing import Any

import numpy as np

from unmask.belief import PROPOSE, Belief, random_draws
from unmask.canvas import NOTHING, Card, Floats, Ints
from unmask.decide.constraint import CompiledConstraint
from unmask.errors import ModelError
from unmask.inference.host_transfer import HostTransfer
from unmask.inference.logit_stats import LogitStats, row_chunks
from unmask.inference.memory import DistributionCache
from unmask.inference.processors import FLOOR, apply_processors, model_processors, sampling_processors
from unmask.inference.query import BeliefQuery, distribution_key
from unmask.inference.rule_reading import allowed_tokens, read_rule, reads_rule
from unmask.models import Denoiser, Table
from unmask.models.array_ops import astype, gather, like, log, on_host, softmax
from unmask.run.constraint_check import compile_constraint
from unmask.run.state import State


def reduce(
    denoiser: Denoiser,
    state: State,
    query: BeliefQuery,
    now: Sequence[Table],
    before: Sequence[Table],
    distribution_cache: DistributionCache,
    cost: int,
) -> Callable[[], Belief]:
    """Processes the logits as the settings say and reduces them to a few numbers a cell, sent to the host in one copy.

    The copy runs when this returns; the returned function waits for it and builds the belief."""
    s, canvas, rows, card = state.settings, state.canvas, query.rows, denoiser.card
    n, length = len(rows), len(canvas)
    place = np.concatenate([rows, query.shadows]) if query.shadows.size else rows
    constraint = compile_constraint(card, denoiser.tokenizer, s)
    reading, rule = constraint is not None and reads_rule(card, state), None
    if constraint is not None and reading:
        healed, rule = read_rule(now[0], constraint, state, rows)
        now = [healed, *now[1:]]
    processors = model_processors(state, canvas, card, now[1] if now[1:] else None, constraint)
    stats, transfer = _logit_stats(denoiser, state, query, now[0]), HostTransfer(now[0], s.precision)
    # some features need the whole table, and a GPU gains nothing from chunks
    whole = bool(query.needs.moved or query.shadows.size or now[1:] or s.constraint or denoiser.has_carry)
    carry = None
    for part in row_chunks(n, card.words, card.threads, whole or not on_host(now[0])):
        x = apply_processors(processors, now[0] if whole else now[0][part], place if whole else place[part])
        plain = softmax(x)
        if query.shadows.size:
            transfer.put("doubt", gather(plain[n:], like(plain, canvas.tokens[query.shadows][:, None])))
            x, plain = x[:n], plain[:n]
        cut = apply_processors(stats.sampling_processors, x, rows[part])
        if whole:
            carry = denoiser.make_carry(query.model_input, cut)
        if query.needs.moved:
            transfer.put("moved", _kl_moved(denoiser, state, query, plain, before, constraint, distribution_cache))
        stats.collect(transfer, part, x, plain, cut, keep=query.needs.moved)
    transfer.send()

    known = np.zeros(length, bool)
    known[rows] = True
    missing = _empty(length)
    uniform = known / card.words if query.needs.background else missing
    stale, allowed = denoiser.staleness(query.model_input), _allowed_counts(card, constraint, state, rows)

    def belief() -> Belief:
        got = transfer.wait()
        probs, ids = got["probs"], got["ids"]
        token, sure = (got["token"][:, 0], got["sure"][:, 0]) if state.temperature else (ids[:, 0], probs[:, 0])
        top = got["top"][:, 0]
        entropy = top - np.log(probs[:, 0]) - got["mean"]
        if not _all_usable(top, entropy):
            raise ModelError(
                "the model's logits are not usable: some are NaN or infinite, or no token is left to choose"
            )

        kept = np.where(canvas.open[rows], 0, got["stands"][:, 0]) if query.scores_current else None
        leads = None
        if query.model_input.causal:
            leads = np.where(canvas.behind[rows] == NOTHING, np.nan, got["stands"][:, 1])
        # the belief's columns are views of these two tables
        words = _scatter(length, rows, ids, NOTHING)
        table = np.empty((n, 3 + probs.shape[1]))
        table[:, 0], table[:, 1], table[:, 3:] = sure, probs[:, 0] - probs[:, 1], probs
        table[:, 2] = np.maximum(entropy, 0)
        numbers = _scatter(length, rows, table)
        return Belief(
            known=known,
            token=_scatter(length, rows, token, NOTHING) if state.temperature else words[:, 0],
            confidence=numbers[:, 0],
            margin=numbers[:, 1],
            entropy=numbers[:, 2],
            top_ids=words,
            top_probs=numbers[:, 3:],
            kept=missing if kept is None else _scatter(length, rows, kept),
            next_word_probs=missing if leads is None else _scatter(length, rows, leads, np.nan),
            moved=_scatter(length, rows, got["moved"], np.nan) if query.needs.moved else missing,
            doubt=_scatter(length, query.shadows, got["doubt"][:, 0], np.nan) if query.shadows.size else missing,
            background=_scatter(length, rows, got["common"][:, 0]) if "common" in got else uniform,
            stale=stale,
            ends=card.ends,
            skips=card.skips,
            forwards=cost,
            carry=carry,
            constraint=constraint,
            allowed=allowed,
            share=_scatter(length, rows, rule.share, np.nan) if rule else missing,
            fit=_scatter(length, rows, rule.fit, np.nan) if rule else missing,
        )

    return belief


def _logit_stats(denoiser: Denoiser, state: State, query: BeliefQuery, logits: Table) -> LogitStats:
    """The statistics this pass needs of each row; their inputs go to the device in one copy."""
    s, canvas, rows = state.settings, state.canvas, query.rows
    draws = stands = None
    wants_stands = query.scores_current or bool(query.shadows.size)
    if state.temperature or wants_stands:
        words = [np.where(canvas.open[rows], 0, canvas.tokens[rows])]
        if query.model_input.causal:
            words.append(np.maximum(canvas.behind[rows], 0))
        sent = like(logits, np.stack([random_draws(s.seed, state.step, canvas.ids, PROPOSE)[rows], *words]))
        draws = sent[0] if state.temperature else None
        stands = astype(sent[1:], "int64").T if wants_stands else None
    common = denoiser.background if query.needs.background else None
    return LogitStats(s.candidates, sampling_processors(state), s.confidence == "shaped", common, draws, stands)


def _all_usable(top: Floats, entropy: Floats) -> bool:
    """Whether all rows are finite and leave a token to choose; checked on one sum."""
    return FLOOR / 2 < float(np.add.reduce(top + entropy)) < inf


def _allowed_counts(card: Card, constraint: CompiledConstraint | None, state: State, rows: Ints) -> Ints:
    """The number of tokens that the constraint allows in each cell; -1 where it does not apply."""
    if constraint is None:
        return np.empty(0, np.int64)
    masks = allowed_tokens(constraint, card, state, rows)
    known = {id(mask): int(np.count_nonzero(mask)) for mask in masks if mask is not None}
    counts = [-1 if mask is None else known[id(mask)] for mask in masks]
    return _scatter(len(state.canvas), rows, np.array(counts, np.int64), -1)  # type: ignore[no-any-return]


@cache
def _empty(length: int) -> Floats:
    return np.broadcast_to(np.nan, length)


def _kl_moved(
    denoiser: Denoiser,
    state: State,
    query: BeliefQuery,
    plain: Table,
    before: Sequence[Table],
    constraint: CompiledConstraint | None,
    distribution_cache: DistributionCache,
) -> Table:
    """KL from the last pass's distribution to this one's, cell by cell; rows without a last distribution count as 0."""
    card, rows = denoiser.card, query.rows
    if query.before is not None:
        assert state.seen is not None
        then = model_processors(state, state.seen, card, before[1] if before[1:] else None, constraint)
        distribution_cache.put(
            query.key, query.before.rows, softmax(apply_processors(then, before[0], query.before.rows))
        )
    p, eps = astype(plain, "float64"), 1e-12
    last = 0 * p
    if query.key and (found := distribution_cache.get(query.key)) is not None:
        old, q = found
        both = np.isin(rows, query.wanted)  # rows that were inferred only for the page must not change the result
        last[np.flatnonzero(both)] = astype(q[np.searchsorted(old, rows[both])], "float64")
    distribution_cache.put(distribution_key(state.canvas, state, card), rows, plain)
    return ((p + eps) * (log(p + eps) - log(last + eps))).sum(-1)


def _scatter(length: int, rows: Ints, values: Any, elsewhere: float = 0) -> Any:
    """Values of some rows spread over all cells, with `elsewhere` in the others."""
    full = np.zeros((length, *values.shape[1:]), values.dtype)
    if elsewhere:
        full.fill(elsewhere)
    full[rows] = values
    return full
