"""Reading under a rule: the reader mends a draft from the left, and goes back where the rule leaves it nothing to say.

A draft keeps a rule cell by cell, and so it may keep it badly: a name goes on for ever, or a word that has to be there
is put where nothing else fits any more. The reader ends a name where it would end one; where the rule forbids what it
wants to say, it takes another way at an earlier word; and a text that must be there comes where it fits best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from unmask.canvas import Bools, Canvas, Ints
from unmask.decide.interface import Choice, Reason, View
from unmask.decide.ranking import best
from unmask.decide.stand_in import Trials, options, stand_ins

BOUND = 0.5  # the share of its prediction that a rule must leave a reader, or it takes part in the decisions
CORNER = 0.2  # the share of its prediction that a rule must leave a reader, or it looks for another way
FORCED = 64  # a cell in which a rule allows no more tokens is the rule's own, and no corner
NEAR = 0.97  # what a way counts for with each cell that it is further back
TURNS = 12  # how often a run goes back
LEAST_DOUBT = 0.5  # of the likeliest word's probability: what drafts under a rule need
STEERED = 1 / 6  # how much of the doubt is left before fixed cells, which reading does not see
PASSES = 2.0  # the most passes of a run, as a multiple of its cells


@dataclass(frozen=True)
class RuleState:
    """The memory of a run under a rule; cells are named by their ids."""

    read: frozenset[int] = frozenset()  # cells that were read, and stay
    spent: int = 0  # passes, the present one included
    turns: int = 0  # how often it went back
    ways: Mapping[int, tuple[int, float]] = field(default_factory=dict)  # another token for a cell, and its probability
    places: Mapping[int, float] = field(default_factory=dict)  # how well a missing text would fit from a cell on
    tried: frozenset[tuple[int, int]] = frozenset()  # ways that were taken: a cell and a token
    trials: Trials | None = None  # texts with a missing word, while they are tried

    def unread(self, canvas: Canvas) -> Bools:
        """The free cells that are still to be read."""
        mask: Bools = canvas.free & ~np.isin(canvas.ids, [*self.read])
        return mask

    def before(self, ids: Ints) -> RuleState:
        """What is known of these cells alone."""
        kept = {*ids.tolist()}
        return replace(
            self,
            read=self.read & kept,
            ways={cell: way for cell, way in self.ways.items() if cell in kept},
            places={cell: fit for cell, fit in self.places.items() if cell in kept},
        )

    def after_reading(self, view: View, cells: Ints) -> RuleState:
        """With what was read at these cells: other ways to go on, and how well a missing text would fit."""
        belief, ids = view.belief, view.canvas.ids[cells]
        if belief.top_ids.shape[1] < 2:
            return self
        second = np.where(belief.top_ids[:, 0] == view.canvas.tokens, 1, 0)[cells]
        chance = belief.top_probs[cells, second] * belief.share[cells]
        ways = zip(belief.top_ids[cells, second].tolist(), chance.tolist(), strict=True)
        return replace(
            self,
            ways={**self.ways, **dict(zip(ids.tolist(), ways, strict=True))},
            places={**self.places, **dict(zip(ids.tolist(), belief.fit[cells].tolist(), strict=True))},
        )


def is_bound(view: View) -> bool:
    """Whether the rule takes part in the decisions: programs read the text, or the reader would break the rule."""
    constraint = view.belief.constraint
    if constraint is None or constraint.structure or isinstance(view.memory, RuleState):
        return constraint is not None
    return view.verified is not None and bool((view.belief.share[view.verified & view.belief.known] < BOUND).any())


def under_rule(view: View, tau: float, doubt: float) -> Choice:
    """The choice of a decoder that drafts and reads, while a rule holds."""
    if not isinstance(view.memory, RuleState) and view.verified is not None:
        return _read_again(view)
    past = view.memory if isinstance(view.memory, RuleState) else RuleState()
    past = replace(past, spent=past.spent + 1)
    if past.trials is not None and view.verified is not None:
        return _tried(view, past, past.trials)
    if (whole := _from_record(view, past)) is not None:
        return whole
    if past.spent == 1 and view.belief.constraint and view.canvas.open[view.canvas.free].all():
        first = options(view.canvas, view.belief.constraint.options, view.belief.ends[0], view.belief.skips)
        if first is not None:
            return _try(view, replace(past, trials=first), first, 0)
    hurry = bool(past.spent + 1 > PASSES * np.count_nonzero(view.canvas.free))
    return _draft(view, tau, past, hurry) if view.verified is None else _read(view, doubt, past, hurry)


def _from_record(view: View, past: RuleState) -> Choice | None:
    """Write the whole record aside, then the fields of it that are wanted."""
    canvas, constraint = view.canvas, view.belief.constraint
    if constraint is None or not constraint.wants_whole(canvas):
        return None
    if past.spent == 1:
        return Choice(canvas.open & False, memory=past, stay=True, aside=canvas)
    row = constraint.from_whole(canvas, None if view.aside is None else view.aside.canvas, view.belief.ends[0])
    if row is None:
        return None
    past = replace(past, read=past.read | {*canvas.ids[canvas.free].tolist()})
    why = (Reason(canvas.free, "taken from the whole record, which was written aside"),)
    return Choice(canvas.free, memory=past, why=why, tokens=row)


def _read_again(view: View) -> Choice:
    """Read all that is written, to know where it could have gone otherwise."""
    canvas = view.canvas
    first = int(canvas.open.argmax()) if canvas.open.any() else len(canvas)
    filled = canvas.free & (np.arange(len(canvas)) < first)
    return Choice(filled & False, memory=RuleState(), stay=True, verify=filled)


def _draft(view: View, tau: float, past: RuleState, hurry: bool) -> Choice:
    """Write what is likely, or else the likeliest; then read what is complete."""
    certainty = view.belief.top_probs[:, 0]
    whole = hurry or (view.belief.constraint is not None and view.belief.constraint.structure)
    quota = int(np.count_nonzero(view.eligible)) if whole else 1
    write = (view.eligible & (certainty > tau)) | best(view, certainty, quota=quota)
    why = (Reason(write, f"confidence {{}} against {tau:g}, to be read when all stands", certainty),)
    canvas = view.canvas
    still_open = canvas.open & ~write
    first = int(still_open.argmax()) if still_open.any() else len(canvas)
    ended = np.isin(np.where(write, view.belief.token, canvas.tokens), view.belief.ends) & canvas.answer
    ended[first:] = False
    last = int(ended.argmax()) if ended.any() else int(np.flatnonzero(view.block).max(initial=-1))
    unread = past.unread(canvas) & (np.arange(len(canvas)) <= last) & (last < first)
    if hurry or not unread.any():
        return Choice(write, memory=past, why=why)
    return Choice(write, memory=past, why=why, stay=True, verify=unread)


def _read(view: View, doubt: float, past: RuleState, hurry: bool) -> Choice:
    """Keep what the reader would have written, up to the first word that it would not."""
    canvas, belief = view.canvas, view.belief
    assert view.verified is not None
    first = int(canvas.open.argmax()) if canvas.open.any() else len(canvas)
    cells = np.flatnonzero(view.verified & belief.known & canvas.free)
    cells = cells[cells < first]
    least = np.full(len(canvas), max(doubt, LEAST_DOUBT))
    least[: int(np.flatnonzero(~canvas.free).max(initial=0))] *= STEERED if _steered(canvas) else 1
    wrong = ((belief.kept < least * belief.top_probs[:, 0]) & (canvas.tokens != belief.token))[cells]
    at = int(wrong.argmax()) if wrong.any() else len(cells)
    past = past.after_reading(view, cells[: at + 1])
    corner = (belief.share < CORNER) & (belief.allowed > FORCED)
    corners = np.flatnonzero(corner[cells[: at + 1]])
    if corners.size and past.turns < TURNS and not hurry:
        back = _go_back(view, past, int(cells[corners[0]]))
        if back is not None:
            return back
    past = replace(past, read=past.read | {*canvas.ids[cells[: at + 1]].tolist()})
    right = Reason(canvas.mask(cells[:at].tolist()), "read from left to right: it stays")
    if at == len(cells):
        return Choice(canvas.open & False, memory=past, why=(right,))
    why = (right, Reason(canvas.mask([int(cells[at])]), "read from left to right it is another word"))
    return _rewrite(view, past, int(cells[at]), (int(belief.token[cells[at]]),), why)


def _steered(canvas: Canvas) -> bool:
    """Whether a cell after the first free one is fixed."""
    free = canvas.free
    return bool((~free[int(free.argmax()) :]).any())


def _go_back(view: View, past: RuleState, corner: int) -> Choice | None:
    """Another way at an earlier cell, if there is one that the reader likes better than to go on at this corner."""
    canvas, belief = view.canvas, view.belief
    earlier = np.flatnonzero(canvas.free[: corner + 1] & ~canvas.open[: corner + 1])
    constraint = belief.constraint
    missing = constraint.missing(canvas, corner) if constraint else ()
    past = replace(past, turns=past.turns + 1)
    if constraint and missing:
        fits = {int(cell): past.places.get(int(cell), 0.0) for cell in canvas.ids[earlier]}
        trials = stand_ins(canvas, corner, missing, fits, constraint.alike(missing[0]))
        return None if trials is None else _try(view, replace(past, trials=trials), trials, 0)
    ways = [(past.ways.get(int(canvas.ids[cell]), (0, 0.0)), int(cell)) for cell in earlier if cell < corner]
    open_ways = [
        (chance * NEAR ** (corner - cell), cell, token)
        for (token, chance), cell in ways
        if chance and (int(canvas.ids[cell]), token) not in past.tried
    ]
    worth, cell, token = max(open_ways, default=(0.0, 0, 0))
    if worth <= belief.share[corner] * belief.top_probs[corner, 0]:
        return None
    why = (Reason(canvas.mask([cell]), "what follows would have broken the rule: another way"),)
    return _rewrite(view, past, cell, (token,), why)


def _try(view: View, past: RuleState, trials: Trials, number: int) -> Choice:
    """Write a text of the trials, to be read next."""
    canvas, read = view.canvas, trials.cells(number, view.canvas)
    write = read & canvas.free
    behind = canvas.free & ~canvas.open & (np.arange(len(canvas)) >= trials.ends[number])
    why = (Reason(write, "one of a few texts that keep the rule, to be compared"),)
    return Choice(write, behind, past, why, stay=True, verify=read, tokens=trials.rows[number])


def _tried(view: View, past: RuleState, trials: Trials) -> Choice:
    """Go on with the next text, or keep the one that the reader finds likeliest."""
    canvas = view.canvas
    number = len(trials.scores)
    read = trials.cells(number, canvas) & view.belief.known & trials.telling[number]
    likely = np.log(np.maximum(view.belief.kept[read] * view.belief.share[read], 1e-12)).sum()
    trials = replace(trials, scores=(*trials.scores, float(likely)))
    if len(trials.scores) < len(trials.rows):
        return _try(view, replace(past, trials=trials), trials, len(trials.scores))
    end, row = trials.ends[trials.best], trials.rows[trials.best].copy()
    if end < len(canvas) and canvas.free[end]:
        row[end] = view.belief.ends[0]
    write = (trials.cells(trials.best, canvas) | (np.arange(len(canvas)) == end)) & canvas.free
    behind = canvas.free & ~canvas.open & (np.arange(len(canvas)) > end)
    past = replace(past, trials=None, read=past.read | {*canvas.ids[: end + 1].tolist()})
    return Choice(
        write, behind, past, (Reason(write, "of these texts the reader finds this the likeliest"),), tokens=row
    )


def _rewrite(view: View, past: RuleState, cell: int, tokens: tuple[int, ...], why: tuple[Reason, ...]) -> Choice:
    """Write these tokens from a cell on, and everything after them anew."""
    canvas, place = view.canvas, np.arange(len(view.canvas))
    here = (place >= cell) & (place < cell + len(tokens))
    after = canvas.free & ~canvas.open & (place >= cell + len(tokens))
    row = canvas.tokens.copy()
    row[here] = tokens
    past = past.before(canvas.ids[: cell + len(tokens)])
    ids = canvas.ids[here].tolist()
    past = replace(past, read=past.read | {*ids}, tried=past.tried | {(ids[0], tokens[0])})
    reasons = (*why, Reason(after, "it stood behind words that were wrong"))
    return Choice(here, after, memory=past, why=reasons, tokens=row)
