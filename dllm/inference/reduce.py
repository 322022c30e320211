"""Reduction of logits to a belief: a few numbers a cell, computed on the device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.belief import PROPOSE, random_draws
from unmask.canvas import Card, Ints
from unmask.decide.constraint import CompiledConstraint
from unmask.inference.host_transfer import HostTransfer
from unmask.inference.logit_stats import LogitStats, by_chunks
from unmask.inference.memory import DistributionCache
from unmask.inference.pending_belief import PendingBelief, scatter
from unmask.inference.processors import apply_processors, model_processors, sampling_processors
from unmask.inference.query import BeliefQuery, distribution_key
from unmask.inference.rule_reading import allowed_tokens, read_rule, reads_rule
from unmask.models import Denoiser, Table
from unmask.models.array_ops import astype, copy, gather, like, log, on_host, softmax
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
) -> PendingBelief:
    """Processes the logits as the settings say and reduces them to a few numbers a cell, sent to the host in one copy.

    The copy runs when this returns; `PendingBelief.wait` waits for it."""
    s, canvas, rows, card = state.settings, state.canvas, query.rows, denoiser.card
    constraint = compile_constraint(card, denoiser.tokenizer, s)
    rule = None
    if constraint is not None and reads_rule(card, state):
        healed, rule = read_rule(now[0], constraint, state, rows)
        now = [healed, *now[1:]]
    processors = model_processors(state, canvas, card, now[1] if now[1:] else None, constraint)
    stats, transfer = _logit_stats(denoiser, state, query, now[0]), HostTransfer(now[0], s.precision)
    place = np.concatenate([rows, query.shadows]) if query.shadows.size else rows
    carry = None
    whole = query.needs.moved or query.needs.logits
    # some features need the whole table, and a GPU gains nothing from chunks
    if whole or query.shadows.size or now[1:] or s.constraint or denoiser.has_carry or not on_host(now[0]):
        x = apply_processors(processors, now[0], place)
        plain = softmax(x)
        if query.shadows.size:
            n = len(rows)
            transfer.put("doubt", gather(plain[n:], like(plain, canvas.tokens[query.shadows][:, None])))
            x, plain = x[:n], plain[:n]
        cut = apply_processors(stats.sampling_processors, x, rows)
        carry = denoiser.make_carry(query.model_input, cut)
        if query.needs.moved:
            transfer.put("moved", _kl_moved(denoiser, state, query, plain, before, constraint, distribution_cache))
        if query.needs.logits:
            transfer.put("logits", copy(x))  # the statistics are computed in place
        transfer.put_all(stats.collect(slice(0, len(rows)), x, plain, cut, keep=query.needs.moved))
    else:

        def collect(part: slice) -> dict[str, Table]:
            x = apply_processors(processors, now[0][part], place[part])
            plain = softmax(x)
            return stats.collect(part, x, plain, apply_processors(stats.sampling_processors, x, rows[part]))

        for columns in by_chunks(collect, now[0], card.threads):
            transfer.put_all(columns)
    transfer.send()
    allowed = _allowed_counts(card, constraint, state, rows)
    stale = denoiser.staleness(query.model_input)
    return PendingBelief(state, query, card, transfer, cost, stale, allowed, constraint, rule, carry)


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


def _allowed_counts(card: Card, constraint: CompiledConstraint | None, state: State, rows: Ints) -> Ints:
    """The number of tokens that the constraint allows in each cell; -1 where it does not apply."""
    if constraint is None:
        return np.empty(0, np.int64)
    masks = allowed_tokens(constraint, card, state, rows)
    known = {id(mask): int(np.count_nonzero(mask)) for mask in masks if mask is not None}
    counts = [-1 if mask is None else known[id(mask)] for mask in masks]
    return scatter(len(state.canvas), rows, np.array(counts, np.int64), -1)  # type: ignore[no-any-return]


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
