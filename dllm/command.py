"""Everything a person can ask for, as small values; and what an edit does to a state. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, assert_never

import numpy as np

from dllm.belief import noisy
from dllm.canvas import Refused
from dllm.step import State, start

LONGEST = 65_536  # cells; far beyond any model, near enough to refuse nonsense before anything is allocated


@dataclass(frozen=True)
class Pin:
    """Fix tokens in cells; `cells` and `tokens` go together."""

    cells: tuple[int, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Release:
    """Let the model decide pinned cells again."""

    cells: tuple[int, ...]


@dataclass(frozen=True)
class Erase:
    """Open cells again."""

    cells: tuple[int, ...]


@dataclass(frozen=True)
class Ban:
    """Never propose a token; cells of the model's that hold it open again. `lift` allows it again."""

    token: int
    lift: bool = False


@dataclass(frozen=True)
class Boost:
    """Add to a token's logit everywhere; 0 takes the boost away."""

    token: int
    amount: float


@dataclass(frozen=True)
class Stretch:
    """Insert `by` open cells before cell `at`, or remove `-by` cells from `at` on."""

    at: int
    by: int


@dataclass(frozen=True)
class Tune:
    """Change settings, by name."""

    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Play:
    """Go on until done; `slow` stretches each pass, and `pace` is the least time for one, in seconds."""

    slow: float = 1.0
    pace: float = 0.0


@dataclass(frozen=True)
class Pause:
    """Stop after the pass that is being thought."""


@dataclass(frozen=True)
class Step:
    """Spend so many passes, then pause."""

    passes: int = 1


@dataclass(frozen=True)
class Seek:
    """Stand at a moment of the timeline; 0 is before the first pass."""

    to: int


@dataclass(frozen=True)
class Undo:
    """Stand before the last edit."""


@dataclass(frozen=True)
class Fork:
    """Start another session from a moment of this one, which is left alone."""

    at: int


@dataclass(frozen=True)
class Peek:
    """What was believed at a cell, at a moment."""

    cell: int
    at: int = -1


Edit = Pin | Release | Erase | Ban | Boost | Stretch | Tune
Transport = Play | Pause | Step | Seek | Undo | Fork | Peek
Command = Edit | Transport
EDITS: dict[str, type[Any]] = {c.__name__.lower(): c for c in (Pin, Release, Erase, Ban, Boost, Stretch, Tune)}
TRANSPORT: dict[str, type[Any]] = {c.__name__.lower(): c for c in (Play, Pause, Step, Seek, Undo, Fork, Peek)}


def plain(command: Command) -> dict[str, Any]:
    """A command as JSON can hold it."""
    row = {f.name: getattr(command, f.name) for f in fields(command)}
    tidy = {k: [*v] if isinstance(v, tuple) else dict(v) if isinstance(v, Mapping) else v for k, v in row.items()}
    return {"do": type(command).__name__.lower()} | tidy


def read(row: Mapping[str, Any]) -> Command:
    """A command from what `plain` makes, or a sentence about what is wrong with it."""
    known = EDITS | TRANSPORT
    kind = known.get(str(row.get("do")))
    if kind is None:
        raise Refused(f"no command '{row.get('do')}'; there are {', '.join(known)}")
    wanted = {f.name: f for f in fields(kind)}
    told = {k: v for k, v in row.items() if k in wanted}
    try:
        command: Command = kind(**{k: typed(str(wanted[k].type), k, v) for k, v in told.items()})
    except TypeError as error:
        raise Refused(f"'{row['do']}' needs {', '.join(wanted)}") from error
    return command


def typed(kind: str, name: str, value: Any) -> Any:
    def whole(x: Any) -> int:
        if isinstance(x, bool) or not isinstance(x, int) or abs(x) > 2**53:
            raise Refused(f"{name} must be a whole number, not {x!r}")
        return x

    match kind:
        case "int":
            return whole(value)
        case "float":
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
                raise Refused(f"{name} must be a number, not {value!r}")
            return float(value)
        case "bool":
            if not isinstance(value, bool):
                raise Refused(f"{name} must be true or false, not {value!r}")
            return value
        case "tuple[int, ...]":
            if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > LONGEST:
                raise Refused(f"{name} must be a list of whole numbers")
            return tuple(whole(x) for x in value)
        case _:
            if not isinstance(value, Mapping):
                raise Refused(f"{name} must be names with values, not {value!r}")
            return dict(value)


