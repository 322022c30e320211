"""Commands: everything that a client can ask of a run, as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from unmask.errors import InvalidRequest
from unmask.run.fields import read_fields


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
    """Open written cells again (remask)."""

    cells: tuple[int, ...]


@dataclass(frozen=True)
class Ban:
    """Never propose a token; cells where the model wrote it are erased. `lift` allows it again."""

    token: int
    lift: bool = False


@dataclass(frozen=True)
class Boost:
    """Add `amount` to a token's logit in every cell; 0 removes the boost."""

    token: int
    amount: float


@dataclass(frozen=True)
class Stretch:
    """Insert `by` open cells before cell `at`, or remove `-by` cells from `at` on; `own`: the model asked for it."""

    at: int
    by: int
    own: bool = False


@dataclass(frozen=True)
class Tune:
    """Change settings by name; with a preset, switch to exactly that decoder with these changes."""

    changes: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""


@dataclass(frozen=True)
class Play:
    """Run until done; `slow` multiplies the time of each pass, and `pace` is its minimum in seconds."""

    slow: float = 1.0
    pace: float = 0.0


@dataclass(frozen=True)
class Pause:
    """Stop after the current pass."""


@dataclass(frozen=True)
class Step:
    """Make this many passes, then pause."""

    passes: int = 1


@dataclass(frozen=True)
class Seek:
    """Go to a moment of the timeline; 0 is before the first pass."""

    to: int


@dataclass(frozen=True)
class Undo:
    """Undo the last edit: go to the moment before it."""


@dataclass(frozen=True)
class Fork:
    """Continue from a moment on a new branch; the current branch stays as it is."""

    at: int
    name: str = ""


@dataclass(frozen=True)
class Switch:
    """Go to another branch."""

    head: str


@dataclass(frozen=True)
class Rename:
    """Rename a branch."""

    head: str
    name: str


@dataclass(frozen=True)
class Drop:
    """Delete a branch that is not the current one."""

    head: str


@dataclass(frozen=True)
class Peek:
    """Ask for the model's prediction at a cell and moment; `head` names a branch other than the current one."""

    cell: int
    at: int = -1
    head: str = ""


Edit = Pin | Release | Erase | Ban | Boost | Stretch | Tune
Transport = Play | Pause | Step | Seek | Undo | Fork | Switch | Rename | Drop | Peek
Command = Edit | Transport
EDITS: dict[str, type[Any]] = {c.__name__.lower(): c for c in (Pin, Release, Erase, Ban, Boost, Stretch, Tune)}
TRANSPORT: dict[str, type[Any]] = {
    c.__name__.lower(): c for c in (Play, Pause, Step, Seek, Undo, Fork, Switch, Rename, Drop, Peek)
}


def command_to_dict(command: Command) -> dict[str, Any]:
    """A command as JSON."""
    row = {f.name: getattr(command, f.name) for f in fields(command)}
    tidy = {k: [*v] if isinstance(v, tuple) else dict(v) if isinstance(v, Mapping) else v for k, v in row.items()}
    return {"do": type(command).__name__.lower()} | tidy


def parse_command(row: Mapping[str, Any]) -> Command:
    """A command from JSON; InvalidRequest says what is wrong with it."""
    known = EDITS | TRANSPORT
    kind = known.get(str(row.get("do")))
    if kind is None:
        raise InvalidRequest(f"no command '{row.get('do')}'; there are {', '.join(known)}")
    command: Command = kind(**read_fields(kind, row))
    return command
