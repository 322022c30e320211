"""Passes from canvases: between two calls of a model, the difference of the canvas is what was written and erased."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import NOTHING, Bools, Floats, Ints
from unmask.features.record.arrays import to_numpy
from unmask.features.record.logits import Logits
from unmask.features.record.placement import ABSENT
from unmask.run.frame import CANDIDATES


@dataclass(eq=False)
class Beliefs:
    """What the model expected of one row, by the cell whose input it read. Small types: every pass is kept."""

    ids: NDArray[np.int32]  # [L, K]
    shares: NDArray[np.uint8]  # [L, K] in 255ths
    entropy: NDArray[np.uint8]  # [L] in 32nds of a nat


@dataclass(eq=False)
class Change:
    """What one pass did in one row of a batch."""

    cells: Ints  # written
    tokens: Ints
    erased: Ints
    chances: Floats  # [n] of the tokens, as predicted at the cell itself
    shifted: Floats  # [n] and at the cell before
    best: Bools  # [n, 2] whether the token was the likeliest one, at either
    beliefs: Beliefs | None


@dataclass(eq=False)
class Pass:
    """A finished pass: one change for each row."""

    changes: list[Change]
    cost: int
    thinking: float  # seconds in the model
    other: float  # seconds around it
    note: str = ""


@dataclass(eq=False)
class Looking:
    """A pass whose writes are not known yet."""

    canvas: Ints  # [B, L]
    logits: list[Logits] = field(default_factory=list)
    cost: int = 0
    thinking: float = 0.0
    other: float = 0.0
    note: str = ""

    def add(self, seconds: float, logits: Logits | None, other: float = 0.0) -> None:
        """One more forward of the same canvas."""
        self.cost += 1
        self.thinking += seconds
        self.other += other
        if logits is not None:
            self.logits.append(logits)

    def closed(self, after: Ints, mask: int | None, given: Bools) -> Pass:
        """The pass, now that the canvas after it is known."""
        before = np.full_like(after, ABSENT)
        before[:, : self.canvas.shape[1]] = self.canvas
        changes = [self._change(row, before[row], after[row], mask, given[row]) for row in range(len(after))]
        return Pass(changes, self.cost, self.thinking, self.other, self.note)

    def _change(self, row: int, before: Ints, after: Ints, mask: int | None, given: Bools) -> Change:
        differs = before != after
        masked = np.zeros(len(after), bool) if mask is None else after == mask
        cells = np.flatnonzero(differs & ~masked & (after != ABSENT))
        erased = np.flatnonzero(differs & masked & (before != ABSENT))
        tokens = after[cells]
        chances, best = np.full((len(cells), 2), np.nan), np.zeros((len(cells), 2), bool)
        for logits in self.logits:
            for shift in (0, 1):
                self._look_up(logits, row, cells - shift, tokens, chances[:, shift], best[:, shift])
        return Change(cells, tokens, erased, chances[:, 0], chances[:, 1], best, self._beliefs(row, len(after), given))

    @staticmethod
    def _look_up(logits: Logits, row: int, at: Ints, tokens: Ints, chances: Floats, best: Bools) -> None:
        """Fill in the probabilities of tokens that are not known yet."""
        places = np.searchsorted(logits.cells, at)
        there = (places < len(logits.cells)) & np.isnan(chances)
        there[there] = logits.cells[places[there]] == at[there]
        if there.any():
            chances[there] = logits.probabilities(row, places[there], tokens[there])
            best[there] = to_numpy(logits.top_ids[row])[places[there], 0] == tokens[there]

    def _beliefs(self, row: int, length: int, given: Bools) -> Beliefs | None:
        if not self.logits:
            return None
        ids = np.full((length, CANDIDATES), NOTHING, np.int32)
        shares, entropy = np.zeros((length, CANDIDATES), np.uint8), np.zeros(length, np.uint8)
        for logits in reversed(self.logits):  # the first forward counts
            k = logits.top_ids.shape[-1]
            ids[logits.cells, :k] = to_numpy(logits.top_ids[row])
            shares[logits.cells, :k] = np.rint(np.exp(to_numpy(logits.top_logs[row])) * 255)
            nats = logits.entropies(row)
            entropy[logits.cells] = np.clip(np.rint(nats * 32), 0, 255)
        return Beliefs(ids, shares, entropy)


def merged(known: Ints, canvas: Ints) -> Ints:
    """A canvas as long as what is known; what it does not have stays as it was."""
    full = known.copy() if known.shape[1] > canvas.shape[1] else np.full_like(canvas, ABSENT)
    full[:, : canvas.shape[1]] = canvas
    return full


def without_growth(known: Ints, canvas: Ints, mask: int | None) -> Bools:
    """[B, L] where a canvas differs from what is known, but for new cells that are masked."""
    before = np.full_like(canvas, ABSENT)
    before[:, : known.shape[1]] = known[:, : canvas.shape[1]]
    fresh = before == ABSENT
    if mask is not None:
        fresh &= canvas == mask
    else:
        fresh &= False
    differs: Bools = (before != canvas) & ~fresh
    return differs


def likeliest_shift(passes: list[Pass]) -> tuple[bool, bool]:
    """Whether the model answers for a cell at the cell before (Dream), and whether that is certain."""
    plain: list[float] = []
    moved: list[float] = []
    hits = np.zeros(2, int)
    for done in passes:
        for change in done.changes:
            both = ~np.isnan(change.chances) & ~np.isnan(change.shifted)
            plain += np.log(np.maximum(change.chances[both], 1e-30)).tolist()
            moved += np.log(np.maximum(change.shifted[both], 1e-30)).tolist()
            hits += change.best[both].sum(0)
    count, gain = len(plain), sum(moved) - sum(plain)
    if not count:
        return False, False
    if hits.max() >= max(6, 0.9 * count) and hits.min() <= hits.max() / 2:  # it writes what is likeliest
        return bool(hits[1] > hits[0]), True
    return gain > 0 and abs(gain) > 10, abs(gain) > 10


def first_given(canvas: Ints, mask: int | None, prompt: int | None) -> Bools:
    """[B, L] the cells that are not the model's to write."""
    if prompt is not None:
        given: Bools = np.broadcast_to(np.arange(canvas.shape[1]) < prompt, canvas.shape).copy()
        return given
    if mask is None:
        return np.zeros(canvas.shape, bool)
    given = canvas != mask
    return given