def apply(state: State, edit: Edit, words: int | None = None) -> State:
    """The state after an edit, or a sentence about why it cannot be. `words` is the size of the vocabulary."""
    canvas, settings = state.canvas, state.settings
    match edit:
        case Pin(cells, tokens):
            _check_cells(state, cells, "pinned")
            _check_pin(state, cells, tokens, words)
            changed = replace(state, canvas=canvas.pin(cells, tokens))
        case Release(cells):
            _check_cells(state, cells, "released")
            if loose := [c for c in cells if not canvas.pinned[c]]:
                raise Refused(f"cell {loose[0]} is not pinned")
            changed = replace(state, canvas=canvas.release(cells))
        case Erase(cells):
            _check_cells(state, cells, "erased")
            canvas = canvas.release([c for c in cells if canvas.pinned[c]])
            changed = replace(state, canvas=canvas.erase(canvas.mask(cells)))
        case Ban(token, lift):
            _check_token(token, words)
            held = canvas.tokens == token
            if not lift and (held & canvas.pinned & ~canvas.open).any():
                raise Refused("that word is pinned in the canvas; release it first")
            bans = {*settings.bans} - {token} if lift else {*settings.bans, token}
            reopened = canvas if lift else canvas.erase(held & canvas.free & ~canvas.open)
            changed = replace(state, canvas=reopened, settings=settings.changed({"bans": tuple(bans)}))
        case Boost(token, amount):
            _check_token(token, words)
            if not -100 <= amount <= 100:
                raise Refused(f"a boost goes from -100 to 100, not {amount:g}")
            boosts = {k: v for k, v in settings.boosts.items() if k != token} | ({token: amount} if amount else {})
            changed = replace(state, settings=settings.changed({"boosts": boosts}))
        case Stretch(at, by):
            _check_stretch(state, at, by)
            # a policy's memory and the last thought speak of cells that have moved
            changed = replace(state, canvas=canvas.stretch(at, by), memory=None, seen=None, carry=None)
        case Tune(changes):
            changed = _tuned(state, changes)
            for token in (*changed.settings.bans, *changed.settings.boosts):
                _check_token(token, words)
        case _:
            assert_never(edit)
    return _resumed(state, changed)


def _tuned(state: State, changes: Mapping[str, Any]) -> State:
    settings = state.settings.changed(changes)
    changed = replace(state, settings=settings)
    if settings.policy != state.settings.policy:
        changed = replace(changed, memory=None, lingers=False)
    reach = ("block", "block_from", "passes_for", "sight")
    if any(getattr(settings, name) != getattr(state.settings, name) for name in reach):
        changed = replace(changed, block=start(changed.canvas, settings).block, block_began=state.step, memory=None)
    return changed


def _resumed(before: State, after: State) -> State:
    """A finished run that has open cells again starts a plan of its own for them; noise is thrown for what opened."""
    s = after.settings
    after = replace(after, canvas=noisy(after.canvas, s.seed, after.step, s.noise))
    if before.done and not after.done:
        after = replace(after, block=start(after.canvas, s).block, block_began=after.step, memory=None)
    return after


def _check_cells(state: State, cells: Sequence[int], verb: str) -> None:
    if not cells:
        raise Refused(f"no cells to be {verb}")
    length = len(state.canvas)
    for cell in cells:
        if not 0 <= cell < length:
            raise Refused(f"there is no cell {cell}: the canvas has {length}, counted from 0")
        if state.canvas.given[cell]:
            raise Refused(f"cell {cell} belongs to the prompt and cannot be {verb}")


def _check_pin(state: State, cells: Sequence[int], tokens: Sequence[int], words: int | None) -> None:
    if len(cells) != len(tokens):
        raise Refused(f"a pin needs one cell for each token, not {len(cells)} for {len(tokens)}")
    said: dict[int, int] = {}
    for cell, token in zip(cells, tokens, strict=True):
        _check_token(token, words)
        if said.setdefault(cell, token) != token:
            raise Refused(f"cell {cell} cannot be pinned to two different tokens at once")
        if token in state.settings.bans:
            raise Refused("that word is banned; lift the ban first")


def _check_token(token: int, words: int | None) -> None:
    if token < 0 or (words is not None and token >= words):
        raise Refused(f"there is no token {token}" + (f": they go from 0 to {words - 1}" if words else ""))


def _check_stretch(state: State, at: int, by: int) -> None:
    canvas, length = state.canvas, len(state.canvas)
    if not canvas.origin <= at <= length:
        raise Refused(f"cells can be inserted or removed from cell {canvas.origin} to {length}, not at {at}")
    if by == 0 or length + by > LONGEST:
        raise Refused("say how many cells to insert, or to remove with a minus")
    if by < 0 and (at - by > length or canvas.given[at : at - by].any()):
        raise Refused(f"there are not {-by} cells of the answer to remove from cell {at} on")
    if by < 0 and int(canvas.answer.sum()) + by < 1:
        raise Refused("at least one cell of the answer must stay")
