"""Draft a block in parallel, then verify it from left to right and rewrite it from the first wrong token on.

A block that is erased too often, or a run that would take too many passes, is finished by the reader alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.canvas import Bools, Canvas, Ints
from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, best
from unmask.decide.gap_by_reader import GapState, write_gap
from unmask.decide.gap_lengths import GapFills, fill_again, read_fill
from unmask.decide.read_state import ReadState, steered
from unmask.decide.rule_search import RuleState, is_bound, under_rule

group = "revises"
needs = Needs(verify=True, memory="run")
revises = True

LIKELIER = 10.0  # a gap is cut where the fixed token after it is this many times likelier than at the gap's end
MOST = 12  # the most cells that a gap loses
CAREFUL = 0.8  # the least `tau` of a gap that is filled again
FORCED_DOUBT = 0.5  # the least `doubt` for a token that was written below `tau`
STEERED = 1 / 6  # how much of the doubt is left where text leads to fixed cells, which reading does not see


def proofread(
    view: View,
    tau: Annotated[float, Knob(0.1, 1.0, "write a cell once its likeliest word's probability is above this")] = 0.25,
    doubt: Annotated[
        float, Knob(0.0, 1.0, "then replace a word whose chance, as a share of the best word's, is below this")
    ] = 0.3,
) -> Choice:
    if is_bound(view):
        return under_rule(view, tau, doubt)
    if view.is_aside and steered(view):
        tau = max(tau, CAREFUL)
    if isinstance(view.memory, GapFills):
        return fill_again(view, view.memory)
    if isinstance(view.memory, GapState):
        return read_fill(view, write_gap(view, tau, view.memory), view.memory.spent + 1)
    past = (view.memory if isinstance(view.memory, ReadState) else ReadState()).at_pass(view)
    if past.stuck(view):
        return write_gap(view, tau, GapState(past.spent))
    choice = _draft(view, tau, past) if view.verified is None else _verify(view, doubt, past)
    return read_fill(view, choice, past.spent)


def settled(canvas: Canvas, pending: Bools, memory: ReadState | RuleState | None, skips: Sequence[int]) -> Bools:
    """The cells that no later pass changes: those read, up to the first that was not; where text is fixed behind a gap,
    the gap may still be cut, and under a rule the text may take another way anywhere."""
    if isinstance(memory, RuleState | GapState | GapFills):
        return np.full(len(canvas), not (canvas.open | pending).any())
    read = (memory or ReadState()).cells_read(canvas) | ~canvas.free
    front = int(np.argmin(read)) if not read.all() else len(canvas)
    while front and canvas.free[front - 1] and int(canvas.tokens[front - 1]) in skips:
        front -= 1  # surplus cells: a word that is corrected may begin in them
    behind = canvas.free.any() and (~canvas.free[int(canvas.free.argmax()) :]).any()
    mask: Bools = (np.arange(len(canvas)) < front) & (not behind)
    return mask


def _draft(view: View, tau: float, past: ReadState) -> Choice:
    """Write the cells whose likeliest token is above `tau`, or else the likeliest one; all open cells if the block is
    to be finished. The token written may be a sampled one: if it had to be likely too, a cell would be sampled at each
    pass until it is, and temperature would have no effect."""
    certainty = view.belief.top_probs[:, 0]
    sure = view.eligible & (certainty > tau)
    write = sure | best(view, certainty, quota=int(np.count_nonzero(view.eligible)) if past.finishing else 1)
    past = replace(past, forced=past.forced | {*view.canvas.ids[write & ~sure].tolist()})
    why = (Reason(write, f"confidence {{}} against {tau:g}, to be read when all stands", certainty),)
    unread = _readable(view, write) & ~past.cells_read(view.canvas)
    if past.finishing and (steered(view) or past.is_last(view)):
        return Choice(write, memory=past.with_read(view.canvas.ids[unread]), why=why)
    return _verify_next(view, Choice(write, memory=past, why=why), unread)


def _readable(view: View, write: Bools) -> Bools:
    """The cells that can be verified after this pass: those of a complete block, or of a text up to its EOS token.
    The first fixed token after a gap is verified with the gap."""
    canvas, cells = view.canvas, np.arange(len(view.canvas))
    still_open = canvas.open & ~write
    first = int(still_open.argmax()) if still_open.any() else len(canvas)
    ended = np.isin(np.where(write, view.belief.token, canvas.tokens), view.belief.ends) & canvas.answer
    last = int(np.flatnonzero(view.block).max(initial=-1))
    if ended[:first].any():
        last = int(ended.argmax())
    joints = ~canvas.free & np.append(False, canvas.free[:-1])  # the fixed cells right after a gap
    mask: Bools = (canvas.free & (cells <= last) | joints & (cells <= last + 1)) & (last < first)
    return mask


def _verify_next(view: View, choice: Choice, unread: Bools) -> Choice:
    """The choice with a request to verify `unread` next; a gap is verified as a whole, to see where it could end."""
    if not unread.any():
        return choice
    for fixed in np.flatnonzero(unread & ~view.canvas.free).tolist():
        unread[_gap(view.canvas, fixed)] = True
    return replace(choice, stay=True, verify=unread)


def _gap(canvas: Canvas, fixed: int) -> Ints:
    """The free cells right before a fixed cell."""
    return np.arange(int(np.flatnonzero(~canvas.free[:fixed]).max(initial=-1)) + 1, fixed)


def _verify(view: View, doubt: float, past: ReadState) -> Choice:
    """Accept the verified cells up to the first wrong one, and correct that."""
    canvas, belief = view.canvas, view.belief
    assert view.verified is not None
    first = int(canvas.open.argmax()) if canvas.open.any() else len(canvas)
    cells = np.flatnonzero(view.verified & belief.known)
    cells = cells[cells < first]  # an edit or a constraint may have left a cell open
    least = np.where(np.isin(canvas.ids, [*past.forced]), max(FORCED_DOUBT, doubt), doubt)
    least[: int(np.flatnonzero(~canvas.free).max(initial=0))] *= STEERED if steered(view) else 1
    wrong = (belief.kept < least * belief.top_probs[:, 0]) & (canvas.tokens != belief.token) & ~past.cells_read(canvas)
    wrong &= ~_unpredictable(canvas)
    if not past.finishing or steered(view):
        wrong &= ~np.isin(canvas.tokens, belief.skips)
    if past.finishing:
        return _finish(view, past, cells, wrong)
    at = int(wrong[cells].argmax()) if wrong[cells].any() else len(cells)
    past = past.with_read(canvas.ids[cells[: at + 1]])
    right = Reason(canvas.mask(cells[:at].tolist()) & canvas.free, "read from left to right: it stays")
    if at == len(cells):
        return Choice(canvas.open & False, memory=past, why=(right,))
    cell, beyond = int(cells[at]), canvas.mask(cells[at + 1 :].tolist())
    if canvas.free[cell]:
        return _correct(view, past, cell, beyond, right)
    fixed_gap = _fix_gap(view, doubt, past, cell, right)
    return fixed_gap if fixed_gap.erase is not None and fixed_gap.erase.any() else _verify_next(view, fixed_gap, beyond)


def _finish(view: View, past: ReadState, cells: Ints, wrong: Bools) -> Choice:
    """Correct every wrong cell at once, and verify what follows the first again: each pass settles at least one cell.
    Text that leads to fixed cells stays as it is, since reading does not see them."""
    canvas, belief = view.canvas, view.belief
    if steered(view) or not wrong[cells].any():
        past = past.with_read(canvas.ids[cells])
        right = Reason(canvas.mask(cells.tolist()) & canvas.free, "it stays: enough was rewritten")
        behind = _behind_end(view, canvas.tokens, cells)
        return Choice(
            canvas.open & False, behind, memory=past, why=(right, Reason(behind, "after the end of the text"))
        )
    at = int(wrong[cells].argmax())
    write = canvas.mask(cells[wrong[cells]].tolist()) & canvas.free
    past = past.with_read(canvas.ids[cells[: at + 1]])
    why = (Reason(write, "the reader finishes this block: its word, from what stands to the left"),)
    tokens = np.where(write, belief.token, canvas.tokens)
    ended = np.flatnonzero(np.isin(tokens, belief.ends) & canvas.answer)
    if ended.size and ended[0] == cells[at]:
        behind = _behind_end(view, tokens, cells)
        write = write & ~behind
        return Choice(write, behind, memory=past, why=(*why, Reason(behind, "after the end of the text")))
    unread = _unread(view, past, tokens)
    if past.is_last(view):
        return Choice(write, memory=past.with_read(canvas.ids[unread]), why=why)
    return _verify_next(view, Choice(write, memory=past, why=why), unread)


def _behind_end(view: View, tokens: Ints, cells: Ints) -> Bools:
    """The written cells of the block after the first EOS token, if that is among `cells`."""
    ended = np.isin(tokens, view.belief.ends)
    found = cells[ended[cells]]
    first = int(found[0]) if found.size else len(tokens)
    mask: Bools = view.canvas.free & ~view.canvas.open & ~ended & (np.arange(len(tokens)) > first)
    return mask


def _unpredictable(canvas: Canvas) -> Bools:
    """Free cells with a token that is fixed after a gap, where it occurs first: the left does not predict it."""
    gap = int(canvas.free.argmax()) if canvas.free.any() else len(canvas)
    behind = canvas.tokens[gap:][~canvas.free[gap:]]
    first = np.zeros(len(canvas), bool)
    first[np.unique(canvas.tokens, return_index=True)[1]] = True
    mask: Bools = first & canvas.free & np.isin(canvas.tokens, behind)
    return mask


def _correct(view: View, past: ReadState, cell: int, beyond: Bools, right: Reason) -> Choice:
    """Write the autoregressive token. After a single error, what follows is verified again; after a second error close
    by, all that follows is erased and written again, surplus cells included."""
    canvas, belief = view.canvas, view.belief
    if int(canvas.tokens[cell]) in belief.ends:  # the text goes on, up to the next end
        beyond = beyond | _unread(view, past, np.where(canvas.mask([cell]), belief.token, canvas.tokens))
    room = _surplus(view, cell)
    here, rest = canvas.mask([int(room[0])]), canvas.mask([*room[1:].tolist()]) | beyond & canvas.free & belief.known
    anew = past.near(canvas, cell) or len(room) > 1 or int(belief.token[cell]) in belief.ends
    past = replace(past, corrected=int(canvas.ids[cell]))
    why = (right, Reason(here, "read from left to right it is another word"))
    if not (anew and rest.any()):
        return _verify_next(view, Choice(here, memory=past, why=why), beyond)
    past = past.with_read(canvas.ids[here]).without_read(canvas.ids[rest | beyond])
    past = replace(past, rounds=past.rounds + 1)
    return Choice(here, rest, memory=past, why=(*why, Reason(rest, "it stood behind words that were wrong")))


def _unread(view: View, past: ReadState, tokens: Ints) -> Bools:
    """The cells that are still to be read: up to the first end among `tokens`, and before the first open cell."""
    canvas, place = view.canvas, np.arange(len(tokens))
    ended = np.flatnonzero(np.isin(tokens, view.belief.ends) & canvas.answer)
    last = int(ended[0]) if ended.size else len(tokens)
    first_open = int(canvas.open.argmax()) if canvas.open.any() else len(tokens)
    mask: Bools = canvas.free & ~past.cells_read(canvas) & (place <= last) & (place < first_open)
    return mask


def _surplus(view: View, cell: int) -> Ints:
    """A cell and the surplus cells right before it, in which more tokens fit."""
    empty = np.isin(view.canvas.tokens[:cell], view.belief.skips) & view.canvas.free[:cell]
    return np.arange(int(np.flatnonzero(~empty).max(initial=-1)) + 1, cell + 1)


def _fix_gap(view: View, doubt: float, past: ReadState, fixed: int, right: Reason) -> Choice:
    """Fix a gap whose text does not lead to the fixed token after it: cut it where that token could follow, or continue
    the text in surplus cells."""
    canvas, belief = view.canvas, view.belief
    gap = _gap(canvas, fixed)
    empty = np.isin(canvas.tokens[gap], belief.skips)
    likely = np.nan_to_num(belief.next_word_probs[gap] / belief.top_probs[gap, 0])
    likely[empty | (np.cumsum(~empty) < 2) | (gap < fixed - MOST)] = 0  # at least one token of the gap stays
    # without surplus cells, a cut needs only a place at which the token is far likelier than at the gap's end
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
    past = past.with_read(canvas.ids[here]).without_read(canvas.ids[np.append(cells[1:], fixed)])
    choice = Choice(here, rest, memory=past, why=why)
    return choice if rest.any() else _verify_next(view, choice, canvas.mask([fixed]))


PRESETS = {
    "draft-and-proofread": {
        "title": "Draft and proofread",
        "plain": "Draft and proofread",
        "says": "Writes boldly in blocks of 32; each is then read from left to right, and wrong words are mended.",
        "short": "Drafts boldly; then its twin reads from the left, and what is wrong is mended.",
        "origin": "Unmask, after APD (arXiv:2506.00413) and Medusa's typical acceptance (arXiv:2401.10774)",
        "per_cell": True,
        "settings": {"options": {"tau": 0.25, "doubt": 0.3}, "block": 32},
    },
}
