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
from unmask.models.array_ops import astype, inference_mode, logsumexp, to_numpy
from unmask.models.interface import ModelInput
from unmask.run.state import State


@dataclass(frozen=True)
class CellRead:
    """What was read of one cell: log probabilities at temperature 1."""

    token: int  # what a fixed cell holds, and the likeliest token of an open one
    logprob: float
    top: tuple[tuple[int, float], ...]  # the likeliest tokens, the best first
    chosen: tuple[tuple[int, float], ...]  # those that were named


def read_canvas(
    denoiser: Denoiser, state: State, top: int, ids: Sequence[int] = (), only: bool = False
) -> list[CellRead]:
    """The model's distribution in each cell of the answer; `only` normalises it over `ids`."""
    canvas = state.canvas
    cells = np.flatnonzero(canvas.answer)
    model_input = ModelInput(
        canvas.tokens,
        canvas.open,
        cells,
        np.arange(len(canvas)),
        None,
        canvas.origin,
        state.carry,
        (int(cells[0]), len(canvas)),
    )
    with inference_mode(denoiser):
        (logits,) = batched_logits(denoiser, [model_input])
        x = astype(apply_processors(model_processors(state, canvas, denoiser.card), logits, cells), "float32")
        if only:
            x = x[:, list(ids)]
        x = to_numpy(x - logsumexp(x))
    names = np.array(ids, np.int64) if only else np.arange(x.shape[1])
    column = {int(token): i for i, token in enumerate(names)} if only else None
    shown, best = topk(x, max(min(top, x.shape[1]), 1))

    def at(row: int, token: int) -> float:
        place = token if column is None else column.get(token, -1)
        return float(x[row, place]) if place >= 0 else -np.inf

    listed, likeliest = names[best[:, :top]].tolist(), names[best[:, 0]].tolist()
    shown, given = shown[:, :top].tolist(), canvas.tokens[cells].tolist()
    reads = []
    for row, still_open in enumerate(canvas.open[cells].tolist()):
        token = likeliest[row] if still_open else given[row]
        tops = tuple(zip(listed[row], shown[row], strict=True))
        reads.append(CellRead(token, at(row, token), tops, tuple((i, at(row, i)) for i in ids)))
    return reads


def seeded(prompt: Sequence[int], seed: Sequence[int], fixed: Sequence[bool], noise: bool) -> Canvas:
    """A prompt and a canvas with these tokens; an open cell holds its token only where the model has no mask."""
    n, cells = len(prompt), np.array(seed, np.int64)
    given = np.arange(n + len(cells)) < n
    still_open = np.concatenate([np.zeros(n, bool), ~np.array(fixed, bool)])
    tokens = np.concatenate([np.array(prompt, np.int64), cells])
    if not noise:
        tokens[still_open] = -1
    return Canvas(tokens, still_open, ~given & ~still_open, given, np.arange(len(tokens)))
