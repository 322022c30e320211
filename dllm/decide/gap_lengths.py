"""A gap whose text does not lead to what is fixed behind it is filled again, aside, with fewer cells: of these texts
the one stays that the reader finds likeliest.

How many words belong into a gap is not known before. With too many cells a text goes on, and no word of it is wrong by
itself: only the fixed text behind it, read from the left, tells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import Bools, Canvas, Ints
from unmask.decide.gap_by_reader import MOST, last_gap
from unmask.decide.interface import Aside, Choice, Reason, View

LONG = 24  # cells of a gap that may be filled again
FEWER = (6, 16, 24)  # cells that are left out, one try after the other
LEADS = -6.0  # log probability of the fixed text: a text that leads to it as well as that stays
BEHIND = 32  # cells of the fixed text that are read


@dataclass(frozen=True)
class GapFills:
    """The memory of a run whose gap is full: the texts that it was filled with, and how likely each is."""

    spent: int  # passes
    first: int = 0  # passes of the first text
    texts: tuple[tuple[int, ...], ...] = ()
    scores: tuple[float, ...] = ()
    leads: bool = False  # whether the last of them leads to the fixed text


def read_fill(view: View, choice: Choice, spent: int) -> Choice:
    """The choice; where it fills a long gap before the text's end, with a request to read that and what is fixed
    behind it."""
    canvas, gap = view.canvas, last_gap(view.canvas)
    changed = [where for where in (choice.write, choice.skip) if where is not None]
    is_full = not (canvas.open & ~np.any(changed, axis=0)).any() and (choice.erase is None or not choice.erase.any())
    if len(gap) < LONG or not view.belief.skips or choice.stay or not is_full or canvas.free[gap[-1] :].sum() > 1:
        return choice
    return replace(choice, memory=GapFills(spent), stay=True, verify=_with_fixed(canvas, gap))


def _with_fixed(canvas: Canvas, gap: Ints) -> Bools:
    """A gap and the fixed cells behind it."""
    behind = canvas.mask(range(int(gap[-1]) + 1, min(int(gap[-1]) + 1 + BEHIND, len(canvas))))
    return canvas.mask(gap.tolist()) | (behind & ~canvas.free)


def fill_again(view: View, past: GapFills) -> Choice:
    """Score a text, or take in one that was written aside; then try fewer cells, or keep the likeliest text."""
    canvas, gap = view.canvas, last_gap(view.canvas)
    if past.texts:
        past = _with_aside(view, replace(past, spent=past.spent + 1), len(gap))
    else:
        past = _scored(view, replace(past, spent=past.spent + 1, first=past.spent), gap)
    tries = len(past.texts) - 1
    late = past.spent + past.first > MOST * np.count_nonzero(canvas.free)
    if view.is_aside or past.leads or late or tries >= len(FEWER) or len(gap) - FEWER[tries] < LONG // 2:
        return _keep(view, past, gap)
    shorter = canvas.erase(canvas.mask(gap.tolist())).stretch(int(gap[-1]) + 1 - FEWER[tries], -FEWER[tries])
    # the pass after it reads one cell: it is there to take the text in
    last = canvas.mask(gap[-1:].tolist())
    return Choice(canvas.open & False, memory=past, stay=True, verify=last, aside=shorter)


def _scored(view: View, past: GapFills, gap: Ints) -> GapFills:
    """With the text that was just read."""
    canvas, belief = view.canvas, view.belief
    cells = _with_fixed(canvas, gap) & belief.known & ~np.isin(canvas.tokens, belief.skips)
    chance = np.log(np.maximum(np.where(cells, belief.kept, 1.0), 1e-12))
    leads = bool(chance[~canvas.free].sum() >= LEADS)
    text = tuple(canvas.tokens[gap].tolist())
    return replace(past, texts=(*past.texts, text), scores=(*past.scores, float(chance.sum())), leads=leads)


def _with_aside(view: View, past: GapFills, cells: int) -> GapFills:
    """With the text of a run aside, in as many cells as the gap has."""
    found: Aside | None = view.aside
    if found is None or not isinstance(found.memory, GapFills) or not found.memory.texts:
        return replace(past, texts=(*past.texts, past.texts[0]), scores=(*past.scores, past.scores[0]))
    (text,), (score,) = found.memory.texts, found.memory.scores
    longer = (*text, *[view.belief.skips[0]] * (cells - len(text)))
    return replace(
        past,
        spent=past.spent + found.memory.spent,
        texts=(*past.texts, longer),
        scores=(*past.scores, score),
        leads=found.memory.leads,
    )


def _keep(view: View, past: GapFills, gap: Ints) -> Choice:
    """Write the likeliest of the texts, where it is not there yet."""
    canvas, row = view.canvas, view.canvas.tokens.copy()
    row[gap] = past.texts[int(np.argmax(past.scores))]
    other = row != canvas.tokens
    why = (Reason(other, "with fewer cells it leads better to what is fixed behind the gap"),)
    return Choice(other, memory=past, why=why if other.any() else (), tokens=row)
