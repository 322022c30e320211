"""What a constraint is up against: how likely a text is valid if every open cell were written now, each by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import Floats
from unmask.errors import InvalidRequest
from unmask.inference.processors import apply_processors, model_processors
from unmask.inference.query import batched_logits, counterfactual_input
from unmask.models import Denoiser
from unmask.run.constraint_check import compile_constraint
from unmask.run.state import State


@dataclass(frozen=True, eq=False)
class Validity:
    """Of one moment of a run with a constraint."""

    chance: float  # that a text drawn cell by cell from what the model believes is valid
    begins: int  # the first cell that the constraint is about
    live: list[int]  # before each cell from there on, and behind the last, states that can be reached and still end
    allowed: list[int]  # how many words it leaves to each of these cells; 1 where one stands


def validity(denoiser: Denoiser, state: State) -> Validity:
    """By the model's own beliefs, as they are without the constraint."""
    import torch

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
    with torch.inference_mode():
        (logits,) = batched_logits(denoiser, [model_input])
        table: Floats = (
            apply_processors(model_processors(free, canvas, denoiser.card), logits, model_input.rows)
            .double()
            .softmax(-1)
            .numpy()
        )
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
