"""How far from left to right a run was written, as one number: Kendall's rank correlation, with its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unmask.canvas import Card, Floats, Ints
from unmask.run.stats import text_cells
from unmask.run.timeline import Node

FEWEST = 3  # words whose order can be measured


@dataclass(frozen=True)
class WritingOrder:
    """Kendall's tau-b of the words' places and the passes that wrote them: 1 is left to right, -1 right to left."""

    tau: float
    error: float  # standard error, by leaving each word out once (jackknife)
    words: int


def writing_order(path: Sequence[Node], card: Card) -> WritingOrder | None:
    """The order in which the model wrote the words that stand at the end of a path; None if too few words stand, or all
    were written in one pass."""
    wrote: dict[int, int] = {}  # the last pass that wrote each cell, by the cell's id
    for number, (before, node) in enumerate(pairwise(path)):
        if node.frame is not None:
            wrote |= dict.fromkeys(before.canvas.ids[node.frame.cells].tolist(), number)
    canvas = path[-1].canvas
    by_model = text_cells(canvas, card) & ~canvas.pinned & np.isin(canvas.ids, [*wrote])
    places = np.flatnonzero(by_model)
    passes = np.array([wrote[name] for name in canvas.ids[places].tolist()], np.int64)
    if len(places) < FEWEST or len(np.unique(passes)) < 2:
        return None
    return WritingOrder(*kendall_tau(places, passes), words=len(places))


def kendall_tau(places: Ints, passes: Ints) -> tuple[float, float]:
    """Kendall's tau-b of two rows, and its jackknife standard error. Only the second row may have ties, and not all of
    it may be one."""
    agree = np.sign(np.subtract.outer(places, places)) * np.sign(np.subtract.outer(passes, passes))
    tied = np.equal.outer(passes, passes).sum(1) - 1
    n, score, ties = len(places), agree.sum() / 2, tied.sum() / 2
    without = _tau(score - agree.sum(1), ties - tied, n - 1)
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return float(_tau(score, ties, n)), float(error)


def _tau(score: Floats, ties: Floats, n: int) -> Floats:
    pairs = n * (n - 1) / 2
    found: Floats = score / np.sqrt(np.maximum(pairs * (pairs - ties), 1))
    return found
