"""What a run tells. One form for a socket, a file and a lesson: plain values, with long rows packed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dllm.canvas import Canvas
from dllm.run.frame import Frame
from dllm.run.packed import canvas_plain, frame_plain


@dataclass(frozen=True, eq=False)
class Opened:
    """A session exists; its head says everything that is needed to run it again."""

    session: str
    head: Mapping[str, Any]
    canvas: Canvas


@dataclass(frozen=True, eq=False)
class Stepped:
    """A pass was made. `thinking` and `else_` are milliseconds on the device and off it, which equality ignores."""

    at: int  # the moment it leads to
    frame: Frame
    thinking: float = 0.0
    other: float = 0.0
    clock: float = 0.0  # device time of this run so far, in milliseconds
    shared: bool = False  # others had the device too, so the times are not its own


@dataclass(frozen=True, eq=False)
class Edited:
    """A person changed something between two passes."""

    at: int
    edit: Mapping[str, Any]
    canvas: Canvas
    settings: Mapping[str, Any]
    ref: int | None = None  # the request's own number, where it had one


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The whole canvas, after a gap or a seek."""

    at: int
    canvas: Canvas
    playing: bool = False
    length: int = 0  # moments there are


@dataclass(frozen=True)
class Moved:
    """The session stands at another moment, plays, or pauses."""

    at: int
    playing: bool
    length: int


@dataclass(frozen=True)
class Peeked:
    """What was believed at a cell; `head` names the branch where that is not the present one."""

    cell: int
    at: int
    about: Mapping[str, Any]
    head: str = ""


@dataclass(frozen=True)
class Branched:
    """Which branch is being written from now on, and all there are, each with its newest moment."""

    head: str
    left: str  # the branch that was being written before; empty where that did not change
    at: int  # the last moment that both share
    heads: Mapping[str, int]


@dataclass(frozen=True)
class Settled:
    """Text from the front that will not be taken back."""

    text: str
    cells: int


@dataclass(frozen=True)
class Refusal:
    """Why a request was not done, in a sentence a person can act on."""

    why: str
    do: str = ""
    ref: int | None = None  # the request's own number, where it had one


@dataclass(frozen=True)
class Waiting:
    """Others are before this session."""

    place: int
    seconds: float


@dataclass(frozen=True)
class Done:
    """Nothing is open any more; or the run ended for another reason, which `failed` says."""

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


def plain(event: Event, width: int = 2, whole: bool = True) -> dict[str, Any]:
    """An event as JSON can hold it. `whole` keeps every candidate; a viewer does without and peeks."""
    row: dict[str, Any] = {"did": NAMES[type(event)]}
    match event:
        case Stepped():
            times = [round(t, 3) for t in (event.thinking, event.other, event.clock)]
            row |= {"at": event.at, "ms": times} | frame_plain(event.frame, width, whole)
            return row | ({"shared": True} if event.shared else {})
        case Opened(session, head, canvas):
            return row | {"session": session, "head": dict(head), "canvas": canvas_plain(canvas)}
        case Edited(at, edit, canvas, settings, ref):
            fields = {"at": at, "edit": dict(edit), "canvas": canvas_plain(canvas), "settings": dict(settings)}
            return row | fields | ({} if ref is None else {"ref": ref})
        case Snapshot(at, canvas, playing, length):
            return row | {"at": at, "canvas": canvas_plain(canvas), "playing": playing, "length": length}
        case _:
            return row | {k: dict(v) if isinstance(v, Mapping) else v for k, v in vars(event).items()}
