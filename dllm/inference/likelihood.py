"""The log-likelihood of a text after a context: exact for a causal model, a Monte Carlo bound for a diffusion model.

The bound is that of LLaDA (2502.09992, equation 6): of L tokens l are masked at random, and the log-probability of
those is weighted by L / l. Its mean over l and over which tokens are masked is at most the log-likelihood, and equal to
it for a model whose predictions fit together, such as an oracle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.canvas import Ints
from unmask.inference.infer import surprisal, written_logits
from unmask.models import Denoiser, ModelInput
from unmask.models.array_ops import inference_mode, to_numpy

SAMPLES = 128  # of a text; LLaDA's own number


def log_likelihood(
    denoiser: Denoiser, context: Sequence[int], target: Sequence[int], samples: int = SAMPLES, seed: int = 0
) -> float:
    """Nats: of a causal model the log-likelihood of the target, of a diffusion model a bound of it."""
    if not len(target):
        return 0.0
    tokens, first = np.array([*context, *target], np.int64), len(context)
    own = np.arange(first, len(tokens))
    if denoiser.card.causal:
        return -float(surprisal(denoiser, _input(tokens, own, np.zeros(0, np.int64)), tokens[own]).sum())
    total, masks = 0.0, _masks(len(target), samples, seed)
    for mask in masks:
        rows = first + mask
        weight = len(target) / len(mask)
        total -= weight * float(surprisal(denoiser, _input(tokens, rows, rows), tokens[rows]).sum())
    return total / len(masks)


def is_likeliest(denoiser: Denoiser, context: Sequence[int], target: Sequence[int]) -> bool:
    """Whether the model writes the target if it always writes the likeliest word: a causal model the next one, a
    diffusion model that of the cell that it is surest of."""
    tokens, first = np.array([*context, *target], np.int64), len(context)
    own = np.arange(first, len(tokens))
    with inference_mode(denoiser):
        if denoiser.card.causal:
            likeliest = to_numpy(written_logits(denoiser, _input(tokens, own, np.zeros(0, np.int64)))).argmax(1)
            return bool((likeliest == tokens[own]).all())
        left = own
        while left.size:
            logits = to_numpy(written_logits(denoiser, _input(tokens, left, left)))
            margin = logits.max(1) - np.logaddexp.reduce(logits.astype(float), 1)
            surest = int(margin.argmax())
            if int(logits[surest].argmax()) != tokens[left[surest]]:
                return False
            left = np.delete(left, surest)
    return True


def _input(tokens: Ints, rows: Ints, masked: Ints) -> ModelInput:
    hidden = np.zeros(len(tokens), bool)
    hidden[masked] = True
    return ModelInput(tokens, hidden, rows, np.arange(len(tokens)))


def _masks(length: int, samples: int, seed: int) -> list[Ints]:
    """Which tokens are masked in each sample: their numbers are spread evenly over 1 to `length`."""
    if length == 1:
        return [np.zeros(1, np.int64)]
    draw = np.random.default_rng(seed)
    start = draw.integers(length)
    counts = [1 + int(start + i * length / samples) % length for i in range(samples)]
    return [np.sort(draw.permutation(length)[:count]) for count in counts]
