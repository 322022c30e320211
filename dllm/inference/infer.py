"""From a state to a belief: the only heavy arithmetic. Equal-shaped thoughts share a forward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Floats, Ints
from unmask.inference import memory
from unmask.inference.compatibility import with_pairwise_lift
from unmask.inference.distribution_cache import DistributionCache
from unmask.inference.processors import FLOOR
from unmask.inference.query import batched_logits, build_query
from unmask.inference.reduce import reduce
from unmask.models import Denoiser, ModelInput
from unmask.run.state import State


def infer(
    denoiser: Denoiser,
    states: Sequence[State],
    watched: Sequence[bool] = (),
    distribution_caches: Sequence[DistributionCache] = (),
) -> list[Belief]:
    """What the model believes of each state. Equal-shaped thoughts share a forward; nobody's answer depends on it.

    `watched` says whose cells somebody looks at, so that they are thought about even where the policy does not ask."""
    import torch

    memory.tune_malloc(*memory.SERVING)
    if torch.get_num_threads() != denoiser.card.threads:  # of this thread's products alone
        torch.set_num_threads(denoiser.card.threads)
    watched = watched or [False] * len(states)
    distribution_caches = distribution_caches or [DistributionCache() for _ in states]
    with torch.inference_mode():
        questions = [
            build_query(denoiser.card, s, w, r) for s, w, r in zip(states, watched, distribution_caches, strict=True)
        ]
        half = [1 + (q.without is not None) for q in questions]  # the other half is thought again
        costs = [sum(map(denoiser.forwards_for, q.model_inputs[:n])) for q, n in zip(questions, half, strict=True)]
        answers = iter(batched_logits(denoiser, [t for q in questions for t in q.model_inputs]))
        beliefs = []
        for state, question, distribution_cache, n, cost in zip(
            states, questions, distribution_caches, half, costs, strict=True
        ):
            logits = [next(answers) for _ in question.model_inputs]
            # thinking again what was forgotten is this app's own cost, not the decoder's
            beliefs.append(reduce(denoiser, state, question, logits[:n], logits[n:], distribution_cache, cost))
        # all are on their way before the first is waited for
        return [with_pairwise_lift(denoiser, state, belief()) for state, belief in zip(states, beliefs, strict=True)]


def surprisal(denoiser: Denoiser, model_input: ModelInput, targets: Ints) -> Floats:
    """In nats, how much each row of a thought is surprised by the token that should stand there."""
    import torch

    with torch.inference_mode():
        (logits,) = denoiser.logits([model_input])
        x = logits.float()
        never = [t for t in denoiser.card.never if t < x.shape[1]]
        if never:
            x[:, never] = FLOOR
        wanted = torch.from_numpy(targets).to(x.device)
        nats: Floats = torch.nn.functional.cross_entropy(x, wanted, reduction="none").double().cpu().numpy()
        return nats


def nats(twin: Denoiser, text: str) -> float:
    """The twin's surprise at a text, in nats a token; NaN where there is nothing to read."""
    found = surprises(twin, twin.tokenizer.encode(text)[: twin.card.longest - 1])
    return float(found.mean()) if len(found) else np.nan


def surprises(twin: Denoiser, tokens: list[int]) -> Any:
    """Nats at each token of a text that is read from left to right."""
    row = np.array(tokens, np.int64)
    every = np.arange(len(row))
    model_input = ModelInput(row, np.zeros(len(row), bool), every, every)
    return surprisal(twin, model_input, row)
