"""What the model believes at every cell, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Bools, Canvas, Floats, Ints


class JointConstraint(Protocol):
    """What a constraint says of words that are to be written together."""

    def compatible_writes(self, canvas: Canvas, write: Bools, erase: Bools | None, tokens: Ints, sure: Floats) -> Bools:
        """Of the cells to be written, those that are possible together."""
        ...


@dataclass(frozen=True, eq=False)
class PairwiseLift:
    """Words that may be written next, each tried alone: how much likelier that makes the others' words."""

    cells: Ints  # [A] the cells whose words were tried
    lift: Floats  # [A, L] log p(the other's word | this one stands) − log p(the other's word); NaN where not asked

    def between(self, cells: Ints) -> Floats:
        """[cells, cells] the smaller lift of each two, tried either way round; 0 where neither was tried."""
        table = np.full((len(cells), len(cells)), np.nan)
        place = {cell: at for at, cell in enumerate(cells.tolist())}
        for cell, row in zip(self.cells.tolist(), self.lift, strict=True):
            if cell in place:
                table[place[cell]] = row[cells]
        least: Floats = np.nan_to_num(np.fmin(table, table.T), nan=0.0)
        return least


@dataclass(frozen=True, eq=False)
class Belief:
    """One thought about one canvas. A cell that was not asked about has `known` False and says nothing."""

    known: Bools  # [L]
    token: Ints  # [L] the proposal: the likeliest token, or a drawn one when there is a temperature
    confidence: Floats  # [L] the probability of the proposal
    margin: Floats  # [L] likeliest minus second likeliest
    entropy: Floats  # [L] in nats
    top_ids: Ints  # [L, K] candidates, likeliest first; NOTHING where not computed
    top_probs: Floats  # [L, K]
    kept: Floats  # [L] the probability of what stands there now, 0 in an open cell; NaN where no policy needs it
    moved: Floats  # [L] KL divergence from the last thought's distribution; NaN where no policy needs it
    doubt: Floats  # [L] what a shadow that cannot see the cell gives its token; NaN where no policy needs it
    background: Floats  # [L] how common the proposal is in text, 1/V if unknown; NaN where no policy needs it
    next_word_probs: Floats = field(
        default_factory=lambda: np.empty(0)
    )  # [L] read from left to right, the probability of the fixed word behind the cell's gap; NaN elsewhere
    stale: NDArray[np.uint8] = field(
        default_factory=lambda: np.empty(0, np.uint8)
    )  # [L] age of each cell's cache, if any
    ends: tuple[int, ...] = ()  # tokens that end a text
    skips: tuple[int, ...] = ()  # words of a cell too many
    forwards: int = 1  # forward passes spent; guidance spends two
    carry: Any = None  # what a self-conditioned model wants to see again
    constraint: JointConstraint | None = None  # the run's constraint, by which these beliefs were shaped
    pairwise_lift: PairwiseLift | None = (
        None  # how the likelier proposals suit each other; None where no policy needs it
    )
    allowed: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # [L] words that it allows; empty without one
