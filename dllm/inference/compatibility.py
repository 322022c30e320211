"""Pairwise compatibility of the tokens about to be written: two confident tokens need not fit together.

Each token is written alone, in one batch, and the change of every other token's probability is measured. The lift
p(b | a) / p(b) is symmetric for a consistent distribution; where it is small, two tokens that are each likely are
unlikely together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.belief import Belief, PairwiseLift
from unmask.canvas import Canvas, Floats, Ints
from unmask.decide import get_policy
from unmask.inference.counterfactual import counterfactual, substitute
from unmask.models import Denoiser
from unmask.run.state import State

CERTAIN = 0.95  # writing a token more certain than this changes the others too little to be worth a forward


def with_pairwise_lift(denoiser: Denoiser, state: State, belief: Belief) -> Belief:
    """The belief, with the pairwise lifts of the tokens it may write next if the policy needs them."""
    policy = get_policy(state.settings.policy)
    if not policy.needs.together:
        return belief
    min_confidence = policy.options(state.settings.options)[policy.needs.together]
    may = state.canvas.open & belief.known & (belief.confidence > min_confidence)
    may[state.bounds[1] :] = False
    cells, tried = np.flatnonzero(may), np.flatnonzero(may & (belief.confidence < CERTAIN))
    if len(cells) < 2 or not len(tried):
        return replace(belief, pairwise_lift=PairwiseLift(tried, np.zeros((len(tried), len(may)))))
    lift = pairwise_effects(denoiser, state, tried, cells, belief.token)
    return replace(belief, pairwise_lift=PairwiseLift(tried, lift), forwards=belief.forwards + 1 + len(tried))


def pairwise_effects(
    denoiser: Denoiser, state: State, tried: Ints, cells: Ints, tokens: Ints, alone: Floats | None = None
) -> Floats:
    """[tried, L] in nats: log p(a token of `cells` | the tried token is written) − log p(that token); NaN elsewhere.

    `tokens` holds one token a cell of the canvas; `alone` is what `log_likelihoods` gives for them, if known."""
    canvases = [substitute(state.canvas, [cell], [int(tokens[cell])]) for cell in tried.tolist()]
    if alone is None:
        canvases.insert(0, state.canvas)
    logp = _token_logp(denoiser, state, canvases, cells, tokens)
    lift: Floats = logp - alone if alone is not None else logp[1:] - logp[:1]
    return lift


def log_likelihoods(denoiser: Denoiser, state: State, cells: Ints, tokens: Ints) -> Floats:
    """[L] in nats: log p(a token of `cells`) on the canvas as it is; NaN elsewhere."""
    found: Floats = _token_logp(denoiser, state, [state.canvas], cells, tokens)[0]
    return found


def parallel_cost(denoiser: Denoiser, state: State, cells: Ints, tokens: Ints) -> float:
    """Cost in nats of writing these tokens in parallel instead of one by one.

    `cells` are in the order of writing, `tokens` their tokens: the sum of each token's own log p, minus the log p of
    the same tokens written one after another. Above 0, the tokens are less likely together than independently."""
    if len(cells) < 2:
        return 0.0
    row = np.zeros(len(state.canvas), np.int64)
    row[cells] = tokens
    canvases = [substitute(state.canvas, cells[:n].tolist(), tokens[:n].tolist()) for n in range(len(cells))]
    logp = _token_logp(denoiser, state, canvases, cells, row)
    alone = logp[0, cells].sum()
    chained = sum(logp[n, cell] for n, cell in enumerate(cells.tolist()))
    return float(alone - chained)


def _token_logp(denoiser: Denoiser, state: State, canvases: Sequence[Canvas], cells: Ints, tokens: Ints) -> Floats:
    """[canvases, L] in nats: log-likelihood of one token a cell, in `cells`."""
    return counterfactual(denoiser, state, canvases, np.maximum(tokens, 0)[:, None], cells)[:, :, 0]
