"""Traces: runs as a JSON Lines file, with a header line, then a line for each pass and edit. Strictly validated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import Canvas
from unmask.errors import InvalidRequest
from unmask.run import command
from unmask.run.codec import (
    canvas_from_dict,
    canvas_to_dict,
    count,
    float_list,
    frame_from_dict,
    frame_to_dict,
    int_list,
    replay_frame,
    width_for,
)
from unmask.run.command import EDITS, Edit
from unmask.run.edit import apply
from unmask.run.frame import Frame
from unmask.run.settings import Settings
from unmask.run.state import State
from unmask.run.timeline import FIRST, Node, Timeline
from unmask.run.trace_lines import complete_head, complete_pass

NEWEST = 5  # a line may say what a check found
VERSION = 4  # a line may leave out what a reader can do without: it was recorded elsewhere
OWN_VERSION = 3  # an edit is written with the canvas that it led to; before, readers had to apply it
MOST_BYTES, MOST_LINES, MOST_CELLS, DEEPEST = 64 << 20, 20_000, 65_536, 32
MOST_TOGETHER = 16_000_000  # cells of all moments of a trace together
MOST_RUNS, MOST_HEADS = 8, 256


class Seal(Enum):
    """Whether a file is unchanged: its last line holds a SHA-256 digest of all lines before it.

    It detects accidental changes, not forgery: after an edit, a new digest can be written."""

    WHOLE = "as it was written"
    EDITED = "changed after it was written"
    NONE = "without a seal, so nobody can tell whether it was changed"


@dataclass(frozen=True, eq=False)
class Trace:
    """The content of a file: one run with all its branches, or several runs to compare."""

    runs: tuple[Timeline, ...]
    seal: Seal = Seal.NONE  # for a trace that was read from a file

    @property
    def first(self) -> Timeline:
        return self.runs[0]


def lines(trace: Trace) -> Iterator[str]:
    """The file, line by line; the last line is the seal."""
    digest = sha256()
    for line in _content(trace):
        digest.update(line.encode() + b"\n")
        yield line
    yield _line({"did": "sealed", "sha256": digest.hexdigest()})


def _content(trace: Trace) -> Iterator[str]:
    numbered = [{id(node): i for i, node in enumerate(run.nodes())} for run in trace.runs]
    elsewhere = any("source" in run.about for run in trace.runs)
    version = VERSION if elsewhere else OWN_VERSION
    if any(isinstance(node.edit, command.Find) for run in trace.runs for node in run.nodes()):
        version = NEWEST
    yield _line({"unmask": version, "runs": [_header(r, n) for r, n in zip(trace.runs, numbered, strict=True)]})
    for index, (run, places) in enumerate(zip(trace.runs, numbered, strict=True)):
        width = width_for(_vocab_size(run.about))
        for node in run.nodes():
            if node.parent is None:
                continue
            place: dict[str, Any] = {"at": node.at}
            if index:
                place["run"] = index
            if places[id(node.parent)] != places[id(node)] - 1:
                place["after"] = places[id(node.parent)]
            if node.frame is not None:
                times = [round(t, 3) for t in node.times]
                pass_row = frame_to_dict(node.frame, width, whole=True, digits=6 if elsewhere else 4)
                yield _line({"did": "stepped"} | place | {"ms": times} | pass_row)
            elif node.edit is not None:
                edit = {"edit": edit_to_dict(node.edit), "canvas": canvas_to_dict(node.canvas)}
                yield _line({"did": "edited"} | place | edit)


def _header(run: Timeline, places: Mapping[int, int]) -> dict[str, Any]:
    root = next(run.nodes())
    pieces = {str(k): v for k, v in sorted(run.pieces.items())}
    heads = {name: places[id(node)] for name, node in run.heads.items()}
    about = dict(run.about)
    if "source" not in about:  # else Unmask's settings say nothing of its decoder
        about["settings"] = root.settings.to_dict()
    return {"head": about, "canvas": canvas_to_dict(root.canvas), "pieces": pieces, "heads": heads, "on": run.on}


def size(run: Timeline) -> int:
    """An estimate of the bytes of a run's file, without writing it: arrays over all cells are most of it."""
    width = width_for(_vocab_size(run.about))
    each = (4 * (6 * width + 8)) // 3  # per cell and pass: guess, candidates, and five one-byte numbers, in base64
    total = 4096
    for node in run.nodes():
        cells = len(node.canvas)
        total += 300 + (cells * each + 30 * len(node.frame.cells) if node.frame is not None else 12 * cells)
    return total


