"""Runs of a host as messages to its stage: while a run grows only the new passes travel, at its end all of it."""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeGuard
from weakref import WeakKeyDictionary

from unmask.canvas import BaseTokenizer
from unmask.errors import InvalidRequest
from unmask.run.codec import canvas_to_dict, frame_to_dict
from unmask.run.timeline import Node, Timeline, with_pieces
from unmask.run.trace import Trace, edit_to_dict, lines, load, parse_trace

WHAT = "a stage shows a Run, a Timeline, a Trace, a recorder of unmask.record, or the path or text of a trace file"


class Recording(Protocol):
    """A run that grows while somebody's loop decodes: `unmask.record` and `unmask.Recorder`."""

    ended: bool
    passes: Sequence[Any]
    pieces: Any  # with `display_piece`

    @property
    def so_far(self) -> Timeline: ...
    @property
    def timelines(self) -> Sequence[Timeline]: ...


def _is_recording(value: Any) -> TypeGuard[Recording]:
    return hasattr(type(value), "so_far")  # of the class: of the object it would be computed


@dataclass(frozen=True, eq=False)
class Seen:
    """A run as it is now."""

    key: object  # what it has in common with its later forms
    timeline: Timeline
    piece: Callable[[int], str]
    whole: Callable[[], Trace] | None = None  # once it is over


def seen(value: Any) -> Seen:
    """What a host shows, as a run."""
    match value:
        case _ if _is_recording(value):
            run = value.timelines[0] if value.ended else value.so_far
            whole = (lambda: Trace(tuple(value.timelines)[:2])) if value.ended else None
            return Seen(value, run, value.pieces.display_piece, whole)
        case _ if hasattr(value, "timeline") and hasattr(value, "denoiser"):  # `unmask.Run`
            return _of_timeline(value.timeline, value.denoiser.tokenizer)
        case Timeline():
            return _of_timeline(value)
        case Trace():
            return Seen(value, value.first, _known_pieces(value.first), lambda: value)
        case Path():
            return seen(load(value))
        case str() | bytes():
            return seen(parse_trace(value) if value.lstrip()[:1] in ("{", b"{") else load(str(value)))
        case _:
            raise InvalidRequest(f"{WHAT}, not {type(value).__name__}")


def _of_timeline(run: Timeline, tokenizer: BaseTokenizer | None = None) -> Seen:
    over = not run.head.canvas.open.any() or run.head.state.done
    complete = (lambda: Trace((with_pieces(run, tokenizer) if tokenizer else run,))) if over else None
    return Seen(run.head.path()[0], run, tokenizer.display_piece if tokenizer else _known_pieces(run), complete)


def _known_pieces(run: Timeline) -> Callable[[int], str]:
    return lambda token: run.pieces.get(token, f" {token}")


@dataclass(eq=False)
class Kept:
    """A run as its messages."""

    key: str
    last: Node
    first: str  # JSON
    rows: list[str] = field(default_factory=list)
    trace: str = ""  # once it is over
    spelled: set[int] = field(default_factory=set)  # tokens whose text was sent

    @property
    def n(self) -> int:
        return self.last.at

    @property
    def size(self) -> int:
        return len(self.first) + len(self.trace) + sum(map(len, self.rows))

    def since(self, n: int, begins: bool) -> str:
        """The message with all that came after `n` passes and edits; a run that begins has its canvas."""
        if self.trace:
            return json.dumps({"run": self.key, "n": self.n, "trace": self.trace})
        first = f'"first":{self.first},' if begins else ""
        return f'{{"run":"{self.key}","n":{self.n},{first}"pass":[{",".join(self.rows[n:])}]}}'


