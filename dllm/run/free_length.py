"""How long a gap is, as the model wishes it: cells that come and go between two passes. Pure.

Models that were taught words for it say so themselves: `expand` becomes two open cells, and a cell that holds a word of
`skips` vanishes (DreamOn, arXiv 2602.01326). Of others it is looked at whether a gap fits: where the model would rather
end or skip at its end, it is too long; where it neither would end there nor is sure of a word, it is too short."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.canvas import Bools, Canvas, Card
from unmask.run.command import Stretch
from unmask.run.frame import Frame
from unmask.run.state import State

ENDS = 0.5  # a cell that is given this much to an end is one too many
LOW = 0.1  # below this, an end is far
SURE = 0.5  # a gap whose last word is surer than this has room enough


def free_length(card: Card, state: State) -> bool:
    """Whether cells may come and go now: only within the plan, so that every run ends."""
    s = state.settings
    return bool(s.room) and state.step < s.passes and not (card.causal or card.blockwise or card.noise or s.constraint)


def may_expand(card: Card, state: State) -> bool:
    """Whether the model may ask for another cell now."""
    return card.expand is not None and free_length(card, state) and int(state.canvas.answer.sum()) < state.settings.room


def resize_requests(card: Card, state: State, frame: Frame) -> list[Stretch]:
    """What the model asks of the length after a pass, one after the other: from the right, so that no place moves."""
    if not free_length(card, state):
        return []
    canvas = state.canvas
    changes = dict(_by_fit(card, canvas, frame)) if card.expand is None else {}
    changes |= dict(_by_length_words(card, canvas, frame))
    cells = int(canvas.answer.sum())
    requests: list[Stretch] = []
    for cell in sorted(changes, reverse=True):
        by = min(changes[cell], state.settings.room - cells, card.longest - len(canvas))
        if card.expand is not None and canvas.tokens[cell] == card.expand:  # it is one of the two cells itself
            requests += [Stretch(cell + 1, 1 + max(by, 0), own=True), Stretch(cell, -1, own=True)]
            cells += max(by, 0)
        elif by > 0 or (by < 0 and cells + by >= 1):
            requests.append(Stretch(cell + 1 + min(by, 0), by, own=True))
            cells += by
    return requests


def _by_length_words(card: Card, canvas: Canvas, frame: Frame) -> Iterator[tuple[int, int]]:
    """Cells that this pass wrote a word of length in, each with the cells to come or go."""
    fixed = np.flatnonzero(canvas.given | canvas.pinned)
    last = int(fixed[-1]) if fixed.size else -1
    plain = set(card.skips) - {*card.ends}
    stops = {*card.skips} if card.expand is not None else {*card.skips, *card.ends}
    for cell, token in zip(frame.cells.tolist(), frame.tokens.tolist(), strict=True):
        if token == card.expand:
            yield cell, 1
        elif token in (stops if cell < last else plain):  # an end is one too many only where more of the text is fixed
            yield cell, -1


def _by_fit(card: Card, canvas: Canvas, frame: Frame) -> Iterator[tuple[int, int]]:
    """The last cell of each gap before a fixed word that does not fit, with the cells to come or go."""
    free, stops = canvas.free, [*card.ends, *card.skips]
    for last in np.flatnonzero(free & canvas.open & ~np.append(free[1:], True)).tolist():
        begins = int(np.append(np.flatnonzero(~free[:last]), -1).max()) + 1
        ending = _likely_ends(frame, canvas, stops)[begins : last + 1]
        over = int((~ending[::-1]).argmax()) if not ending.all() else len(ending)
        fresh = canvas.open[begins : last + 1].mean() >= 0.5  # what is nearly full has found its length
        near = frame.top_probs[last][np.isin(frame.top_ids[last], stops)].sum() / 255
        if over:
            yield last, -over
        elif fresh and frame.guess[last] >= 0 and near < LOW and frame.sure[last] / 255 < SURE:
            yield last, max(1, len(ending) // 2)


def _likely_ends(frame: Frame, canvas: Canvas, stops: list[int]) -> Bools:
    """Open cells whose likeliest word is an end, or a cell too many."""
    found: Bools = canvas.open & np.isin(frame.guess, stops) & (frame.sure >= round(255 * ENDS))
    return found
