"""The likeliest words of a cell in one pass, as the decoder read them and as the network gave them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.canvas import Floats, Ints
from unmask.errors import InvalidRequest
from unmask.features.lenses.attribution import UNSEEN
from unmask.inference import infer
from unmask.inference.memory import DistributionCache
from unmask.inference.processors import apply_processors, own_words
from unmask.inference.query import batched_logits, build_query
from unmask.models import Denoiser
from unmask.models.array_ops import astype, inference_mode, softmax, to_numpy
from unmask.run.state import State


@dataclass(frozen=True, eq=False)
class Candidates:
    """The likeliest tokens of a cell with their probabilities, the likeliest first."""

    tokens: Ints
    probs: Floats
    raw_tokens: Ints  # by the network's own probabilities
    raw_probs: Floats


def candidates(denoiser: Denoiser, state: State, cell: int) -> Candidates:
    """The candidates of a cell in the pass that starts from this state."""
    with inference_mode(denoiser):
        (belief,) = infer(denoiser, [state], [True])
        if not belief.known[cell]:
            raise InvalidRequest(UNSEEN)
        model_input = build_query(denoiser.card, state, True, DistributionCache()).model_input
        (logits,) = batched_logits(denoiser, [model_input])
        at = int(np.flatnonzero(model_input.rows == cell)[0])
        row = apply_processors([own_words(denoiser.card)], logits[at : at + 1], np.array([cell]))
        raw: Floats = to_numpy(softmax(astype(row, "float64")))[0]
    tokens, probs = belief.top_ids[cell], belief.top_probs[cell]
    likeliest = np.argsort(-raw, kind="stable")[: len(tokens)]
    return Candidates(tokens, probs, likeliest, raw[likeliest])
