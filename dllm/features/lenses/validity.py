"""How often a text would be valid without its constraint, if all open cells were drawn independently now."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import Floats
from unmask.errors import InvalidRequest
from unmask.inference.processors import apply_processors, model_processors
from unmask.inference.query import batched_logits, counterfactual_input
from unmask.models import Denoiser
from unmask.models.array_ops import astype, inference_mode, softmax, to_numpy
from unmask.run.constraint_check import compile_constraint
from unmask.run.state import State


@dataclass(frozen=True, eq=False)
class Validity:
    """The answer of `validity` about one moment of a run with a constraint."""

    chance: float  # the probability that independent draws from the belief give a valid text
    begins: int  # the first cell that the constraint covers
    live: list[
        int
    ]  # before each such cell and after the last: automaton states that are reachable and can still accept
    allowed: list[int]  # how many words it allows in each such cell; 1 in a written one


def validity(denoiser: Denoiser, state: State) -> Validity:
    """Compute it from the model's belief without the constraint."""
    allows = compile_constraint(denoiser.card, denoiser.tokenizer, state.settings)
    if allows is None:
        raise InvalidRequest("this run has no constraint")
    region, canvas = allows.region(state.canvas), state.canvas
    free = replace(state, settings=state.settings.with_changes({"constraint": {}, "guidance": 0.0}))
    inside = np.arange(region.begins, region.ends)
    model_input = counterfactual_input(denoiser.card, free, canvas, inside)
    unseen = np.setdiff1d(inside[canvas.open[inside]], model_input.rows)
    if unseen.size:
        raise InvalidRequest("the model does not look at all of these cells yet: it writes block by block")
    with inference_mode(denoiser):
        (logits,) = batched_logits(denoiser, [model_input])
        x = apply_processors(model_processors(free, canvas, denoiser.card), logits, model_input.rows)
        table: Floats = to_numpy(softmax(astype(x, "float64")))
    row = {cell: at for at, cell in enumerate(model_input.rows.tolist())}
    masks = region.allowed(canvas, inside)
    return Validity(
        region.chance(canvas, lambda cell: table[row[cell]]),
        region.begins,
        region.live(canvas),
        [
            int(mask.sum()) if still_open else 1
            for mask, still_open in zip(masks, canvas.open[inside].tolist(), strict=True)
        ],
    )
