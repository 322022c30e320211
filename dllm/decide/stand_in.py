"""A word that has to be there stands for another one, everywhere in the text: of a few such texts, the likeliest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.canvas import Bools, Canvas, Ints

MOST = 8  # texts that are tried
AFTER = 4  # cells that tell whether a word in pieces fits before them: who does not know it doubts all that follows
BEHIND = 16  # cells of fixed text behind a gap that are read with it


@dataclass(frozen=True, eq=False)
class Trials:
    """Texts that are tried in turn, each as the canvas's tokens, and how likely the reader finds those that it read."""

    rows: tuple[Ints, ...]
    telling: tuple[Bools, ...]  # the cells that tell how likely each is
    begins: int  # the first cell that one of them changes
    ends: tuple[int, ...]  # the cell behind each
    scores: tuple[float, ...] = ()

    @property
    def best(self) -> int:
        return int(np.argmax(self.scores))

    def cells(self, number: int, canvas: Canvas) -> Bools:
        """The cells of a text from the first change on."""
        place = np.arange(len(canvas))
        mask: Bools = (place >= self.begins) & (place < self.ends[number])
        return mask


def options(canvas: Canvas, texts: Sequence[Sequence[Sequence[int]]], end: int, skip: Sequence[int]) -> Trials | None:
    """Each of the texts that are allowed, in all the free cells: with an end behind it, or with nothing in what is left
    of a gap. The fixed text behind the gap is read with it."""
    free = np.flatnonzero(canvas.free)
    if not free.size or not 2 <= len(texts) <= MOST or free[-1] - free[0] >= len(free):
        return None
    first, last = int(free[0]), int(free[-1]) + 1
    gap, rows = last < len(canvas), []
    filler = [*skip][:1] if gap else [end]
    for spaced, *_ in texts:
        left = len(free) - len(spaced)
        if left < 0 or (left and not filler):
            return None
        row = canvas.tokens.copy()
        row[first:last] = [*spaced, *filler * left]
        rows.append(row)
    ends = [min(last + BEHIND, len(canvas)) if gap else first + len(spaced) for spaced, *_ in texts]
    return Trials(tuple(rows), tuple(np.ones(len(canvas), bool) for _ in rows), first, tuple(ends))


def stand_ins(canvas: Canvas, end: int, word: Sequence[int], fits: Mapping[int, float], alike: Bools) -> Trials | None:
    """Texts up to `end` in which the word stands for another, of those that are `alike` as tokens: first those texts in
    which it fits best where that comes first."""
    first = int(canvas.free.argmax())
    if not canvas.free[first:].all():
        return None
    fixed, text = {*canvas.tokens[:first].tolist()}, canvas.tokens[first:end].tolist()
    found = []
    for at, token in enumerate(text):
        if token in fixed or token in text[:at] or not alike[token]:
            continue
        longer = len(text) + (len(word) - 1) * text.count(token)
        if first + longer < len(canvas):
            found.append((fits.get(int(canvas.ids[first + at]), 0.0), at, token, longer))
    rows, telling, ends = [], [], []
    chosen = sorted(found, reverse=True)[:MOST]
    place = np.arange(len(canvas)) - first
    for _, at, token, longer in chosen:
        row = canvas.tokens.copy()
        row[first : first + longer] = [new for old in text for new in (word if old == token else (old,))]
        behind = longer if len(word) == 1 else at + len(word) + AFTER
        again = [old == token and i != at for i, old in enumerate(text) for _ in (word if old == token else (old,))]
        telling.append((place < behind) & ~np.isin(place, np.flatnonzero(again)))
        rows.append(row)
        ends.append(first + longer)
    return Trials(tuple(rows), tuple(telling), first + min(at for _, at, _, _ in chosen), tuple(ends)) if rows else None
