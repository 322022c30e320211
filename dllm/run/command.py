"""Commands: everything that a client can ask of a run, as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeGuard, get_args

from unmask.run.message import Flag, Messages, Number, Text, Whole, Wholes, message_name


@dataclass(frozen=True)
class Pin:
    """Fix tokens in cells; `cells` and `tokens` go together. `insert`: how many of its last cells are inserted for it;
    with a minus, how many cells behind it are removed."""

    cells: Wholes
    tokens: Wholes
    insert: Whole = 0


@dataclass(frozen=True)
class Release:
    """Let the model decide pinned cells again."""

    cells: Wholes


@dataclass(frozen=True)
class Erase:
    """Open written cells again (remask); `differently`: the first token of each passage does not come back; `avoid`:
    tokens that do not come back in the first cell, which may be open already."""

    cells: Wholes
    differently: Flag = False
    avoid: Wholes = ()


@dataclass(frozen=True)
class Ban:
    """Never propose a token; cells where the model wrote it are erased. `lift` allows it again."""

    token: Whole
    lift: Flag = False


@dataclass(frozen=True)
class Boost:
    """Add `amount` to a token's logit in every cell; 0 removes the boost."""

    token: Whole
    amount: Number


@dataclass(frozen=True)
class Stretch:
    """Insert `by` open cells before cell `at`, or remove `-by` cells from `at` on; `own`: the model asked for it;
    `differently`: the inserted cells do not begin with the token that follows them, set where they begin a sentence."""

    at: Whole
    by: Whole
    own: Flag = False
    differently: Flag = False


@dataclass(frozen=True)
class Tune:
    """Change settings by name; with a preset, switch to exactly that decoder with these changes."""

    changes: Mapping[str, Any] = field(default_factory=dict)
    preset: Text = ""


@dataclass(frozen=True)
class Find:
    """What a check found between two passes, never sent by a client. `outcome`: its cells are "reopened"; or they stay,
    since it came back too often ("stands") or all rounds were used ("left"); or the check "failed", and `why` says how.
    `differently`: as in `Erase`."""

    check: Text
    why: Text
    cells: Wholes = ()
    outcome: Text = "reopened"
    differently: Flag = False
    own: Flag = True


@dataclass(frozen=True)
class Play:
    """Run until done; `slow` multiplies the time of each pass, and `pace` is its minimum in seconds."""

    slow: Number = 1.0
    pace: Number = 0.0


@dataclass(frozen=True)
class Pause:
    """Stop after the current pass."""


@dataclass(frozen=True)
class Step:
    """Make this many passes, then pause."""

    passes: Whole = 1


@dataclass(frozen=True)
class Seek:
    """Go to a moment of the timeline; 0 is before the first pass."""

    to: Whole


@dataclass(frozen=True)
class Undo:
    """Undo the last edit; what followed it stays as a branch. `exact`: be what the run was before its last change."""

    exact: Flag = False


@dataclass(frozen=True)
class Redo:
    """Do again what was undone exactly."""


@dataclass(frozen=True)
class Revert:
    """Take back the edit that led to moment `at`: a branch goes on from before it, with the edits after it; or the run
    goes to a finished branch that has exactly those edits."""

    at: Whole


@dataclass(frozen=True)
class Fork:
    """Continue from a moment on a new branch; the current branch stays as it is."""

    at: Whole
    name: Text = ""


@dataclass(frozen=True)
class Switch:
    """Go to another branch."""

    head: Text


@dataclass(frozen=True)
class Rename:
    """Rename a branch."""

    head: Text
    name: Text


@dataclass(frozen=True)
class Drop:
    """Delete a branch that is not the current one."""

    head: Text


@dataclass(frozen=True)
class Peek:
    """Ask for the model's prediction at a cell and moment; `head` names a branch other than the current one."""

    cell: Whole
    at: Whole = -1
    head: Text = ""


Edit = Pin | Release | Erase | Ban | Boost | Stretch | Tune | Find
Transport = Play | Pause | Step | Seek | Undo | Redo | Revert | Fork | Switch | Rename | Drop | Peek
Command = Edit | Transport
EDITS: Messages[Edit] = Messages(get_args(Edit), noun="edit")
TRANSPORT: Messages[Transport] = Messages(get_args(Transport))
COMMANDS: Messages[Command] = Messages(get_args(Command))


NEW_FIELDS = ("avoid", "insert")  # left out where they say nothing, as in older traces


def command_to_dict(command: Command) -> dict[str, Any]:
    """A command as JSON."""
    row = {f.name: getattr(command, f.name) for f in fields(command)}
    row = {k: v for k, v in row.items() if v or k not in NEW_FIELDS}
    tidy = {k: [*v] if isinstance(v, tuple) else dict(v) if isinstance(v, Mapping) else v for k, v in row.items()}
    return {"do": message_name(type(command))} | tidy


def parse_command(row: Mapping[str, Any]) -> Command:
    """A command from JSON; InvalidRequest says what is wrong with it."""
    return COMMANDS.read(row)


def is_edit(command: Command) -> TypeGuard[Edit]:
    """Whether a command changes the state."""
    return command in EDITS
