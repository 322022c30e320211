"""A run as a file: a head and its events, one JSON object a line. Replayed without a model, re-lived with one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dllm.canvas import Canvas, Refused
from dllm.models import Denoiser
from dllm.run import command
from dllm.run.command import EDITS, Edit
from dllm.run.edit import apply
from dllm.run.frame import Frame
from dllm.run.packed import canvas_plain, canvas_read, frame_plain, frame_read, replayed, width_for
from dllm.run.settings import Settings
from dllm.run.state import State, start
from dllm.run.step import step

VERSION = 1
MOST_BYTES, MOST_LINES, MOST_CELLS, DEEPEST = 64 << 20, 20_000, 65_536, 32
MOST_HELD = 16_000_000  # cells of all moments together


@dataclass(frozen=True, eq=False)
class Moment:
    """A place on a timeline: the canvas, the settings, and the pass or the edit that led there."""

    canvas: Canvas
    settings: Settings
    frame: Frame | None = None
    edit: Edit | None = None
    times: tuple[float, float, float] = (0.0, 0.0, 0.0)  # thinking, other, clock: milliseconds


@dataclass(frozen=True, eq=False)
class Trace:
    """What a file holds."""

    head: Mapping[str, Any]
    moments: Sequence[Moment]
    pieces: Mapping[int, str] = field(default_factory=dict)

    @property
    def words(self) -> int:
        return int(self.head.get("words", 0xFFFF))


def lines(trace: Trace) -> Iterator[str]:
    """The file, line by line."""
    first = trace.moments[0]
    pieces = {str(k): v for k, v in sorted(trace.pieces.items())}
    yield _line({"unmask": VERSION, "head": dict(trace.head), "canvas": canvas_plain(first.canvas), "pieces": pieces})
    width = width_for(trace.words)
    for at, moment in enumerate(trace.moments[1:], 1):
        if moment.frame is not None:
            times = [round(t, 3) for t in moment.times]
            yield _line({"did": "stepped", "at": at, "ms": times} | frame_plain(moment.frame, width, whole=True))
        elif moment.edit is not None:
            row = {"did": "edited", "at": at, "edit": _edit_plain(moment.edit)}
            if moment.settings.noise:  # what an opened cell holds is luck, which a page does not have
                row["canvas"] = canvas_plain(moment.canvas)
            yield _line(row)


def save(trace: Trace, path: str | Path) -> None:
    """Write the file, or say in a sentence why it cannot be."""
    try:
        Path(path).write_text("".join(line + "\n" for line in lines(trace)), encoding="utf-8")
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from error


def load(path: str | Path) -> Trace:
    """Read a file, or say in a sentence what is wrong with it."""
    try:
        file = Path(path)
        if file.stat().st_size > MOST_BYTES:
            raise Refused(f"{file.name} is larger than {MOST_BYTES >> 20} MB, too large for a trace")
        return read(file.read_bytes())
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from error


def read(raw: bytes | str) -> Trace:
    """A trace from a file's content. Strict about what it knows, forgiving of keys it does not."""
    if len(raw) > MOST_BYTES:
        raise Refused(f"a trace has at most {MOST_BYTES >> 20} MB")
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("this is not a trace: it is not text") from None
    rows = text.split("\n")
    while rows and not rows[-1].strip():
        rows.pop()
    if not rows or len(rows) > MOST_LINES:
        raise Refused(f"a trace has 1 to {MOST_LINES} lines, not {len(rows)}")
    first = _parsed(rows[0], 1)
    version = first.get("unmask")
    if not isinstance(version, int):
        raise Refused("this is not a trace: its first line has no 'unmask' version")
    if version > VERSION:
        raise Refused(f"this trace has version {version}; this app reads up to {VERSION}, so a newer one is needed")
    number = 1
    try:
        head = first["head"]
        if not isinstance(head, Mapping):
            raise Refused("the head is not an object")
        canvas = canvas_read(first["canvas"])
        if len(canvas) > MOST_CELLS:
            raise Refused(f"{len(canvas)} cells are more than a trace may have")
        if int(head.get("words", 1)) < 1:
            raise Refused("a vocabulary has at least one word")
        pieces = {int(k): _sound(v) for k, v in first.get("pieces", {}).items()}
        noise = {"noise": head["settings"].get("noise", 0)}
        told = {k: v for k, v in head["settings"].items() if k != "noise"}
        told["boosts"] = {int(k): v for k, v in told.get("boosts", {}).items()}
        moments = [Moment(canvas, Settings(**noise).changed(told))]
        trace, passes, held = Trace(head, moments, pieces), 0, 0
        _check_tokens(canvas.tokens, trace.words)
        for number, row in enumerate(rows[1:], 2):
            if (moment := _moment(moments[-1], _parsed(row, number), passes, trace.words)) is None:
                continue
            moments.append(moment)
            passes += moment.frame is not None
            held += len(moment.canvas)
            if held > MOST_HELD:
                raise Refused(f"a trace has at most {MOST_HELD} cells in all its moments together")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        said = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
        raise Refused(f"line {number} of the trace is damaged: {said}") from error
    return trace


def fork(trace: Trace, at: int, name: str = "") -> Trace:
    """The beginning of a trace, up to a moment, as a trace that names its parent."""
    if not 0 <= at < len(trace.moments):
        raise Refused(f"there is no moment {at}: the trace has {len(trace.moments)}, counted from 0")
    head = dict(trace.head) | {"parent": trace.head.get("session", ""), "forked_at": at, "session": name}
    return Trace(head, trace.moments[: at + 1], trace.pieces)


