"""Free length: cells that the model inserts or removes between two passes. Pure.

Models trained with special tokens request it: `expand` becomes two open cells, and a cell with a token of `skips` is
removed (DreamOn, arXiv 2602.01326). For other models, a gap is too long if the model predicts EOS or a delete token at
its end, and too short if there it neither predicts EOS nor is sure of a token. A decoder that cuts gaps itself gets
long ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.canvas import Bools, Canvas, Card
from unmask.decide import get_policy
from unmask.run.frame import Frame
from unmask.run.resize import Resize
from unmask.run.settings import Settings
from unmask.run.state import State

ENDS = 0.5  # probability of EOS from which a cell is surplus
LOW = 0.1  # probability of EOS below which a gap may be too short
LONG = 16  # cells of a gap of unknown length for a decoder that cuts it
SURE = 0.5  # confidence of its last token from which a gap is long enough


def free_length(card: Card, state: State) -> bool:
    """Whether the length may change now: only within the planned passes, so that every run ends."""
    s = state.settings
    fixed = card.causal or card.blockwise or card.noise or bool(s.constraint) or get_policy(s.policy).resizes
    return bool(s.room) and state.step < s.passes and not (fixed or cuts_gaps(card, s))


def cuts_gaps(card: Card, settings: Settings) -> bool:
    """Whether the decoder verifies a gap with the text after it, and writes delete tokens in cells that are surplus."""
    needs = get_policy(settings.policy).needs
    return card.expand is None and bool(card.skips) and needs.verify and not needs.ahead


def with_long_gaps(canvas: Canvas, room: int) -> Canvas:
    """The canvas with at least LONG cells in each gap before fixed text, and at most `room` cells for the answer."""
    free = canvas.free
    for after in np.flatnonzero(free & ~np.append(free[1:], True))[::-1].tolist():
        begins = int(np.flatnonzero(~free[:after]).max(initial=-1)) + 1
        more = min(LONG - (after + 1 - begins), room - int(canvas.answer.sum()))
        if more > 0:
            canvas = canvas.stretch(after + 1, more)
    return canvas


def may_expand(card: Card, state: State) -> bool:
    """Whether the model may request another cell now."""
    return card.expand is not None and free_length(card, state) and int(state.canvas.answer.sum()) < state.settings.room


def free_resize(card: Card, state: State, frame: Frame) -> Resize | None:
    """The changes of length that the model requests after a pass."""
    if not free_length(card, state):
        return None
    canvas = state.canvas
    changes = dict(_by_fit(card, canvas, frame)) if card.expand is None else {}
    changes |= dict(_by_length_tokens(card, canvas, frame))
    cells, insert, delete = int(canvas.answer.sum()), np.zeros(len(canvas) + 1, int), np.zeros(len(canvas), bool)
    for cell in sorted(changes, reverse=True):
        by = min(changes[cell], state.settings.room - cells, card.longest - len(canvas))
        # the cell itself becomes the first of the two
        if card.expand is not None and canvas.tokens[cell] == card.expand:
            insert[cell + 1], delete[cell], cells = 1 + max(by, 0), True, cells + max(by, 0)
        elif cells + by >= 1:
            insert[cell + 1], delete[cell + 1 + min(by, 0) : cell + 1], cells = max(by, 0), True, cells + by
    return insert, delete


def _by_length_tokens(card: Card, canvas: Canvas, frame: Frame) -> Iterator[tuple[int, int]]:
    """Cells in which this pass wrote a length token, each with the number of cells to insert or remove."""
    fixed = np.flatnonzero(canvas.given | canvas.pinned)
    last = int(fixed[-1]) if fixed.size else -1
    plain = set(card.skips) - {*card.ends}
    stops = {*card.skips} if card.expand is not None else {*card.skips, *card.ends}
    for cell, token in zip(frame.cells.tolist(), frame.tokens.tolist(), strict=True):
        if token == card.expand:
            yield cell, 1
        elif token in (stops if cell < last else plain):  # EOS means a surplus cell only where fixed text follows
            yield cell, -1


def _by_fit(card: Card, canvas: Canvas, frame: Frame) -> Iterator[tuple[int, int]]:
    """The last cell of each gap that is too long or too short, with the number of cells to insert or remove."""
    free, stops = canvas.free, [*card.ends, *card.skips]
    for last in np.flatnonzero(free & canvas.open & ~np.append(free[1:], True)).tolist():
        begins = int(np.append(np.flatnonzero(~free[:last]), -1).max()) + 1
        ending = _likely_ends(frame, canvas, stops)[begins : last + 1]
        over = int((~ending[::-1]).argmax()) if not ending.all() else len(ending)
        fresh = canvas.open[begins : last + 1].mean() >= 0.5  # a gap that is mostly written keeps its length
        near = frame.top_probs[last][np.isin(frame.top_ids[last], stops)].sum() / 255
        if over:
            yield last, -over
        elif fresh and frame.guess[last] >= 0 and near < LOW and frame.sure[last] / 255 < SURE:
            yield last, max(1, len(ending) // 2)


def _likely_ends(frame: Frame, canvas: Canvas, stops: list[int]) -> Bools:
    """Open cells whose likeliest token is EOS or a delete token."""
    mask: Bools = canvas.open & np.isin(frame.guess, stops) & (frame.sure >= round(255 * ENDS))
    return mask
