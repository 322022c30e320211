"""Log probabilities of the tokens of a prompt, each from the tokens to its left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.decide import get_policy
from unmask.inference.infer import written_logits
from unmask.models import Denoiser
from unmask.models.array_ops import inference_mode, logsumexp, to_numpy
from unmask.models.interface import ModelInput
from unmask.run.spec import RunSpec

Scored = tuple[float, tuple[tuple[int, float], ...]]  # of a token; of the likeliest tokens there, the best first


def scores_prompts(denoiser: Denoiser) -> bool:
    """Whether these are exact: the model writes what greedy decoding from left to right gives."""
    card = denoiser.card
    return card.causal or (card.both and bool(get_policy(RunSpec().settings(card, 1).policy).needs.ahead))


def prompt_logprobs(denoiser: Denoiser, tokens: Sequence[int], candidates: int) -> list[Scored]:
    """For each token its log probability, and the likeliest tokens in its place."""
    row = np.array(tokens, np.int64)
    places = np.arange(len(row))
    with inference_mode(denoiser):
        x = written_logits(denoiser, ModelInput(row, np.zeros(len(row), bool), places, places, causal=True))
        x = to_numpy(x - logsumexp(x))
    best = np.argsort(-x, axis=1, kind="stable")[:, :candidates]
    return [
        (float(x[i, token]), tuple((int(t), float(x[i, t])) for t in best[i])) for i, token in enumerate(row.tolist())
    ]
