"""Why this word? Leave-one-out attribution to the other cells, and the logit lens: when the model knew the word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import Floats, Ints
from unmask.errors import InvalidRequest
from unmask.inference.counterfactual import counterfactual, mask_out
from unmask.inference.query import counterfactual_input
from unmask.models import Denoiser
from unmask.models.array_ops import astype, inference_mode, softmax, to_numpy
from unmask.run.state import State


def leave_one_out(denoiser: Denoiser, state: State, cell: int, others: Ints) -> tuple[float, Floats]:
    """log p(the word in `cell` | all other words), and by how many nats masking each of `others` lowers it.

    Above 0, the other word makes this word likelier; below 0, less likely."""
    canvas = state.canvas
    if canvas.open[cell]:
        raise InvalidRequest("nothing stands in this cell yet: ask once it is written")
    words = np.maximum(canvas.tokens, 0)[:, None]
    canvases = [mask_out(canvas, [cell]), *(mask_out(canvas, [cell, other]) for other in others.tolist())]
    logp = counterfactual(denoiser, state, canvases, words, np.array([cell]))[:, cell, 0]
    if np.isnan(logp[0]):
        raise InvalidRequest("the model does not look at this cell now: it writes block by block")
    return float(logp[0]), logp[0] - logp[1:]


@dataclass(frozen=True, eq=False)
class LogitLens:
    """The probability of one word at each layer, after each pass."""

    share: Floats  # [moments, layers + 1] its probability by each layer's hidden state; NaN where not computed
    best: Ints  # [moments, layers + 1] the likeliest word by that state; NOTHING where not computed


def logit_lens(denoiser: Denoiser, states: Sequence[State], name: int, token: int) -> LogitLens | None:
    """The output head applied to each layer's state, at the masked cell with id `name`; None if layers are hidden."""
    rows: list[tuple[Floats, Ints] | None] = []
    width = 0
    for state in states:
        where = np.flatnonzero(state.canvas.ids == name)
        single = replace(state, settings=replace(state.settings, guidance=0.0))
        model_input = (
            counterfactual_input(denoiser.card, single, mask_out(state.canvas, where.tolist()), where)
            if where.size
            else None
        )
        if model_input is None or not model_input.rows.size:
            rows.append(None)
            continue
        with inference_mode(denoiser):
            found = denoiser.layers(model_input)
            if found is None:
                return None
            heads = to_numpy(astype(found[:, 0], "float64"))
            heads[:, list(denoiser.card.never)] = -np.inf
            shares = softmax(heads)
        rows.append((shares[:, token], shares.argmax(-1)))
        width = len(shares)
    share, best = np.full((len(rows), width), np.nan), np.full((len(rows), width), -1)
    for at, row in enumerate(rows):
        if row is not None:
            share[at], best[at] = row
    return LogitLens(share, best)
