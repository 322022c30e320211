"""A frame: the record of one pass."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

NO_CELLS = np.empty(0, np.int32)
CANDIDATES = 5  # per cell, kept for every pass, so that the page can inspect any of them


@dataclass(frozen=True, eq=False)
class Frame:
    """The record of one pass: enough to draw, explain and replay it. Arrays have small types: every pass is kept."""

    step: int
    block: int
    turn: int
    quota: int
    cost: int  # forward passes spent
    open: int  # cells still open afterwards
    done: bool
    cells: NDArray[np.int32]  # [n] written in this pass, in order
    tokens: NDArray[np.int32]  # [n]
    was: NDArray[np.int32]  # [n] the tokens there before; NOTHING if the cell was open
    confidence: NDArray[np.float32]  # [n] NaN where unknown
    why: tuple[tuple[str, tuple[int, ...], tuple[float, ...]], ...]  # sentence, cells, a number per cell
    erased: NDArray[np.int32]  # [m] cells erased in this pass
    noise: NDArray[np.int32]  # [L] what open cells hold where the model has no mask; else empty
    guess: NDArray[np.int32]  # [L] the likeliest token where the model has a belief; NOTHING elsewhere
    sure: NDArray[np.uint8]  # [L] its probability, in 255ths
    entropy: NDArray[np.uint8]  # [L] in 32nds of a nat, at most 255
    margin: NDArray[np.uint8]  # [L] in 255ths
    top_ids: NDArray[np.int32]  # [L, K]
    top_probs: NDArray[np.uint8]  # [L, K] in 255ths
    stale: NDArray[np.uint8]  # [L] passes since an approximate cache saw the cell; empty where nothing is approximate

    def __repr__(self) -> str:
        erased = f", erased {len(self.erased)}" if len(self.erased) else ""
        return f"Frame(pass {self.step + 1}: wrote {len(self.cells)} cells{erased}, {self.open} open)"

    def same(self, other: Frame) -> bool:
        """Whether all fields are equal."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(np.array_equal(a, b, a.dtype.kind == "f") if isinstance(a, np.ndarray) else a == b for a, b in pairs)