def relive(trace: Trace, think_once: Callable[[State], Any]) -> Iterator[Moment]:
    """Run again from the head and the edits, with a model; `think_once` is `think` for one state."""
    first = trace.moments[0]
    state = start(first.canvas, first.settings)
    yield Moment(state.canvas, state.settings)
    for told in trace.moments[1:]:
        frame = None
        if told.edit is not None:
            state = apply(state, told.edit, trace.words)
        else:
            state, frame = step(state, think_once(state))
        yield Moment(state.canvas, state.settings, frame, told.edit)


def _moment(before: Moment, row: Mapping[str, Any], passes: int, words: int) -> Moment | None:
    """The moment that an event leads to; None for events that change nothing."""
    canvas, settings = before.canvas, before.settings
    match row.get("did"):
        case "stepped":
            frame = frame_read(row, width_for(words))
            _check_frame(frame, canvas, passes, words)
            after = replayed(canvas, frame)
            if int(after.open.sum()) != frame.open:
                raise Refused(f"a pass says it leaves {frame.open} cells open, but leaves {int(after.open.sum())}")
            thinking, other, clock = (_finite(t) for t in row.get("ms", [0, 0, 0]))
            return Moment(after, settings, frame, None, (thinking, other, clock))
        case "edited":
            edit = command.read(_edit_told(row["edit"]))
            if type(edit) not in EDITS.values():
                raise Refused(f"'{row['edit'].get('do')}' is not an edit")
            state = apply(State(canvas, settings, step=passes), edit, words)  # type: ignore[arg-type]
            return Moment(state.canvas, state.settings, None, edit)  # type: ignore[arg-type]
        case _:
            return None


def _finite(x: Any) -> float:
    number = float(x)
    if number - number != 0:
        raise Refused(f"{x} is no number to go on with")
    return number


def _sound(piece: Any) -> str:
    """A spelling that can be shown: half a character is not one."""
    return str(piece).encode("utf-8", "replace").decode()


def _check_tokens(tokens: Any, words: int) -> None:
    if len(tokens) and not -1 <= int(tokens.min()) <= int(tokens.max()) < words:
        raise Refused(f"it holds tokens that are not among the {words} of its model")


def _check_frame(frame: Frame, canvas: Canvas, passes: int, words: int) -> None:
    length = len(canvas)
    if frame.step != passes:
        raise Refused(f"pass {frame.step} stands where pass {passes} should")
    for tokens in (frame.tokens, frame.was, frame.noise, frame.guess, frame.top_ids.ravel()):
        _check_tokens(tokens, words)
    if len(frame.tokens) and frame.tokens.min() < 0:
        raise Refused("a pass writes nothing into a cell")
    if not ((frame.confidence >= 0) & (frame.confidence < 1.01)).all():
        raise Refused("a confidence lies between 0 and 1")
    touched = [*frame.cells.tolist(), *frame.erased.tolist()]
    if any(not 0 <= c < length for c in touched) or not canvas.free[touched].all():
        raise Refused("a pass writes cells that are not there, or not the model's")
    if not len(frame.cells) == len(frame.tokens) == len(frame.was) == len(frame.confidence):
        raise Refused("a pass does not say a token for each cell")
    rows = (frame.guess, frame.sure, frame.entropy, frame.margin, frame.top_ids, frame.top_probs)
    if any(len(row) != length for row in rows) or any(
        len(row) not in (0, length) for row in (frame.noise, frame.stale)
    ):
        raise Refused(f"a pass speaks of another number of cells than the {length} there are")


def _edit_plain(edit: Edit) -> dict[str, Any]:
    row = command.plain(edit)
    if "changes" in row and "boosts" in row["changes"]:
        row["changes"] = row["changes"] | {"boosts": {str(k): v for k, v in row["changes"]["boosts"].items()}}
    return row


def _edit_told(row: Mapping[str, Any]) -> dict[str, Any]:
    told = dict(row)
    if isinstance(told.get("changes"), Mapping) and isinstance(told["changes"].get("boosts"), Mapping):
        told["changes"] = told["changes"] | {"boosts": {int(k): v for k, v in told["changes"]["boosts"].items()}}
    return told


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _parsed(line: str, number: int) -> dict[str, Any]:
    depth = 0
    for mark in line:  # brackets inside strings count too: nobody writes thirty-two of them in a word
        depth += (mark in "[{") - (mark in "]}")
        if depth > DEEPEST:
            raise Refused(f"line {number} of the trace is nested too deeply")
    try:
        row = json.loads(line, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise Refused(f"line {number} of the trace is damaged or cut off: {error}") from None
    if not isinstance(row, dict):
        raise Refused(f"line {number} of the trace is not an object")
    return row


def head(denoiser: Denoiser, state: State, prompt: str) -> dict[str, Any]:
    """What a trace says first: everything that is needed to run again."""
    card = denoiser.card
    told = {
        k: list(v) if isinstance(v, tuple) else dict(v) if isinstance(v, Mapping) else v
        for k, v in asdict(card).items()
    }
    return {
        "model": told,
        "settings": state.settings.plain(),
        "seed": state.settings.seed,
        "prompt": prompt,
        "words": card.words,
        "width": width_for(card.words),
        "causal": card.causal,
        "noise": card.noise,
        "ends": list(card.ends),
    }
