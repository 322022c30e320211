"""Confident is not compatible: words about to be written, each written alone, and whose belief moves by it.

All in one batch. p(b | a) / p(b) is the same both ways round for beliefs that agree with each other: where it is small,
two words that are each likely are unlikely together."""

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

CERTAIN = 0.95  # what is surer tells the others next to nothing, so it is not tried


def with_pairwise_lift(denoiser: Denoiser, state: State, belief: Belief) -> Belief:
    """The belief, and where its policy asks for it, how the words it may write next suit each other."""
    policy = get_policy(state.settings.policy)
    if not policy.needs.together:
        return belief
    least = policy.options(state.settings.options)[policy.needs.together]
    may = state.canvas.open & belief.known & (belief.confidence > least)
    may[state.bounds[1] :] = False
    cells, tried = np.flatnonzero(may), np.flatnonzero(may & (belief.confidence < CERTAIN))
    if len(cells) < 2 or not len(tried):
        return replace(belief, pairwise_lift=PairwiseLift(tried, np.zeros((len(tried), len(may)))))
    lift = pairwise_effects(denoiser, state, tried, cells, belief.token)
    return replace(belief, pairwise_lift=PairwiseLift(tried, lift), forwards=belief.forwards + 1 + len(tried))


def pairwise_effects(
    denoiser: Denoiser, state: State, tried: Ints, cells: Ints, tokens: Ints, alone: Floats | None = None
) -> Floats:
    """[tried, L] in nats: log p(a word of `cells` | the tried one stands) − log p(that word); NaN elsewhere.

    `tokens` are the words, one a cell of the canvas; `alone` is what `log_likelihoods` gives for them, if known."""
    canvases = [substitute(state.canvas, [cell], [int(tokens[cell])]) for cell in tried.tolist()]
    if alone is None:
        canvases.insert(0, state.canvas)
    logp = _words(denoiser, state, canvases, cells, tokens)
    moved: Floats = logp - alone if alone is not None else logp[1:] - logp[:1]
    return moved


def log_likelihoods(denoiser: Denoiser, state: State, cells: Ints, tokens: Ints) -> Floats:
    """[L] in nats: log p(a word of `cells`) on the canvas as it is; NaN elsewhere."""
    found: Floats = _words(denoiser, state, [state.canvas], cells, tokens)[0]
    return found


def parallel_cost(denoiser: Denoiser, state: State, cells: Ints, tokens: Ints) -> float:
    """Nats paid for writing these words at once: how much likelier they would be if each knew of those before it.

    `cells` are in the order of writing, `tokens` their words: the sum of log p(word) as each was believed, against the
    same words written one by one. Above 0, the words together are less likely than they were each."""
    if len(cells) < 2:
        return 0.0
    row = np.zeros(len(state.canvas), np.int64)
    row[cells] = tokens
    canvases = [substitute(state.canvas, cells[:n].tolist(), tokens[:n].tolist()) for n in range(len(cells))]
    seen = _words(denoiser, state, canvases, cells, row)
    alone = seen[0, cells].sum()
    chained = sum(seen[n, cell] for n, cell in enumerate(cells.tolist()))
    return float(alone - chained)


def _words(denoiser: Denoiser, state: State, canvases: Sequence[Canvas], cells: Ints, tokens: Ints) -> Floats:
    """[canvases, L] in nats: how likely one word a cell is, in `cells`."""
    return counterfactual(denoiser, state, canvases, np.maximum(tokens, 0)[:, None], cells)[:, :, 0]
