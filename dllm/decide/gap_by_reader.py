"""A gap that drafts do not fill: it is written from the left, as its reader would go on, and ends where that leads best
to the fixed text behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from unmask.canvas import Canvas, Ints
from unmask.decide.interface import Choice, Reason, View

LONG = 12  # cells of a text whose gap may be written so: a shorter one has no passes to spare
STUCK = 0.65  # passes, as a share of the free cells, after which a draft of a gap is given up
MOST = 1.2  # the most passes, as a multiple of the free cells
TO_END = 2  # passes that are kept to end the gap
DOUBT = 0.5  # of the likeliest word's probability: what a drafted word needs
LEAST = 4  # cells that a gap keeps


@dataclass(frozen=True)
class GapState:
    """The memory of a run whose last gap the reader writes; cells are named by their ids."""

    spent: int
    read: frozenset[int] = frozenset()
    leads: Mapping[int, float] = field(default_factory=dict)  # how likely the fixed text comes next in a cell's place


def last_gap(canvas: Canvas) -> Ints:
    """The free cells before the last fixed one that has some before it."""
    fixed = np.flatnonzero(~canvas.free)
    behind = fixed[np.flatnonzero(np.diff(fixed) > 1) + 1]
    if not behind.size:
        return np.empty(0, np.int64)
    return np.arange(int(fixed[fixed < behind[-1]].max()) + 1, int(behind[-1]))


def write_gap(view: View, tau: float, past: GapState) -> Choice:
    """A pass of a run whose last gap is written from the left."""
    past = replace(past, spent=past.spent + 1)
    canvas, gap = view.canvas, last_gap(view.canvas)
    unread = gap[~np.isin(canvas.ids[gap], [*past.read])]
    if view.verified is None:
        if not past.leads and canvas.free[gap].all() and not past.read and not canvas.open[gap].all():
            anew = canvas.mask([*gap.tolist()]) & ~canvas.open
            why = (Reason(anew, "it leads nowhere: written anew from the left"),)
            return Choice(anew & False, anew, past, why, tokens=canvas.tokens)
        return _draft(view, tau, past, unread)
    return _read(view, past, gap, unread)


def _draft(view: View, tau: float, past: GapState, unread: Ints) -> Choice:
    """Write the first open cells of the gap, up to an unsure one, and the likeliest words in all other open cells."""
    unread = unread[view.eligible[unread]]
    sure = view.belief.top_probs[unread, 0] > tau
    count = len(sure) if sure.all() else max(1, int(sure.argmin()))
    write = view.canvas.mask(unread[:count].tolist())
    others = view.eligible & ~view.canvas.mask(unread.tolist())
    why = (
        Reason(
            write | others, f"confidence {{}} against {tau:g}, to be read when all stands", view.belief.top_probs[:, 0]
        ),
    )
    return Choice(write | others, memory=past, why=why, stay=True, verify=write)


def _read(view: View, past: GapState, gap: Ints, unread: Ints) -> Choice:
    """Keep what the reader would have written, and its own word after that; or end the gap where it leads on best."""
    canvas, belief = view.canvas, view.belief
    cells = unread[~canvas.open[unread] & belief.known[unread]]
    wrong = (belief.kept < DOUBT * belief.top_probs[:, 0])[cells] & (canvas.tokens != belief.token)[cells]
    at = int(wrong.argmax()) if wrong.any() else len(cells)
    seen = cells[: at + 1]
    leads = dict(zip(canvas.ids[seen].tolist(), belief.next_word_probs[seen].tolist(), strict=True))
    past = replace(past, read=past.read | {*canvas.ids[seen].tolist()}, leads={**past.leads, **leads})
    ended = at < len(cells) and int(belief.token[cells[at]]) in belief.ends
    right = Reason(canvas.mask(cells[:at].tolist()), "read from left to right: it stays")
    if ended or len(unread) <= at or past.spent + TO_END > MOST * np.count_nonzero(canvas.free):
        return _end(view, past, gap, right)
    here = canvas.mask(cells[at : at + 1].tolist())
    after = canvas.mask(cells[at + 1 :].tolist())
    why = (
        right,
        Reason(here, "read from left to right it is another word"),
        Reason(after, "it stood behind words that were wrong"),
    )
    return Choice(here, after, past, why)


def _end(view: View, past: GapState, gap: Ints, right: Reason) -> Choice:
    """Empty the gap from the place on where the fixed text behind it follows best."""
    canvas = view.canvas
    leads = np.nan_to_num([past.leads.get(int(cell), 0.0) for cell in canvas.ids[gap]])
    read = np.isin(canvas.ids[gap], [*past.read])
    leads[:LEAST] = 0
    leads[len(gap) if read.all() else int(read.argmin()) :] = 0  # what was read before the text became another
    ends = [canvas.tokens[gap[0] - 1], canvas.tokens[-1]]  # a sentence ends as those before the gap and at the end do
    whole = np.isin(canvas.tokens[gap - 1], ends)
    leads = np.where(whole, leads, 0) if leads[whole].any() else leads
    cut = canvas.mask(gap[int(leads.argmax()) :].tolist()) if leads.any() else canvas.mask([])
    gone = Reason(cut, "too many: what is fixed behind the gap goes on from here")
    return Choice(cut, memory=past, why=(right, gone), skip=cut, tokens=canvas.tokens)
