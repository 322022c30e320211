"""From a state to a belief: the only heavy arithmetic. Equal-shaped thoughts share a forward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Floats, Ints
from unmask.inference import memory
from unmask.inference.compatibility import together
from unmask.inference.distribution_cache import Recall
from unmask.inference.processors import FLOOR
from unmask.inference.query import answer, ask
from unmask.inference.reduce import reduce
from unmask.models import Denoiser, Thought
from unmask.run.state import State


def think(
    denoiser: Denoiser,
    states: Sequence[State],
    watched: Sequence[bool] = (),
    recalls: Sequence[Recall] = (),
) -> list[Belief]:
    """What the model believes of each state. Equal-shaped thoughts share a forward; nobody's answer depends on it.

    `watched` says whose cells somebody looks at, so that they are thought about even where the policy does not ask."""
    import torch

    memory.keep(*memory.SERVING)
    if torch.get_num_threads() != denoiser.card.threads:  # of this thread's products alone
        torch.set_num_threads(denoiser.card.threads)
    watched = watched or [False] * len(states)
    recalls = recalls or [Recall() for _ in states]
    with torch.inference_mode():
        questions = [ask(denoiser.card, s, w, r) for s, w, r in zip(states, watched, recalls, strict=True)]
        half = [1 + (q.without is not None) for q in questions]  # the other half is thought again
        costs = [sum(map(denoiser.cost, q.thoughts[:n])) for q, n in zip(questions, half, strict=True)]
        answers = iter(answer(denoiser, [t for q in questions for t in q.thoughts]))
        beliefs = []
        for state, question, recall, n, cost in zip(states, questions, recalls, half, costs, strict=True):
            logits = [next(answers) for _ in question.thoughts]
            # thinking again what was forgotten is this app's own cost, not the decoder's
            beliefs.append(reduce(denoiser, state, question, logits[:n], logits[n:], recall, cost))
        # all are on their way before the first is waited for
        return [together(denoiser, state, belief()) for state, belief in zip(states, beliefs, strict=True)]


def surprise(denoiser: Denoiser, thought: Thought, targets: Ints) -> Floats:
    """In nats, how much each row of a thought is surprised by the token that should stand there."""
    import torch

    with torch.inference_mode():
        (logits,) = denoiser.logits([thought])
        x = logits.float()
        never = [t for t in denoiser.card.never if t < x.shape[1]]
        if never:
            x[:, never] = FLOOR
        wanted = torch.from_numpy(targets).to(x.device)
        nats: Floats = torch.nn.functional.cross_entropy(x, wanted, reduction="none").double().cpu().numpy()
        return nats


def nats(twin: Denoiser, text: str) -> float:
    """The twin's surprise at a text, in nats a token; NaN where there is nothing to read."""
    found = surprises(twin, twin.speller.encode(text)[: twin.card.longest - 1])
    return float(found.mean()) if len(found) else np.nan


def surprises(twin: Denoiser, tokens: list[int]) -> Any:
    """Nats at each token of a text that is read from left to right."""
    row = np.array(tokens, np.int64)
    every = np.arange(len(row))
    thought = Thought(row, np.zeros(len(row), bool), every, every)
    return surprise(twin, thought, row)
