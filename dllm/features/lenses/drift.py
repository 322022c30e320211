"""How far the prediction of each pass is from that of the pass before, and from each cell's last one."""

from __future__ import annotations

import numpy as np

from unmask.canvas import Floats
from unmask.inference.counterfactual import without_guidance
from unmask.inference.processors import apply_processors, own_words
from unmask.inference.query import batched_logits, counterfactual_input
from unmask.models import Denoiser
from unmask.models.array_ops import astype, inference_mode, logsumexp, to_numpy
from unmask.run.state import State

Rows = dict[int, Floats]  # of open cells by their ids: log p of each token that can be written, as the network gives it


def open_rows(denoiser: Denoiser, state: State) -> Rows:
    """The predictions for the open cells that a pass from this state looks at."""
    canvas, card = state.canvas, denoiser.card
    model_input = counterfactual_input(card, without_guidance(state), canvas)
    if not model_input.rows.size:
        return {}
    with inference_mode(denoiser):
        (logits,) = batched_logits(denoiser, [model_input])
        x = astype(apply_processors([own_words(card)], logits, model_input.rows), "float64")
        table = to_numpy(x - logsumexp(x))
    writable = np.setdiff1d(np.arange(card.words), card.never)
    rows = table[:, writable].astype(np.float32)
    return dict(zip(canvas.ids[model_input.rows].tolist(), rows, strict=True))


class Drift:
    """Takes the passes of a run from the last to the first, so that two passes are in memory at once."""

    def __init__(self) -> None:
        self.last: Rows = {}  # of each cell, its last prediction while it was open
        self.later: Rows = {}  # those of the pass after
        self.from_last: list[float] = []  # of each pass, newest first
        self.from_before: list[float] = []  # of each pass but the first

    def add(self, rows: Rows) -> None:
        """The predictions of the pass before those that were added."""
        if self.from_last:
            self.from_before.append(mean_divergence(self.later, rows))
        self.last = rows | self.last
        self.from_last.append(mean_divergence(self.last, rows))
        self.later = rows


def mean_divergence(later: Rows, earlier: Rows) -> float:
    """The mean Kullback-Leibler divergence of two passes, D(later | earlier) in nats, over the cells that both have;
    NaN if there are none."""
    shared = later.keys() & earlier.keys()
    if not shared:
        return float("nan")
    found = [divergence(later[name], earlier[name]) for name in shared]
    return float(np.mean(found))


def divergence(logp: Floats, other: Floats) -> float:
    """D(p | q) in nats of two rows of log probabilities."""
    one = logp.astype(np.float64)
    return max(0.0, float(np.exp(one) @ (one - other)))
