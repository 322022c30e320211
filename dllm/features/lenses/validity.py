"""What a constraint is up against: how likely a text is valid if every open cell were written now, each by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import Floats
from unmask.errors import Refused
from unmask.inference.processors import shaping, through
from unmask.inference.query import answer, what_if
from unmask.models import Denoiser
from unmask.run.constraint_check import legal
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

    allows = legal(denoiser.card, denoiser.speller, state.settings)
    if allows is None:
        raise Refused("this run has no constraint")
    region, canvas = allows.region(state.canvas), state.canvas
    free = replace(state, settings=state.settings.changed({"constraint": {}, "guidance": 0.0}))
    inside = np.arange(region.begins, region.ends)
    thought = what_if(denoiser.card, free, canvas, inside)
    unseen = np.setdiff1d(inside[canvas.open[inside]], thought.rows)
    if unseen.size:
        raise Refused("the model does not look at all of these cells yet: it writes block by block")
    with torch.inference_mode():
        (logits,) = answer(denoiser, [thought])
        table: Floats = through(shaping(free, canvas, denoiser.card), logits, thought.rows).double().softmax(-1).numpy()
    row = {cell: at for at, cell in enumerate(thought.rows.tolist())}
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
