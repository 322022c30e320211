"""What if? The same question about a canvas that is not there: a written cell hidden, a word supposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.canvas import Canvas, Floats, Ints
from unmask.inference.processors import shaping, through
from unmask.inference.query import answer, what_if
from unmask.models import Denoiser
from unmask.run.constraint_check import legal
from unmask.run.state import State


def hide(canvas: Canvas, cells: Sequence[int]) -> Canvas:
    """As if nothing stood in these cells yet."""
    return canvas.erase(canvas.mask(cells))


def suppose(canvas: Canvas, cells: Sequence[int], tokens: Sequence[int]) -> Canvas:
    """As if these words stood there."""
    row = canvas.tokens.copy()
    row[list(cells)] = tokens
    return canvas.write(canvas.mask(cells), row)


def probe(
    denoiser: Denoiser, state: State, canvases: Sequence[Canvas], tokens: Ints, cells: Ints | None = None
) -> Floats:
    """In nats, how likely some words are on each of some canvases of one length, in one batch:
    [canvases, cells, words in question], NaN where a cell is not open.

    `tokens` are the words in question, [cells, words]: one word a cell shows whose belief moves, several show a whole
    distribution's head. The rows are the open cells, or those of `cells` that are open."""
    import torch

    logp = np.full((len(canvases), *tokens.shape), np.nan)
    single = replace(state, settings=replace(state.settings, guidance=0.0))  # one forward each
    allows = legal(denoiser.card, denoiser.speller, state.settings)
    with torch.inference_mode():
        thoughts = [what_if(denoiser.card, single, canvas, cells) for canvas in canvases]
        answers = answer(denoiser, thoughts)
        for i, (canvas, thought, logits) in enumerate(zip(canvases, thoughts, answers, strict=True)):
            shape = shaping(single, canvas, denoiser.card, legal=allows)
            x = through(shape, logits, thought.rows).double()
            wanted = torch.from_numpy(tokens[thought.rows]).to(x.device)
            logp[i, thought.rows] = (x.gather(1, wanted) - x.logsumexp(-1, keepdim=True)).cpu().numpy()
    return logp
