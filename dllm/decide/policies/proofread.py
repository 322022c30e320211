"""Write boldly; when a block stands, read it from left to right and write it anew from the first word that is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import Bools, Canvas, Ints
from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, best

needs = Needs(verify=True, memory="run")
revises = True

LIKELIER = 10.0  # times: a gap is cut where what follows it is that much likelier
MOST = 12  # cells that a gap loses at most
NEARLY = 0.5  # of the best word's probability: what a word needs that was written though nothing was sure
CLOSE = 2  # cells: where two words so near each other are wrong, what follows was meant for another sentence


def proofread(
    view: View,
    tau: Annotated[float, Knob(0.1, 1.0, "write a cell once its likeliest word's probability is above this")] = 0.25,
    doubt: Annotated[float, Knob(0.0, 1.0, "what reading gives less than this share of its best word is wrong")] = 0.3,
) -> Choice:
    past = view.memory or ReadState()
    return _drafted(view, tau, past) if view.verified is None else _read(view, doubt, past)


@dataclass(frozen=True)
class ReadState:
    """What was read so far, by the ids of its cells."""

    read: frozenset[int] = frozenset()
    forced: frozenset[int] = frozenset()  # cells that were written though nothing was sure
    mended: int = -1  # the cell that was mended last

    def of(self, canvas: Canvas) -> Bools:
        """The cells that were read."""
        found: Bools = np.isin(canvas.ids, [*self.read])
        return found

    def near(self, canvas: Canvas, cell: int) -> bool:
        """Whether the cell that was mended last stands close before this one."""
        where = np.flatnonzero(canvas.ids == self.mended)
        return bool(where.size and cell - where[0] <= CLOSE)

    def then(self, ids: Ints) -> ReadState:
        return replace(self, read=self.read | {*ids.tolist()})

    def again(self, ids: Ints) -> ReadState:
        """With some to be read again."""
        return replace(self, read=self.read - {*ids.tolist()})


def _drafted(view: View, tau: float, past: ReadState) -> Choice:
    """Cells that are sure of some word. Which word it is may be drawn: had it to be a likely one, a cell would be drawn
    anew at each pass until it is, and a warm draft would tell the likeliest story after all."""
    certainty = view.belief.top_probs[:, 0]
    sure = view.eligible & (certainty > tau)
    write = sure
    if not sure.any():
        write = best(view, certainty, quota=1)
        past = replace(past, forced=past.forced | {*view.canvas.ids[write].tolist()})
    why = (Reason(write, f"confidence {{}} against {tau:g}, to be read when all stands", certainty),)
    return _then(view, Choice(write, memory=past, why=why), _standing(view, write) & ~past.of(view.canvas))


def _standing(view: View, write: Bools) -> Bools:
    """What can be read after this pass: a whole block, or a text that has come to its end; nothing before that.
    The first fixed word behind a gap is read with it."""
    canvas, cells = view.canvas, np.arange(len(view.canvas))
    still_open = canvas.open & ~write
    first = int(still_open.argmax()) if still_open.any() else len(canvas)
    ended = np.isin(np.where(write, view.belief.token, canvas.tokens), view.belief.ends) & canvas.answer
    last = int(np.flatnonzero(view.block).max(initial=-1))
    if ended[:first].any():
        last = int(ended.argmax())
    joints = ~canvas.free & np.append(False, canvas.free[:-1])  # `Canvas.behind` has their words
    found: Bools = (canvas.free & (cells <= last) | joints & (cells <= last + 1)) & (last < first)
    return found


def _then(view: View, choice: Choice, unread: Bools) -> Choice:
    """The choice, and what is to be read behind it: a gap as a whole, so that one sees where it could have ended."""
    if not unread.any():
        return choice
    for fixed in np.flatnonzero(unread & ~view.canvas.free).tolist():
        unread[_gap(view.canvas, fixed)] = True
    return replace(choice, stay=True, verify=unread)


def _gap(canvas: Canvas, fixed: int) -> Ints:
    """The free cells right before a fixed one."""
    return np.arange(int(np.flatnonzero(~canvas.free[:fixed]).max(initial=-1)) + 1, fixed)


def _read(view: View, doubt: float, past: ReadState) -> Choice:
    canvas, belief = view.canvas, view.belief
    assert view.verified is not None
    first = int(canvas.open.argmax()) if canvas.open.any() else len(canvas)
    cells = np.flatnonzero(view.verified & belief.known)
    cells = cells[cells < first]  # a person, or a constraint, may have left one open
    least = np.where(np.isin(canvas.ids, [*past.forced]), NEARLY, doubt)
    wrong = (belief.kept < least * belief.top_probs[:, 0]) & (canvas.tokens != belief.token) & ~past.of(canvas)
    wrong &= ~np.isin(canvas.tokens, belief.skips) & ~_announced(canvas)
    at = int(wrong[cells].argmax()) if wrong[cells].any() else len(cells)
    past = past.then(canvas.ids[cells[: at + 1]])
    right = Reason(canvas.mask(cells[:at].tolist()) & canvas.free, "read from left to right: it stays")
    if at == len(cells):
        return Choice(canvas.open & False, memory=past, why=(right,))
    cell, beyond = int(cells[at]), canvas.mask(cells[at + 1 :].tolist())
    if canvas.free[cell]:
        return _mended(view, past, cell, beyond, right)
    led = _led(view, doubt, past, cell, right)
    return led if led.erase is not None and led.erase.any() else _then(view, led, beyond)


def _announced(canvas: Canvas) -> Bools:
    """Words that are fixed behind a gap and not before it: who reads from the left cannot know of them yet."""
    gap = int(canvas.free.argmax()) if canvas.free.any() else len(canvas)
    fixed = ~canvas.free
    behind = np.setdiff1d(canvas.tokens[gap:][fixed[gap:]], canvas.tokens[:gap])
    found: Bools = np.isin(canvas.tokens, behind) & canvas.free
    return found


def _mended(view: View, past: ReadState, cell: int, beyond: Bools, right: Reason) -> Choice:
    """The word that reading gives. A single slip is mended where it stands, and what follows is read again; after a
    second one close by, all that follows is written anew, in cells that were thought too many as well."""
    canvas, belief = view.canvas, view.belief
    room = _room(view, cell)
    here, rest = canvas.mask([int(room[0])]), canvas.mask([*room[1:].tolist()]) | beyond & canvas.free
    anew = past.near(canvas, cell) or len(room) > 1 or int(belief.token[cell]) in belief.ends
    past = replace(past, mended=int(canvas.ids[cell]))
    why = (right, Reason(here, "read from left to right it is another word"))
    if not (anew and rest.any()):
        return _then(view, Choice(here, memory=past, why=why), beyond)
    past = past.then(canvas.ids[here]).again(canvas.ids[rest | beyond])
    return Choice(here, rest, memory=past, why=(*why, Reason(rest, "it stood behind words that were wrong")))


def _room(view: View, cell: int) -> Ints:
    """A cell, and those right before it that were thought too many: more words fit there."""
    empty = np.isin(view.canvas.tokens[:cell], view.belief.skips) & view.canvas.free[:cell]
    return np.arange(int(np.flatnonzero(~empty).max(initial=-1)) + 1, cell + 1)


def _led(view: View, doubt: float, past: ReadState, fixed: int, right: Reason) -> Choice:
    """A gap that does not lead to the fixed word behind it: cut where that word could have followed, or gone on with
    in cells that were thought too many."""
    canvas, belief = view.canvas, view.belief
    gap = _gap(canvas, fixed)
    empty = np.isin(canvas.tokens[gap], belief.skips)
    likely = np.nan_to_num(belief.next_word_probs[gap] / belief.top_probs[gap, 0])
    likely[empty | (np.cumsum(~empty) < 2) | (gap < fixed - MOST)] = 0  # something has to stand there
    # where no cell is left to go on with, a place is enough at which it would be far likelier than it is here
    least = doubt if empty.any() else min(doubt, LIKELIER * belief.kept[fixed] / belief.top_probs[fixed, 0])
    most = likely.max(initial=0)
    if belief.skips and most > 0 and most >= least:
        cut = canvas.mask(gap[np.flatnonzero(likely >= most / 2)[-1] :].tolist())
        gone = Reason(cut, "too many: what is fixed behind the gap goes on from here")
        return Choice(cut, memory=past, why=(right, gone), skip=cut)
    if not empty.any():
        return Choice(canvas.open & False, memory=past, why=(right,))
    cells = gap[int(empty.argmax()) :]
    here, rest = canvas.mask(cells[:1].tolist()), canvas.mask(cells[1:].tolist())
    why = (
        right,
        Reason(here, "the text does not lead to what is fixed behind the gap: it goes on"),
        Reason(rest, "written anew, to lead to what is fixed behind the gap"),
    )
    past = past.then(canvas.ids[here]).again(canvas.ids[np.append(cells[1:], fixed)])
    choice = Choice(here, rest, memory=past, why=why)
    return choice if rest.any() else _then(view, choice, canvas.mask([fixed]))


PRESETS = {
    "draft-and-proofread": {
        "title": "Draft and proofread",
        "says": "Writes boldly in blocks of 32; each is then read from left to right, and wrong words are mended.",
        "origin": "Unmask, after APD (arXiv:2506.00413) and Medusa's typical acceptance (arXiv:2401.10774)",
        "per_cell": True,
        "settings": {"options": {"tau": 0.25, "doubt": 0.3}, "block": 32},
    },
}
