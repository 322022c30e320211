"""A belief: what the model predicts at every cell, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Bools, Canvas, Floats, Ints


class JointConstraint(Protocol):
    """Interface of a constraint that checks whether tokens can be written in the same pass."""

    @property
    def structure(self) -> bool:
        """Whether programs read the text."""
        ...

    @property
    def options(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The few texts that are allowed, each as tokens, after a space and without one; none otherwise."""
        ...

    def from_whole(self, canvas: Canvas, whole: Canvas | None, end: int) -> Ints | None:
        """The tokens of a canvas whose record has the fields that are wanted, of those of a whole one."""
        ...

    def wants_whole(self, canvas: Canvas) -> bool:
        """Whether a record is to be written whole, without the constraint, before fields are taken from it."""
        ...

    def compatible_writes(self, canvas: Canvas, write: Bools, erase: Bools | None, tokens: Ints, sure: Floats) -> Bools:
        """The subset of `write` whose tokens can all be written without violating the constraint."""
        ...

    def missing(self, canvas: Canvas, before: int) -> tuple[int, ...]:
        """The tokens of a text that must be there and is not before this cell; none if nothing is missing."""
        ...

    def alike(self, token: int) -> Bools:
        """The tokens that begin as this one does: with a space or not, with a capital or not."""
        ...


@dataclass(frozen=True, eq=False)
class PairwiseLift:
    """How writing one proposal changes the log probability of each other one (pointwise mutual information)."""

    cells: Ints  # [A] the cells whose proposals were tried, each alone
    lift: Floats  # [A, L] log p(other proposal | this one written) − log p(other proposal); NaN where not computed

    def between(self, cells: Ints) -> Floats:
        """[cells, cells] the smaller lift of each pair, in either direction; 0 where neither was tried."""
        table = np.full((len(cells), len(cells)), np.nan)
        place = {cell: at for at, cell in enumerate(cells.tolist())}
        for cell, row in zip(self.cells.tolist(), self.lift, strict=True):
            if cell in place:
                table[place[cell]] = row[cells]
        least: Floats = np.nan_to_num(np.fmin(table, table.T), nan=0.0)
        return least


@dataclass(frozen=True, eq=False)
class Belief:
    """The model's prediction for one canvas. `known` is False for a cell that was not computed."""

    known: Bools  # [L] cells that were computed
    token: Ints  # [L] the proposal: the likeliest token, or a sampled one when the temperature is above 0
    confidence: Floats  # [L] the probability of the proposal
    margin: Floats  # [L] likeliest minus second likeliest
    entropy: Floats  # [L] in nats
    top_ids: Ints  # [L, K] candidates, likeliest first; NOTHING where not computed
    top_probs: Floats  # [L, K]
    kept: Floats  # [L] the probability of the cell's present token, 0 in an open cell; NaN where no policy needs it
    moved: Floats  # [L] KL divergence from the previous pass's distribution; NaN where no policy needs it
    doubt: Floats  # [L] probability of a written cell's token with the cell masked (WINO); NaN where no policy needs it
    background: Floats  # [L] how common the proposal is in text, 1/V if unknown; NaN where no policy needs it
    # [L] from left to right, the probability that the fixed token after the gap comes next; NaN elsewhere
    next_word_probs: Floats = field(default_factory=lambda: np.empty(0))
    # [L] passes since each cell's cache was computed, if any
    stale: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))
    ends: tuple[int, ...] = ()  # EOS tokens
    skips: tuple[int, ...] = ()  # tokens that ask to delete their cell
    forwards: int = 1  # forward passes used; guidance uses two
    network: float = 0.0  # seconds of the pass that were spent on the way to another machine
    carry: Any = None  # input for the next pass of a self-conditioned model
    constraint: JointConstraint | None = None  # the run's constraint, already applied to these probabilities
    pairwise_lift: PairwiseLift | None = None  # lift between the likelier proposals; None where no policy needs it
    # [L] how many tokens the constraint allows; empty without one
    allowed: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    # [L] from left to right, the probability that the constraint leaves, and how well the text that it wants would fit:
    # the probability of its first token over that of the likeliest; NaN elsewhere
    share: Floats = field(default_factory=lambda: np.empty(0))
    fit: Floats = field(default_factory=lambda: np.empty(0))
    # [L, V] every token's logit, for a policy that needs them; minus infinity in cells that were not computed
    logits: Floats = field(default_factory=lambda: np.empty((0, 0)))
    answers: tuple[Belief, ...] = ()  # about the canvases that the policy asked for
