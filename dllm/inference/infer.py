"""Inference: states in, beliefs out. All network forwards of a run start here; equal shapes share a forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Floats, Ints
from unmask.inference import memory
from unmask.inference.compatibility import with_pairwise_lift
from unmask.inference.memory import DistributionCache
from unmask.inference.processors import FLOOR
from unmask.inference.query import BeliefQuery, batched_logits, build_query
from unmask.inference.reduce import reduce
from unmask.inference.rule_reading import allowed_tokens
from unmask.models import Denoiser, ModelInput
from unmask.models.array_ops import astype, gather, inference_mode, like, logsumexp, to_numpy
from unmask.run.constraint_check import compile_constraint
from unmask.run.state import State

MOST_NAMED = 128  # tokens that a server can be asked for by name


def infer(
    denoiser: Denoiser,
    states: Sequence[State],
    watched: Sequence[bool] = (),
    distribution_caches: Sequence[DistributionCache] = (),
) -> list[Belief]:
    """The model's belief about each state. States of equal shape share a forward, which changes no result.

    `watched` says which states are on screen: for those, every answer cell is inferred, not only
    the cells that the policy reads."""
    memory.tune_malloc(*memory.SERVING)
    states = [state.inferred for state in states]
    watched = watched or [False] * len(states)
    distribution_caches = distribution_caches or [DistributionCache() for _ in states]
    more = [replace(s, canvas=canvas, ask=(), seen=None, verify=None) for s in states for canvas in s.ask]
    found = _infer(
        denoiser,
        [*states, *more],
        [*watched, *[False] * len(more)],
        [*distribution_caches, *[DistributionCache() for _ in more]],
    )
    others, beliefs = iter(found[len(states) :]), []
    for state, belief in zip(states, found, strict=False):
        mine = tuple(islice(others, len(state.ask)))
        network = belief.network * (1 + len(mine))
        forwards = belief.forwards + sum(other.forwards for other in mine)
        with inference_mode(denoiser):
            belief = with_pairwise_lift(denoiser, state, replace(belief, forwards=forwards, network=network))
        beliefs.append(replace(belief, answers=mine))
    return beliefs


def _infer(
    denoiser: Denoiser,
    states: Sequence[State],
    watched: Sequence[bool],
    distribution_caches: Sequence[DistributionCache],
) -> list[Belief]:
    """The belief about each state, of which none asks about canvases of its own."""
    with inference_mode(denoiser):
        queries = [
            with_named_tokens(denoiser, s, build_query(denoiser.card, s, w, r))
            for s, w, r in zip(states, watched, distribution_caches, strict=True)
        ]
        current = [1 + (q.without is not None) for q in queries]  # inputs about this canvas; the rest are recomputed
        costs = [sum(map(denoiser.forwards_for, q.model_inputs[:n])) for q, n in zip(queries, current, strict=True)]
        tables = iter(batched_logits(denoiser, [t for q in queries for t in q.model_inputs]))
        beliefs = []
        for state, query, distribution_cache, n, cost in zip(
            states, queries, distribution_caches, current, costs, strict=True
        ):
            logits = [next(tables) for _ in query.model_inputs]
            # recomputing an evicted distribution is a cost of this program, not of the decoding method
            beliefs.append(reduce(denoiser, state, query, logits[:n], logits[n:], distribution_cache, cost))
        # all transfers are started before the first is waited for
        found = [pending.wait() for pending in beliefs]
        network = denoiser.network_seconds() if denoiser.remote else 0.0
        return [replace(belief, network=network / len(found)) for belief in found] if network else found


def with_named_tokens(denoiser: Denoiser, state: State, query: BeliefQuery) -> BeliefQuery:
    """The query with the tokens that a rule leaves, where a server sends only the likeliest: those of the cells that
    have the fewest, as many as can be asked for by name."""
    if not denoiser.card.candidates or not state.settings.constraint:
        return query
    constraint = compile_constraint(denoiser.card, denoiser.tokenizer, state.settings)
    assert constraint is not None
    masks = [mask for mask in allowed_tokens(constraint, denoiser.card, state, query.rows) if mask is not None]
    named: dict[int, None] = {}
    for mask in sorted(masks, key=np.count_nonzero):
        wider = named | dict.fromkeys(np.flatnonzero(mask).tolist())
        if len(wider) > MOST_NAMED:
            break
        named = wider
    return replace(query, model_input=replace(query.model_input, named=tuple(named)))


def surprisal(denoiser: Denoiser, model_input: ModelInput, targets: Ints) -> Floats:
    """Negative log-likelihood in nats of a target token at each row of a model input."""
    with inference_mode(denoiser):
        x = written_logits(denoiser, model_input)
        nats: Floats = to_numpy(astype((logsumexp(x) - gather(x, like(x, targets[:, None])))[:, 0], "float64"))
        return nats


def written_logits(denoiser: Denoiser, model_input: ModelInput) -> Any:
    """Logits in float32 at each row of a model input; tokens that are never written have none."""
    (logits,) = denoiser.logits([model_input])
    x = astype(logits, "float32")
    suppressed = [t for t in denoiser.card.never if t < x.shape[1]]
    if suppressed:
        x[:, suppressed] = FLOOR
    return x


def nats(twin: Denoiser, text: str) -> float:
    """The twin's mean surprisal of a text, in nats a token; NaN if the text is empty."""
    found = surprises(twin, twin.tokenizer.encode(text)[: twin.card.longest - 1])
    return float(found.mean()) if len(found) else np.nan


def surprises(twin: Denoiser, tokens: list[int]) -> Any:
    """Surprisal in nats of each token of a text, left to right."""
    row = np.array(tokens, np.int64)
    positions = np.arange(len(row))
    model_input = ModelInput(row, np.zeros(len(row), bool), positions, positions)
    return surprisal(twin, model_input, row)
