"""Writes `assets/wire/messages.d.ts`: the types of all messages, made from Python's. `npm run types` does this first;
git does not keep the file."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from unmask.canvas import Canvas
from unmask.run.codec import CanvasRow, FrameRow
from unmask.run.command import COMMANDS
from unmask.run.event import NAMES, Stepped, SteppedRow
from unmask.run.message import message_name
from unmask.run.timeline import Head
from unmask.serve.doors.answers import ANSWERS, BranchRow, Envelope
from unmask.serve.doors.requests import REQUESTS, TEXT_EDITS, Side
from unmask.serve.features import features

FILE = Path(__file__).parents[1] / "assets" / "wire" / "messages.d.ts"
HEADER = "// Types of the messages, made from Python's by `python -m scripts.typescript`.\n"
PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null", Any: "any"}
NUMBERS = """export interface Numbers {
  id?: any;
  ref?: number;
  session?: string;
  at_moment?: number;
}"""
ABSENT = {"ref", "field", "code"}  # of events: sent only where they say something
Hint: TypeAlias = Any


def type_of(hint: Hint) -> str:
    """A Python type as TypeScript."""
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is Canvas:
        return "CanvasRow"
    if is_typeddict(hint) or is_dataclass(hint):
        return str(hint.__name__)
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Annotated, NotRequired):
        return type_of(inside[0])
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inside)
    if origin in (Union, types.UnionType):
        return " | ".join(map(type_of, inside))
    if origin is tuple and inside[-1] is not Ellipsis:
        return f"[{', '.join(map(type_of, inside))}]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"Record<string, {type_of(inside[1])}>"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return f"Array<{type_of(inside[0])}>"
    raise TypeError(f"no TypeScript for {hint!r}: add it to scripts/typescript.py")


def interface(kind: type[Any], name: str = "", extends: str = "", did: str = "", do: str = "") -> str:
    """A dataclass or a `TypedDict` as an interface; `did` or `do` is the name of the message."""
    head = f"export interface {name or kind.__name__} {f'extends {extends} ' * bool(extends)}{{"
    named = [f'  {key}: "{value}";' for key, value in (("did", did), ("do", do)) if value]
    optional = ABSENT if did else _defaults(kind)  # an event is sent with all of its fields but these
    inherited = get_type_hints(FrameRow) if kind is SteppedRow else {}
    hints = {k: v for k, v in get_type_hints(kind, include_extras=True).items() if k not in inherited}
    members = [
        f"  {field}{'?' * (field in optional or get_origin(hint) is NotRequired)}: {type_of(hint)};"
        for field, hint in hints.items()
    ]
    return "\n".join([head, *named, *members, "}"])


def _defaults(kind: type[Any]) -> set[str]:
    if is_dataclass(kind):
        return {f.name for f in fields(kind) if f.default is not MISSING or f.default_factory is not MISSING}
    return set() if getattr(kind, "__total__", True) else {*get_type_hints(kind)}


def typescript() -> str:
    """The whole file."""
    rows = [interface(kind) for kind in (CanvasRow, FrameRow, Head, BranchRow, Envelope, Side)]
    events: list[str] = []
    for kind, did in NAMES.items():
        form = SteppedRow if kind is Stepped else kind
        events.append(f"{kind.__name__}Event")
        base = "Envelope, FrameRow" if kind is Stepped else "Envelope"
        rows.append(interface(form, events[-1], base, did=did))
    for answer in ANSWERS:
        events.append(f"{answer.__name__}Answer")
        rows.append(interface(answer, events[-1], "Envelope"))
    known = [COMMANDS, REQUESTS, *(one.requests for one in features() if one.requests), TEXT_EDITS]
    kinds = [kind for some in known for kind in some.kinds.values()]
    requests = [f"{kind.__name__}Request" for kind in kinds]
    rows += [
        interface(kind, name, "Numbers", do=message_name(kind)) for kind, name in zip(kinds, requests, strict=True)
    ]
    rows.append(NUMBERS)
    rows.append(f"// prettier-ignore\nexport type Event = {' | '.join(events)};")
    rows.append(f"// prettier-ignore\nexport type Request = {' | '.join(requests)};")
    return HEADER + "\n" + "\n\n".join(rows) + "\n"


if __name__ == "__main__":
    FILE.write_text(typescript(), encoding="utf-8")
