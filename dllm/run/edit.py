"""Applies the edits that a person makes between two passes to a state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import numpy as np

from unmask.belief import fill_with_noise
from unmask.canvas import BaseTokenizer, Canvas, Card
from unmask.decide import resizes
from unmask.errors import InvalidRequest
from unmask.run.check import require_checks
from unmask.run.command import Ban, Boost, Edit, Erase, Find, Pin, Release, Stretch, Tune
from unmask.run.constraint_check import check_constraint
from unmask.run.message import LONGEST
from unmask.run.spec import CHECKS, preset_changes
from unmask.run.state import State, replan

OUTCOMES = ("reopened", "stands", "left", "failed")
CONTEXT = 4  # tokens that hold the end of a sentence, with closing quotes
SENTENCE_END = re.compile(r"""([.!?…。！？]["'”’»)\]]*\s*|\n)$""")


@dataclass(frozen=True)
class Steering:
    """Applies edits to the runs of one model."""

    card: Card
    tokenizer: BaseTokenizer

    def after(self, state: State, edits: Sequence[Edit]) -> State:
        """The state after these edits; InvalidRequest says why one is not possible."""
        for edit in edits:
            if isinstance(edit, Stretch) and edit.own:
                raise InvalidRequest("`own` marks the model's own changes of length: leave it out")
            if isinstance(edit, Find):
                raise InvalidRequest("`find` is what a check of the run found: use `erase`")
            state = apply(state, self.resolved(state, edit), self.card.words)
            if len(state.canvas) > self.card.longest:
                raise InvalidRequest(f"this model sees at most {self.card.longest} cells")
            state = check_constraint(self.card, self.tokenizer, state)
            if isinstance(edit, Tune) and CHECKS & edit.changes.keys():
                require_checks(state.settings)
        return state

    def resolved(self, state: State, edit: Edit) -> Edit:
        """The edit with all that its outcome depends on: a preset's settings, and whether inserted cells begin a
        sentence. A model would write the next sentence into them, and the text would stay the same; within a sentence
        hardly any other word fits, so there it may."""
        if isinstance(edit, Stretch) and edit.by > 0 and self._begins_sentence(state.canvas, edit.at):
            return replace(edit, differently=True)
        return resolve_preset(state, edit, self.card)

    def _begins_sentence(self, canvas: Canvas, at: int) -> bool:
        """Whether what is written to the left of a cell ends a sentence or a line."""
        shown = ~canvas.open & ~np.isin(canvas.tokens, self.card.skips)
        left = np.flatnonzero(shown[: max(at, 0)])[-CONTEXT:]
        return bool(SENTENCE_END.search(self.tokenizer.decode(canvas.tokens[left].tolist())))

    def is_slow(self, state: State, edit: Edit) -> bool:
        """Whether the edit needs a constraint to be compiled again: another one, or with other bans."""
        match edit:
            case Tune(changes, _):
                return bool(changes.get("constraint") or state.settings.constraint)
            case Ban():
                return bool(state.settings.constraint)
        return False


def apply(state: State, edit: Edit, words: int | None = None) -> State:
    """The state after an edit; InvalidRequest says why it is not possible. `words` is the vocabulary size."""
    canvas, settings = state.canvas, state.settings
    match edit:
        case Pin(cells, tokens, insert):
            fitted = _fitted(state, cells, insert)
            _check_cells(fitted, cells, "pinned")
            _check_pin(fitted, cells, tokens, words)
            changed = replace(fitted, canvas=fitted.canvas.pin(cells, tokens))
        case Release(cells):
            _check_cells(state, cells, "released")
            if loose := [c for c in cells if not canvas.pinned[c]]:
                raise InvalidRequest(f"cell {loose[0]} is not pinned")
            changed = replace(state, canvas=canvas.release(cells))
        case Erase(cells, differently, banned_here):
            _check_cells(state, cells, "erased")
            canvas = canvas.release([c for c in cells if canvas.pinned[c]])
            avoid = _first_tokens(state, cells) if differently else state.avoid
            here = int(canvas.ids[min(cells)])
            avoid = tuple(dict.fromkeys((*avoid, *((here, token) for token in banned_here))))
            changed = replace(state, canvas=canvas.erase(canvas.mask(cells)), avoid=avoid)
        case Ban(token, lift):
            _check_token(token, words)
            holding = canvas.tokens == token
            if not lift and (holding & canvas.pinned & ~canvas.given).any():
                raise InvalidRequest("that word is pinned in the canvas; release it first")
            bans = {*settings.bans} - {token} if lift else {*settings.bans, token}
            reopened = canvas if lift else canvas.erase(holding & canvas.free & ~canvas.open)
            changed = replace(state, canvas=reopened, settings=settings.with_changes({"bans": tuple(bans)}))
        case Boost(token, amount):
            _check_token(token, words)
            boosts = {k: v for k, v in settings.boosts.items() if k != token} | ({token: amount} if amount else {})
            changed = replace(state, settings=settings.with_changes({"boosts": boosts}))
        case Stretch(at, by, own, differently):
            _check_stretch(state, at, by)
            longer = canvas.stretch(at, by, state.next_id)
            avoid = _next_token(state, longer, at, by) if differently and by > 0 else state.avoid
            changed = replace(_moved(state, longer, own), avoid=avoid)
        case Tune(changes, preset):
            if preset:
                raise InvalidRequest("a decoder's name has to be made into settings first")
            changed = _with_changes(state, changes)
            for token in (*changed.settings.bans, *changed.settings.boosts):
                _check_token(token, words)
        case Find():
            changed = _with_finding(state, edit)
        case _:
            assert_never(edit)
    if changed.findings and not (isinstance(edit, Find | Stretch) and edit.own):
        changed = replace(changed, findings=())  # the checks begin again
    return _plan_reopened(state, changed)


def _with_finding(state: State, edit: Find) -> State:
    """The state with what a check found; its cells are open again, unless they stay."""
    if edit.outcome not in OUTCOMES:
        raise InvalidRequest(f"outcome must be one of {', '.join(OUTCOMES)}, not {edit.outcome!r}"[:200], "outcome")
    findings = (*state.findings, (state.step, edit.check, edit.why, edit.outcome))
    if edit.outcome != "reopened":
        return replace(state, findings=findings)
    _check_cells(state, edit.cells, "reopened")
    where = state.canvas.mask(edit.cells)
    if (where & ~state.canvas.free).any():
        raise InvalidRequest("a check reopens only what the model wrote")
    avoid = _first_tokens(state, edit.cells) if edit.differently else state.avoid
    return replace(state, canvas=state.canvas.erase(where), avoid=avoid, findings=findings)


def _fitted(state: State, cells: Sequence[int], insert: int) -> State:
    """The state with as many cells as a pin needs."""
    if not insert:
        return state
    if not cells or insert >= len(cells):
        raise InvalidRequest("a pin inserts fewer cells than it has")
    at = cells[-insert] if insert > 0 else cells[-1] + 1
    _check_stretch(state, at, insert)
    return _moved(state, state.canvas.stretch(at, insert))


def _moved(state: State, canvas: Canvas, own: bool = False) -> State:
    """The state after cells came or went: a policy's memory and the last belief refer to cells that have moved. One
    that resizes keeps its memory over its own changes, and the ids of its cells are never used again."""
    moved = replace(state, canvas=canvas, memory=None, verify=None, seen=None, carry=None, aside=None, resize=None)
    if not resizes(state.settings.policy):
        return moved
    given = max(state.next_id, int(state.canvas.ids.max(initial=-1)) + 1, int(canvas.ids.max(initial=-1)) + 1)
    return replace(moved, next_id=given, **({"memory": state.memory, "verify": state.verify} if own else {}))


def _first_tokens(state: State, cells: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """`State.avoid` with the first token of each erased passage, so that the passage is written differently."""
    canvas = state.canvas
    erased = canvas.mask(cells) & ~canvas.open
    first = np.flatnonzero(erased & ~np.append(False, erased[:-1]))
    new = zip(canvas.ids[first].tolist(), canvas.tokens[first].tolist(), strict=True)
    return tuple(dict.fromkeys((*state.avoid, *new)))


def _next_token(state: State, longer: Canvas, at: int, by: int) -> tuple[tuple[int, int], ...]:
    """`State.avoid` with the token that follows inserted cells, and open ones after them, for the first one alone: a
    person may insert one cell after the other."""
    behind = at + by + int(np.argmin(np.append(longer.open[at + by :], False)))
    if behind >= len(longer):
        return state.avoid
    token, later = int(longer.tokens[behind]), longer.ids[at + by : behind].tolist()
    before = [pair for pair in state.avoid if pair[0] not in later or pair[1] != token]
    return tuple(dict.fromkeys((*before, (int(longer.ids[at]), token))))


def resolve_preset(state: State, edit: Edit, card: Card) -> Edit:
    """The edit with a preset replaced by its settings: a trace must stay the same when presets change."""
    if isinstance(edit, Tune) and edit.preset:
        return Tune(preset_changes(card, state.settings, edit.preset, int(state.canvas.answer.sum()), edit.changes))
    return edit


def _with_changes(state: State, changes: Mapping[str, Any]) -> State:
    settings = state.settings.with_changes(changes)
    changed = replace(state, settings=settings)
    if settings.policy != state.settings.policy:
        changed = replace(changed, memory=None, verify=None, another_pass=False, aside=None)
    reach = ("block", "block_from", "passes_for", "sight")
    if any(getattr(settings, name) != getattr(state.settings, name) for name in reach):
        changed = replan(changed)
    return changed


def _plan_reopened(before: State, after: State) -> State:
    """Start a new plan if an edit reopened cells of a finished run, fill opened cells with noise, and drop what the
    policy asked about the canvas before."""
    s = after.settings
    after = replace(after, canvas=fill_with_noise(after.canvas, s.seed, after.step, s.noise), ask=())
    # blocks are counted from the start of the answer, and opening a cell of a person's own text may move that
    if (before.done and not after.done) or before.canvas.origin != after.canvas.origin:
        after = replan(after)
    return after


def _check_cells(state: State, cells: Sequence[int], verb: str) -> None:
    if not cells:
        raise InvalidRequest(f"no cells to be {verb}")
    length = len(state.canvas)
    for cell in cells:
        if not 0 <= cell < length:
            raise InvalidRequest(f"there is no cell {cell}: the canvas has {length}, counted from 0")
        if state.canvas.prompt[cell]:
            raise InvalidRequest(f"cell {cell} belongs to the prompt and cannot be {verb}")


def _check_pin(state: State, cells: Sequence[int], tokens: Sequence[int], words: int | None) -> None:
    if len(cells) != len(tokens):
        raise InvalidRequest(f"a pin needs one cell for each token, not {len(cells)} for {len(tokens)}")
    wanted: dict[int, int] = {}
    for cell, token in zip(cells, tokens, strict=True):
        _check_token(token, words)
        if wanted.setdefault(cell, token) != token:
            raise InvalidRequest(f"cell {cell} cannot be pinned to two different tokens at once")
        if token in state.settings.bans:
            raise InvalidRequest("that word is banned; lift the ban first")


def _check_token(token: int, words: int | None) -> None:
    if token < 0 or (words is not None and token >= words):
        raise InvalidRequest(f"there is no token {token}" + (f": they go from 0 to {words - 1}" if words else ""))


def _check_stretch(state: State, at: int, by: int) -> None:
    canvas, length = state.canvas, len(state.canvas)
    first = length if canvas.prompt.all() else int(canvas.prompt.argmin())
    if not first <= at <= length:
        raise InvalidRequest(f"cells can be inserted or removed from cell {first} to {length}, not at {at}")
    if by == 0 or length + by > LONGEST:
        raise InvalidRequest("say how many cells to insert, or to remove with a minus")
    if by < 0 and (at - by > length or canvas.prompt[at : at - by].any()):
        raise InvalidRequest(f"there are not {-by} cells of the answer to remove from cell {at} on")
    if by < 0 and not np.delete(canvas.answer, np.s_[at : at - by]).any():
        raise InvalidRequest("at least one cell of the answer must stay")
