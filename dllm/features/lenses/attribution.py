"""Why this word? Leave-one-out attribution to the other cells, and the logit lens: when the model knew the word.

Both give each probability on two scales: as the decoder reads it, calibrated and under the run's rules, and the
network's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.canvas import Canvas, Floats, Ints
from unmask.errors import InvalidRequest
from unmask.inference.counterfactual import counterfactual_scales, mask_out, without_guidance
from unmask.inference.processors import apply_processors, model_processors, own_words
from unmask.inference.query import counterfactual_input
from unmask.models import Denoiser, ModelInput
from unmask.models.array_ops import astype, copy, inference_mode, softmax, to_numpy
from unmask.run.constraint_check import compile_constraint
from unmask.run.state import State

UNSEEN = "the model does not look at this cell now: it writes block by block"


def is_calibrated(denoiser: Denoiser, state: State) -> bool:
    """Whether probabilities as the decoder reads them are calibrated."""
    return bool(denoiser.card.calibration) and state.verify is None


def leave_one_out(denoiser: Denoiser, state: State, cell: int, others: Ints) -> tuple[Floats, Floats]:
    """log p(the word in `cell` | all other words) [scales], and by how many nats masking each of `others` lowers it
    [scales, others].

    Above 0, the other word makes this word likelier; below 0, less likely."""
    canvas = state.canvas
    if canvas.open[cell]:
        raise InvalidRequest("nothing stands in this cell yet: ask once it is written")
    words = np.maximum(canvas.tokens, 0)[:, None]
    canvases = [mask_out(canvas, [cell]), *(mask_out(canvas, [cell, other]) for other in others.tolist())]
    logp = counterfactual_scales(denoiser, state, canvases, words, np.array([cell]))[:, :, cell, 0]
    if np.isnan(logp[0, 0]):
        raise InvalidRequest(UNSEEN)
    return logp[:, 0], logp[:, :1] - logp[:, 1:]


@dataclass(frozen=True, eq=False)
class LogitLens:
    """The probability of one word at each layer, after each pass."""

    share: Floats  # [scales, moments, layers + 1] its probability by each layer's hidden state; NaN where not computed
    best: Ints  # [moments, layers + 1] the likeliest word by that state; NOTHING where not computed


def logit_lens(denoiser: Denoiser, states: Sequence[State], name: int, token: int) -> LogitLens | None:
    """The output head applied to each layer's state, at the masked cell with id `name`; None if layers are hidden."""
    rows: list[tuple[Floats, Ints] | None] = []
    width = 0
    for state in states:
        where = np.flatnonzero(state.canvas.ids == name)
        masked = masked_input(denoiser, state, int(where[0])) if where.size else None
        if masked is None:
            rows.append(None)
            continue
        canvas, model_input = masked
        with inference_mode(denoiser):
            found = denoiser.layers(model_input)
            if found is None:
                return None
            shares = layer_shares(denoiser, state, canvas, int(where[0]), found)
        rows.append((shares[:, :, token], shares[0].argmax(-1)))
        width = shares.shape[1]
    share, best = np.full((2, len(rows), width), np.nan), np.full((len(rows), width), -1)
    for at, row in enumerate(rows):
        if row is not None:
            share[:, at], best[at] = row
    return LogitLens(share, best)


def masked_input(denoiser: Denoiser, state: State, cell: int) -> tuple[Canvas, ModelInput] | None:
    """The canvas with a cell masked, and the input that asks for it; None if the model does not look there now."""
    canvas = mask_out(state.canvas, [cell])
    model_input = counterfactual_input(denoiser.card, without_guidance(state), canvas, np.array([cell]))
    return (canvas, model_input) if model_input.rows.size else None


def layer_shares(denoiser: Denoiser, state: State, canvas: Canvas, cell: int, heads: object) -> Floats:
    """[scales, layers + 1, V] the probabilities of the layers' logits [layers + 1, V] at a cell."""
    table, card = astype(copy(heads), "float64"), denoiser.card
    constraint = compile_constraint(card, denoiser.tokenizer, state.settings)
    decoded = model_processors(without_guidance(state), canvas, card, constraint=constraint)
    cells = np.full(len(table), cell)
    scales = [apply_processors(chain, copy(table), cells) for chain in (decoded, [own_words(card)])]
    return np.stack([to_numpy(softmax(astype(x, "float64"))) for x in scales])