def save(trace: Trace, path: str | Path) -> None:
    """Write a trace to a file; InvalidRequest says why it cannot be written."""
    try:
        Path(path).write_text("".join(line + "\n" for line in lines(trace)), encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"cannot write {path}: {error.strerror}") from error


def load(path: str | Path) -> Trace:
    """Read a trace from a file; InvalidRequest says what is wrong with it."""
    try:
        file = Path(path)
        if file.stat().st_size > MOST_BYTES:
            raise InvalidRequest(f"{file.name} is larger than {MOST_BYTES >> 20} MB, too large for a trace")
        return parse_trace(file.read_bytes())
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from error


def parse_trace(raw: bytes | str) -> Trace:
    """A trace from a file's content. Known keys are strictly validated, unknown ones ignored."""
    if len(raw) > MOST_BYTES:
        raise InvalidRequest(f"a trace has at most {MOST_BYTES >> 20} MB")
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest("this is not a trace: it is not text") from None
    rows = text.split("\n")
    while rows and not rows[-1].strip():
        rows.pop()
    if not rows or len(rows) > MOST_LINES:
        raise InvalidRequest(f"a trace has 1 to {MOST_LINES} lines, not {len(rows)}")
    first = _parse_line(rows[0], 1)
    version = first.get("unmask")
    if not isinstance(version, int):
        raise InvalidRequest("this is not a trace: its first line has no 'unmask' version")
    if version > NEWEST:
        raise InvalidRequest(
            f"this trace has version {version}; this app reads up to {NEWEST}, so a newer one is needed"
        )
    number = 1
    try:
        listed = [first] if version == 1 else first["runs"]
        if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_RUNS:
            raise InvalidRequest(f"a trace holds 1 to {MOST_RUNS} runs")
        runs = [_RunParser(run, version) for run in listed]
        for number, line in enumerate(rows[1:], 2):
            row = _parse_line(line, number)
            which = row.get("run", 0)
            if isinstance(which, bool) or not isinstance(which, int) or not 0 <= which < len(runs):
                raise InvalidRequest(f"there is no run {which!r}: the trace holds {len(runs)}")
            runs[which].add(row)
            if sum(run.cells for run in runs) > MOST_TOGETHER:
                raise InvalidRequest(f"a trace has at most {MOST_TOGETHER} cells in all its moments together")
        number = 1
        return Trace(tuple(run.timeline() for run in runs), _seal(text, rows))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise InvalidRequest(f"line {number} of the trace is damaged: {_explain(error)}") from error


def _explain(error: Exception) -> str:
    """An error of reading, in words."""
    match error:
        case KeyError():
            return f"{error} is missing"
        case TypeError() | AttributeError():
            return f"a value is of the wrong kind ({error})"
        case _:
            return str(error)


def _seal(text: str, rows: list[str]) -> Seal:
    """The seal of a file, from its last line, which was parsed with the others."""
    if '"did":"sealed"' not in rows[-1]:
        return Seal.EDITED if any('"did":"sealed"' in row for row in rows[-9:-1]) else Seal.NONE
    content = text[: text.rindex(rows[-1])]
    same = json.loads(rows[-1]).get("sha256") == sha256(content.encode()).hexdigest()
    return Seal.WHOLE if same else Seal.EDITED


