"""Everything a person can ask for, as small values; and what an edit does to a state. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from dllm.canvas import Refused

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
