"""A canvas that a client gives, read from outside: a distribution for every cell of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.canvas import Canvas
from unmask.inference.processors import apply_processors, model_processors
from unmask.inference.query import batched_logits
from unmask.inference.sampling import topk
from unmask.models import Denoiser
from unmask.models.array_ops import astype, gather, inference_mode, is_numpy, like, logsumexp, to_numpy
from unmask.models.interface import ModelInput
from unmask.run.state import State

LEAST = -9999.0  # JSON has no infinity


@dataclass(frozen=True)
class CellRead:
    """What was read of one cell: log probabilities at temperature 1, to six decimals; none is below `LEAST`."""

    token: int  # what a fixed cell holds, and the likeliest token of an open one
    logprob: float
    top: tuple[tuple[int, float], ...]  # the likeliest tokens, the best first
    chosen: tuple[tuple[int, float], ...]  # those that were named


def read_canvas(
    denoiser: Denoiser, state: State, top: int, ids: Sequence[int] = (), only: bool = False, opened: bool = False
) -> list[CellRead]:
    """The model's distribution in each cell of the answer, or in each open one; `only` normalises it over `ids`."""
    canvas = state.canvas
    cells = np.flatnonzero(canvas.answer & (canvas.open | (not opened)))
    model_input = ModelInput(
        canvas.tokens,
        canvas.open,
        cells,
        np.arange(len(canvas)),
        None,
        canvas.origin,
        state.carry,
        (int(np.argmax(canvas.answer)), len(canvas)),
        named=tuple(ids) if denoiser.card.candidates else (),
    )
    with inference_mode(denoiser):
        (logits,) = batched_logits(denoiser, [model_input])
        x = astype(apply_processors(model_processors(state, canvas, denoiser.card), logits, cells), "float32")
        if only:
            x = x[:, list(ids)]
        x = x - logsumexp(x)
        shown, best = topk(x, max(min(top, x.shape[1]), 1))
        first = best[:, 0] if is_numpy(x) else x.argmax(-1)  # of equal values the first token
        # from here on columns are tokens, or the numbers of named ones
        names = np.array(ids, np.int64) if only else np.arange(x.shape[1])
        column = dict(zip(names.tolist(), range(len(names)), strict=True)) if only else {}
        likeliest, given = names[to_numpy(first)], canvas.tokens[cells]
        tokens = np.where(canvas.open[cells], likeliest, given).tolist()
        wanted = np.array([[column.get(t, -1) if only else t for t in (token, *ids)] for token in tokens], np.int64)
        found = np.where(wanted < 0, LEAST, to_numpy(gather(x, like(x, np.maximum(wanted, 0)))))
    listed, likely, own = names[to_numpy(best)[:, :top]].tolist(), _rounded(to_numpy(shown)[:, :top]), _rounded(found)
    return [
        CellRead(token, logprob, tuple(zip(others, logprobs, strict=True)), tuple(zip(ids, chosen, strict=True)))
        for token, others, logprobs, (logprob, *chosen) in zip(tokens, listed, likely, own, strict=True)
    ]


def _rounded(logprobs: np.ndarray) -> list[list[float]]:
    """Fewer digits: what is sent is read faster."""
    rounded: list[list[float]] = np.maximum(logprobs, LEAST).astype(np.float64).round(6).tolist()
    return rounded


def seeded(prompt: Sequence[int], seed: Sequence[int], fixed: Sequence[bool], noise: bool) -> Canvas:
    """A prompt and a canvas with these tokens; an open cell holds its token only where the model has no mask."""
    n, cells = len(prompt), np.array(seed, np.int64)
    given = np.arange(n + len(cells)) < n
    still_open = np.concatenate([np.zeros(n, bool), ~np.array(fixed, bool)])
    tokens = np.concatenate([np.array(prompt, np.int64), cells])
    if not noise:
        tokens[still_open] = -1
    return Canvas(tokens, still_open, ~given & ~still_open, given, np.arange(len(tokens)))
