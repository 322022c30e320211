"""Events that a run emits, in one JSON form for the socket, traces and lessons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired

from unmask.canvas import Canvas
from unmask.run.codec import FrameRow, canvas_to_dict, frame_to_dict
from unmask.run.frame import Frame


class SteppedRow(FrameRow):
    """A pass in JSON. `ms` are the times of `Stepped`."""

    at: int
    ms: tuple[float, float, float]
    shared: NotRequired[bool]


@dataclass(frozen=True, eq=False)
class Opened:
    """A session was opened; its head has everything that is needed to run it again."""

    session: str
    head: Mapping[str, Any]
    canvas: Canvas


@dataclass(frozen=True, eq=False)
class Stepped:
    """A pass was made. `thinking` and `other` are milliseconds on and off the device."""

    at: int  # the moment it leads to
    frame: Frame
    thinking: float = 0.0
    other: float = 0.0
    clock: float = 0.0  # device time of this run so far, in milliseconds
    shared: bool = False  # other runs or programs used the processor meanwhile, so the times are too long


@dataclass(frozen=True, eq=False)
class Edited:
    """An edit was applied between two passes."""

    at: int
    edit: Mapping[str, Any]
    canvas: Canvas
    settings: Mapping[str, Any]
    ref: int | None = None  # the request's own number, where it had one


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The whole canvas, after missed messages or a seek."""

    at: int
    canvas: Canvas
    playing: bool = False
    length: int = 0  # number of moments


@dataclass(frozen=True)
class Moved:
    """The session went to another moment, started to play, or paused."""

    at: int
    playing: bool
    length: int


@dataclass(frozen=True)
class Peeked:
    """The model's prediction at a cell; `head` names the branch if it is not the current one."""

    cell: int
    at: int
    about: Mapping[str, Any]
    head: str = ""


@dataclass(frozen=True)
class Branched:
    """The branch that is written from now on, and all branches with their newest moments."""

    head: str
    left: str  # the branch that was being written before; empty where that did not change
    at: int  # the last moment that both share
    heads: Mapping[str, int]


@dataclass(frozen=True)
class Settled:
    """Text from the start of the answer that is final."""

    text: str
    cells: int


@dataclass(frozen=True)
class Refusal:
    """Why a request was refused, in a sentence that says what to do."""

    why: str
    do: str = ""
    ref: int | None = None  # the request's own number, where it had one
    field: str = ""  # that is wrong
    code: str = ""  # the kind of refusal, for programs


@dataclass(frozen=True)
class Waiting:
    """Other sessions are before this one in the queue."""

    place: int
    seconds: float


@dataclass(frozen=True)
class Done:
    """The run ended: no cell is open, or `failed` says why."""

    at: int
    text: str
    measures: Mapping[str, Any] = field(default_factory=dict)
    failed: str = ""


Event = Opened | Stepped | Edited | Snapshot | Moved | Peeked | Branched | Settled | Refusal | Waiting | Done
NAMES: dict[type[Any], str] = {
    Opened: "opened",
    Stepped: "stepped",
    Edited: "edited",
    Snapshot: "snapshot",
    Moved: "moved",
    Peeked: "peeked",
    Branched: "branched",
    Settled: "settled",
    Refusal: "refused",
    Waiting: "waiting",
    Done: "done",
}


def event_to_dict(event: Event, width: int = 2, whole: bool = True) -> dict[str, Any]:
    """An event as JSON. `whole` includes all candidates; a viewer gets none and asks for them with `peek`."""
    row: dict[str, Any] = {"did": NAMES[type(event)]}
    match event:
        case Stepped():
            times = [round(t, 3) for t in (event.thinking, event.other, event.clock)]
            row |= {"at": event.at, "ms": times} | frame_to_dict(event.frame, width, whole)
            return row | ({"shared": True} if event.shared else {})
        case Opened(session, head, canvas):
            return row | {"session": session, "head": dict(head), "canvas": canvas_to_dict(canvas)}
        case Edited(at, edit, canvas, settings, ref):
            fields = {"at": at, "edit": dict(edit), "canvas": canvas_to_dict(canvas), "settings": dict(settings)}
            return row | fields | ({} if ref is None else {"ref": ref})
        case Refusal():
            return row | {k: v for k, v in vars(event).items() if v != "" or k in ("why", "do")}
        case Snapshot(at, canvas, playing, length):
            return row | {"at": at, "canvas": canvas_to_dict(canvas), "playing": playing, "length": length}
        case _:
            return row | {k: dict(v) if isinstance(v, Mapping) else v for k, v in vars(event).items()}
