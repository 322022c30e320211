"""The canvas: the token in each cell, which cells are open (masked), and which a person pinned. Immutable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NOTHING = -1  # the token of an open cell, for a model that has a mask


@dataclass(frozen=True, eq=False)
class Canvas:
    """A prompt and an answer as one row of cells."""

    tokens: Ints  # [L] the token in each cell; in an open cell NOTHING, or noise where the model has no mask
    open: Bools  # [L] still to be decided
    pinned: Bools  # [L] fixed by a person
    given: Bools  # [L] there before the first pass, never open or written: the prompt, or where pinned a person's text
    ids: Ints  # [L] a lasting id for each cell: it keeps its random draws when cells are inserted or removed

    def __repr__(self) -> str:
        return f"Canvas({len(self)} cells, {int(self.open.sum())} open)"

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def answer(self) -> Bools:
        """Cells of the answer: open now or once."""
        return ~self.given

    @property
    def prompt(self) -> Bools:
        """Cells that cannot be edited; the given cells of a person's own text around the blanks are not among them."""
        return self.given & ~self.pinned

    @property
    def free(self) -> Bools:
        """Cells that a policy may write or erase."""
        return ~(self.given | self.pinned)

    @cached_property
    def origin(self) -> int:
        """The first cell of the answer."""
        return int(self.given.argmin()) if not self.given.all() else len(self)

    @cached_property
    def behind(self) -> Ints:
        """[L] the token of the next fixed cell to the right of each free cell; NOTHING where there is none."""
        fixed = np.flatnonzero(~self.free)
        nearest = np.searchsorted(fixed, np.arange(len(self)))  # the fixed cell at or behind each
        tokens = np.append(self.tokens[fixed], NOTHING)[nearest]
        return np.where(self.free, tokens, NOTHING)

    def same(self, other: Canvas) -> bool:
        """Whether all fields are equal."""
        mine = (self.tokens, self.open, self.pinned, self.given, self.ids)
        theirs = (other.tokens, other.open, other.pinned, other.given, other.ids)
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))

    def write(self, where: Bools, tokens: Ints) -> Canvas:
        """Put `tokens[where]` into the cells of `where` and close them."""
        row = np.where(where, tokens, self.tokens)
        return Canvas(row, self.open & ~where, self.pinned, self.given, self.ids)

    def erase(self, where: Bools) -> Canvas:
        """Open the cells of `where` again (remask)."""
        row = np.where(where, NOTHING, self.tokens)
        return Canvas(row, self.open | where, self.pinned, self.given, self.ids)

    def pin(self, cells: Sequence[int], tokens: Sequence[int]) -> Canvas:
        """Fix tokens in cells, so that the model cannot change them."""
        where = self.mask(cells)
        row = self.tokens.copy()
        row[list(cells)] = tokens
        return replace(self.write(where, row), pinned=self.pinned | where)

    def release(self, cells: Sequence[int]) -> Canvas:
        """Let the model decide pinned cells again; each keeps its token until a policy revises it."""
        where = self.mask(cells) & self.pinned
        return replace(self, pinned=self.pinned & ~where, given=self.given & ~where)

    def stretch(self, at: int, by: int, next_id: int = 0) -> Canvas:
        """Insert `by` open cells before cell `at`, with ids from `next_id` on if these are unused, or remove `-by`
        cells from `at` on."""
        if by < 0:
            keep = np.ones(len(self), bool)
            keep[at : at - by] = False
            return Canvas(self.tokens[keep], self.open[keep], self.pinned[keep], self.given[keep], self.ids[keep])
        fresh = np.arange(by) + max(next_id, int(self.ids.max(initial=-1)) + 1)
        no, yes = np.zeros(by, bool), np.ones(by, bool)
        return Canvas(
            np.insert(self.tokens, at, np.full(by, NOTHING)),
            np.insert(self.open, at, yes),
            np.insert(self.pinned, at, no),
            np.insert(self.given, at, no),
            np.insert(self.ids, at, fresh),
        )

    def mask(self, cells: Sequence[int]) -> Bools:
        """The cells as a boolean mask over the canvas."""
        where = np.zeros(len(self), bool)
        where[list(cells)] = True
        return where


def blank(parts: Sequence[Sequence[int] | int]) -> Canvas:
    """A canvas from given tokens and counts of open cells, in reading order: `blank([prompt, 32])`."""
    rows: list[Ints] = []
    for part in parts:
        count = part if isinstance(part, int) else None
        rows.append(np.full(count, NOTHING) if count is not None else np.asarray(part, np.int64))
    given = [np.full(len(row), not isinstance(part, int)) for row, part in zip(rows, parts, strict=True)]
    tokens = np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64)
    fixed = np.concatenate([np.empty(0, bool), *given]).astype(bool)
    return Canvas(tokens, ~fixed, np.zeros(len(tokens), bool), fixed, np.arange(len(tokens)))
