"""Counterfactual queries: token probabilities on changed copies of the canvas, with a cell masked or substituted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.canvas import Canvas, Floats, Ints
from unmask.inference.processors import apply_processors, model_processors, own_words
from unmask.inference.query import batched_logits, counterfactual_input
from unmask.models import Denoiser
from unmask.models.array_ops import astype, copy, gather, inference_mode, like, logsumexp, to_numpy
from unmask.run.constraint_check import compile_constraint
from unmask.run.state import State


def mask_out(canvas: Canvas, cells: Sequence[int]) -> Canvas:
    """The canvas with these cells masked again."""
    return canvas.erase(canvas.mask(cells))


def substitute(canvas: Canvas, cells: Sequence[int], tokens: Sequence[int]) -> Canvas:
    """The canvas with these tokens written into the cells."""
    row = canvas.tokens.copy()
    row[list(cells)] = tokens
    return canvas.write(canvas.mask(cells), row)


def counterfactual(
    denoiser: Denoiser, state: State, canvases: Sequence[Canvas], tokens: Ints, cells: Ints | None = None
) -> Floats:
    """Log-likelihoods in nats of given tokens on several canvases of one length, in one batch:
    [canvases, cells, tokens asked about], NaN where a cell is not open.

    `tokens` are those asked about, [cells, tokens]: one token a cell, or the head of each cell's distribution. The rows
    are the open cells, or those of `cells` that are open."""
    found: Floats = counterfactual_scales(denoiser, state, canvases, tokens, cells, scales=1)[0]
    return found


def counterfactual_scales(
    denoiser: Denoiser,
    state: State,
    canvases: Sequence[Canvas],
    tokens: Ints,
    cells: Ints | None = None,
    scales: int = 2,
) -> Floats:
    """The same on two scales: [scales, canvases, cells, tokens], as the decoder reads them, and the network's own."""
    logp = np.full((scales, len(canvases), *tokens.shape), np.nan)
    single = without_guidance(state)  # one forward each
    constraint = compile_constraint(denoiser.card, denoiser.tokenizer, state.settings)
    with inference_mode(denoiser):
        model_inputs = [counterfactual_input(denoiser.card, single, canvas, cells) for canvas in canvases]
        answers = batched_logits(denoiser, model_inputs)
        for i, (canvas, model_input, logits) in enumerate(zip(canvases, model_inputs, answers, strict=True)):
            rows = model_input.rows
            own = copy(logits) if scales > 1 else None  # processors write in place
            processors = model_processors(single, canvas, denoiser.card, constraint=constraint)
            tables = [apply_processors(processors, logits, rows)]
            if own is not None:
                tables.append(apply_processors([own_words(denoiser.card)], own, rows))
            for scale, table in enumerate(tables):
                x = astype(table, "float64")
                logp[scale, i, rows] = to_numpy(gather(x, like(x, tokens[rows])) - logsumexp(x))
    return logp


def without_guidance(state: State) -> State:
    """The state, decoded with one forward a pass."""
    return replace(state, settings=replace(state.settings, guidance=0.0))