class _RunParser:
    """Builds the timeline of one run from the lines of a file."""

    def __init__(self, first: Mapping[str, Any], version: int) -> None:
        self.about, self.cells, self.version = first["head"], 0, version
        if not isinstance(self.about, Mapping):
            raise InvalidRequest("the head is not an object")
        if version == NEWEST and "source" not in self.about:  # of such a run a file lacks nothing
            self.version = OWN_VERSION
        if self.version >= VERSION:
            self.about = complete_head(self.about)
        canvas = canvas_from_dict(first["canvas"])
        if len(canvas) > MOST_CELLS:
            raise InvalidRequest(f"{len(canvas)} cells are more than a trace may have")
        self.words = _vocab_size(self.about)
        if self.words < 1:
            raise InvalidRequest("a vocabulary has at least one word")
        _check_tokens(canvas.tokens, self.words)
        _check_about(self.about)
        self.pieces = {int(k): _piece_text(v) for k, v in first.get("pieces", {}).items()}
        self.heads, self.on = first.get("heads"), first.get("on", FIRST)
        given = self.about["settings"]
        settings = {k: v for k, v in given.items() if k != "noise"}
        settings["boosts"] = {int(k): v for k, v in settings.get("boosts", {}).items()}
        self.nodes = [Node(State(canvas, Settings(noise=given.get("noise", 0)).with_changes(settings)))]

    def add(self, row: Mapping[str, Any]) -> None:
        """Add the moment of an event; events other than passes and edits are skipped."""
        if row.get("did") not in ("stepped", "edited"):
            return
        after = row.get("after", len(self.nodes) - 1)
        if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < len(self.nodes):
            raise InvalidRequest(f"there is no moment {after!r} to follow")
        node = self.nodes[after]
        self.nodes.append(self._pass_node(node, row) if row["did"] == "stepped" else self._edit_node(node, row))
        self.cells += len(self.nodes[-1].canvas)

    def timeline(self) -> Timeline:
        named = self.heads if self.heads is not None else {FIRST: len(self.nodes) - 1}
        if not isinstance(named, Mapping) or not 1 <= len(named) <= MOST_HEADS or self.on not in named:
            raise InvalidRequest(f"a run has 1 to {MOST_HEADS} branches, and one that is being written")
        if not all(type(n) is int and 0 <= n < len(self.nodes) for n in named.values()):
            raise InvalidRequest("a branch ends at a moment that is not there")
        return Timeline(self.about, {_piece_text(k): self.nodes[n] for k, n in named.items()}, self.on, self.pieces)

    def _pass_node(self, node: Node, row: Mapping[str, Any]) -> Node:
        if self.version >= VERSION:
            row = complete_pass(row, node.canvas, node.state.step, self.words)
        frame = frame_from_dict(row, width_for(self.words))
        _check_frame(frame, node.canvas, node.state.step, self.words)
        canvas = replay_frame(node.canvas, frame)
        if int(canvas.open.sum()) != frame.open:
            raise InvalidRequest(f"a pass says it leaves {frame.open} cells open, but leaves {int(canvas.open.sum())}")
        thinking, other, clock = float_list(row.get("ms", [0, 0, 0])).tolist()
        state = replace(node.state, canvas=canvas, step=node.state.step + 1)
        return node.child(state, frame, times=(thinking, other, clock))

    def _edit_node(self, node: Node, row: Mapping[str, Any]) -> Node:
        edit = EDITS.read(row["edit"])
        state = apply(node.state, edit, self.words)
        if self.version >= 3:
            canvas = canvas_from_dict(row["canvas"])
            if len(canvas) > MOST_CELLS:
                raise InvalidRequest(f"{len(canvas)} cells are more than a trace may have")
            _check_tokens(canvas.tokens, self.words)
            state = replace(state, canvas=canvas)
        return node.child(state, edit=edit)