class Runs:
    """The newest runs of a host, so that a page that was loaded again, or has missed a pass, gets what it lacks."""

    def __init__(self, most: int = 32, megabytes: float = 64) -> None:
        self.most, self.bytes = most, int(megabytes * 2**20)
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._of: WeakKeyDictionary[object, str] = WeakKeyDictionary()
        self._sizes: dict[str, int] = {}
        self._lock = threading.Lock()

    def message(self, value: Any) -> str:
        """The JSON that shows a run's newest form; empty while a recorder has no pass."""
        if _is_recording(value) and not value.passes and not value.ended:
            return ""
        now = seen(value)
        with self._lock:
            kept = self._kept.get(self._of.get(now.key, ""))
            begins = (
                kept is None or kept.n > now.timeline.head.at or now.timeline.head.ancestor(kept.n) is not kept.last
            )
            if begins and not (kept and now.whole):  # a recorder that ended may have made its passes anew
                kept = self._begin(now)
            assert kept is not None
            sent = kept.n  # 0 in one that begins
            if now.whole is None:
                self._extend(kept, now)
                message = kept.since(sent, begins)
            else:
                streamed = bool(kept.rows or kept.trace)
                kept.last, kept.rows = now.timeline.head, []
                kept.trace = "".join(f"{line}\n" for line in lines(now.whole()))
                message = json.dumps({"run": kept.key, "n": kept.n, "trace": kept.trace, "play": not streamed})
            self._keep(kept)
            return message

    def since(self, key: str, n: int) -> str:
        """What a browser lacks that has `n` passes of a run; it may be gone."""
        with self._lock:
            kept = self._kept.get(key)
            return kept.since(n, begins=n == 0) if kept else json.dumps({"run": key, "gone": True})

    def trace(self, message: str) -> Trace | None:
        """The run that a message belongs to, as far as it has come; None where it is gone."""
        row = json.loads(message)
        if "trace" in row:
            return parse_trace(row["trace"])
        with self._lock:
            kept = self._kept.get(row.get("run", ""))
        if kept is None:
            return None
        header = json.dumps({"unmask": 3, "runs": [json.loads(kept.first)]})
        return parse_trace(kept.trace or "\n".join([header, *kept.rows]))

    def _begin(self, now: Seen) -> Kept:
        root = now.timeline.head.ancestor(0)
        key = secrets.token_urlsafe(9)
        first = {"head": dict(now.timeline.about), "canvas": canvas_to_dict(root.canvas)}
        spelled = {token for token in root.canvas.tokens.tolist() if token >= 0}
        first["pieces"] = {str(token): now.piece(token) for token in sorted(spelled)}
        self._of[now.key] = key
        return Kept(key, root, json.dumps(first), spelled=spelled)

    def _extend(self, kept: Kept, now: Seen) -> None:
        width = int(now.timeline.about["width"])
        for node in now.timeline.head.path(after=kept.n):
            kept.rows.append(json.dumps(_row(node, width, kept.spelled, now.piece), separators=(",", ":")))
            kept.last = node

    def _keep(self, kept: Kept) -> None:
        self._kept[kept.key] = kept
        self._kept.move_to_end(kept.key)
        self._sizes[kept.key] = kept.size
        while len(self._kept) > 1 and (len(self._kept) > self.most or sum(self._sizes.values()) > self.bytes):
            key, _ = self._kept.popitem(last=False)
            del self._sizes[key]


def _row(node: Node, width: int, spelled: set[int], piece: Callable[[int], str]) -> Mapping[str, Any]:
    """A pass or an edit, with the text of tokens that were not sent yet."""
    used = set(node.canvas.tokens.tolist())
    if node.frame is not None:
        row = {"did": "stepped", "ms": [round(t, 3) for t in node.times]} | frame_to_dict(node.frame, width, whole=True)
        used = {*node.frame.tokens.tolist(), *node.frame.top_ids.ravel().tolist(), *node.frame.noise.tolist()}
    else:
        assert node.edit is not None
        row = {"did": "edited", "edit": edit_to_dict(node.edit), "canvas": canvas_to_dict(node.canvas)}
    fresh = {token for token in used - spelled if token >= 0}
    spelled |= fresh
    return row | ({"pieces": {str(token): piece(token) for token in sorted(fresh)}} if fresh else {})
