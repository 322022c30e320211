"""Reproducible random draws: a function of seed, step, cell and use, so no generator state is saved."""

from __future__ import annotations

import numpy as np

from unmask.canvas import Canvas, Floats, Ints

PROPOSE, ORDER, NOISE, REOPEN = range(4)  # uses that must not share a draw


def random_draws(seed: int, step: int, cells: Ints, use: int) -> Floats:
    """One draw in [0, 1) per cell, the same on every device, in any batch and after any rewind."""
    # drawn on the CPU, keyed by (seed, step, use) and indexed by cell id: pinning one cell changes no other cell's draw
    key = np.array([seed & 0xFFFF_FFFF_FFFF_FFFF, (step << 8) | use], np.uint64)
    draws = np.random.Generator(np.random.Philox(key=key)).random(int(cells.max()) + 1 if len(cells) else 0)
    return np.asarray(draws[cells])


def fill_with_noise(canvas: Canvas, seed: int, step: int, words: int) -> Canvas:
    """Fill open cells with random tokens, for models that start from noise instead of a mask."""
    if not words:
        return canvas
    noise = np.floor(random_draws(seed, step, canvas.ids, NOISE) * words).astype(np.int64)
    return Canvas(np.where(canvas.open, noise, canvas.tokens), canvas.open, canvas.pinned, canvas.given, canvas.ids)