def _vocab_size(about: Mapping[str, Any]) -> int:
    return count(about.get("words", 0xFFFF))


def _check_about(about: Mapping[str, Any]) -> None:
    """Check the types of the header's fields that are displayed or looked up."""
    for name in ("prompt", "session", "source", "decoder"):
        if not isinstance(about.get(name, ""), str):
            raise InvalidRequest(f"its {name} is no text")
    for name in ("model", "made"):
        if not isinstance(about.get(name, {}), Mapping):
            raise InvalidRequest(f"its {name} is no object")
    if not isinstance(about.get("causal", False), bool):
        raise InvalidRequest("it does not say whether it writes from left to right")
    card = about.get("model", {})
    if any(not isinstance(card.get(name, ""), str) for name in ("name", "weights", "number", "device")):
        raise InvalidRequest("its model has a name, weights or a number type that are no text")
    int_list(about.get("ends", []))
    int_list(card.get("skips", []))


def _finite(x: Any) -> float:
    number = float(x)
    if number - number != 0:
        raise InvalidRequest(f"{x} is no number to go on with")
    return number


def _piece_text(piece: Any) -> str:
    """A token's text without lone surrogates, which cannot be encoded."""
    if not isinstance(piece, str):
        raise InvalidRequest("a piece is no text")
    return piece.encode("utf-8", "replace").decode()


def _check_tokens(tokens: Any, words: int) -> None:
    if len(tokens) and not -1 <= int(tokens.min()) <= int(tokens.max()) < words:
        raise InvalidRequest(f"it holds tokens that are not among the {words} of its model")


def _check_frame(frame: Frame, canvas: Canvas, passes: int, words: int) -> None:
    length = len(canvas)
    if frame.step != passes:
        raise InvalidRequest(f"pass {frame.step} stands where pass {passes} should")
    for tokens in (frame.tokens, frame.was, frame.noise, frame.guess, frame.top_ids.ravel()):
        _check_tokens(tokens, words)
    if len(frame.tokens) and frame.tokens.min() < 0:
        raise InvalidRequest("a pass writes nothing into a cell")
    sure = np.nan_to_num(frame.confidence)  # NaN: unknown
    if not ((sure >= 0) & (sure < 1.01)).all():
        raise InvalidRequest("a confidence lies between 0 and 1")
    touched = [*frame.cells.tolist(), *frame.erased.tolist()]
    if any(not 0 <= c < length for c in touched) or not canvas.free[touched].all():
        raise InvalidRequest("a pass writes cells that are not there, or not the model's")
    if not len(frame.cells) == len(frame.tokens) == len(frame.was) == len(frame.confidence):
        raise InvalidRequest("a pass does not say a token for each cell")
    rows = (frame.guess, frame.sure, frame.entropy, frame.margin, frame.top_ids, frame.top_probs)
    if any(len(row) != length for row in rows) or any(
        len(row) not in (0, length) for row in (frame.noise, frame.stale)
    ):
        raise InvalidRequest(f"a pass speaks of another number of cells than the {length} there are")


def edit_to_dict(edit: Edit) -> dict[str, Any]:
    """An edit as JSON."""
    row = command.command_to_dict(edit)
    if "changes" in row and "boosts" in row["changes"]:
        row["changes"] = row["changes"] | {"boosts": {str(k): v for k, v in row["changes"]["boosts"].items()}}
    return row


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _parse_line(line: str, number: int) -> dict[str, Any]:
    depth = 0
    for mark in line:  # brackets inside strings count too, which is no problem: no token has 32 of them
        depth += (mark in "[{") - (mark in "]}")
        if depth > DEEPEST:
            raise InvalidRequest(f"line {number} of the trace is nested too deeply")
    try:
        row = json.loads(line, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"line {number} of the trace is damaged or cut off: {error}") from None
    if not isinstance(row, dict):
        raise InvalidRequest(f"line {number} of the trace is not an object")
    return row
