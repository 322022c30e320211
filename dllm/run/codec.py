"""Encodes canvases and frames as JSON values, with long arrays packed in base64, and decodes them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import NOTHING, Canvas, Floats, Ints
from unmask.errors import InvalidRequest
from unmask.run.frame import CANDIDATES, Frame


class CanvasRow(TypedDict):
    """A canvas in JSON."""

    tokens: list[int]
    kinds: str
    ids: NotRequired[list[int]]


class FrameRow(TypedDict):
    """A frame in JSON; texts are packed rows of numbers."""

    step: int
    block: int
    turn: int
    quota: int
    cost: int
    open: int
    done: bool
    w: list[int]
    t: list[int]
    c: list[float | None]  # None where unknown
    why: list[tuple[str, list[int], list[float]]]
    was: NotRequired[list[int]]
    x: NotRequired[list[int]]
    noise: NotRequired[str]
    stale: NotRequired[str]
    g: NotRequired[str]
    s: NotRequired[str]
    e: NotRequired[str]
    m: NotRequired[str]
    ti: NotRequired[str]
    tp: NotRequired[str]


def canvas_to_dict(canvas: Canvas) -> CanvasRow:
    """A canvas as JSON: tokens, and a letter per cell: g given, y a person's own text, o open, p pinned, w written."""
    given = np.where(canvas.pinned, "y", "g")
    kinds = np.where(canvas.given, given, np.where(canvas.pinned, "p", np.where(canvas.open, "o", "w")))
    row: CanvasRow = {"tokens": canvas.tokens.tolist(), "kinds": "".join(kinds.tolist())}
    if not np.array_equal(canvas.ids, np.arange(len(canvas))):
        row["ids"] = canvas.ids.tolist()
    return row


def canvas_from_dict(row: Mapping[str, Any]) -> Canvas:
    tokens, kinds = int_list(row["tokens"]), np.array(list(_text(row["kinds"])))
    if len(tokens) != len(kinds) or not set(kinds.tolist()) <= set("gyopw"):
        raise InvalidRequest("a canvas needs a token and one of the letters g, y, o, p, w for each cell")
    ids = int_list(row["ids"]) if "ids" in row else np.arange(len(tokens))
    distinct = len(ids) == len(tokens) == len(set(ids.tolist()))
    # random draws are made up to the highest id
    if not distinct or (len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < 1 << 24):
        raise InvalidRequest("a canvas needs a name of its own for each cell")
    own = kinds == "y"
    return Canvas(tokens, kinds == "o", (kinds == "p") | own, (kinds == "g") | own, ids)


def frame_to_dict(frame: Frame, width: int, whole: bool, digits: int = 4) -> dict[str, Any]:
    """A frame as JSON with short names and packed arrays. `whole` adds candidates, entropy and margin; `digits` are
    those of a confidence."""
    row: dict[str, Any] = {
        "step": frame.step,
        "block": frame.block,
        "turn": frame.turn,
        "quota": frame.quota,
        "cost": frame.cost,
        "open": frame.open,
        "done": frame.done,
        "w": frame.cells.tolist(),
        "t": frame.tokens.tolist(),
        "c": [None if x != x else x for x in frame.confidence.round(digits).astype(float).round(digits).tolist()],
        "why": [[words, list(cells), _rounded(numbers)] for words, cells, numbers in frame.why],
    }
    if (frame.was != NOTHING).any():
        row["was"] = frame.was.tolist()
    if frame.erased.size:
        row["x"] = frame.erased.tolist()
    if frame.noise.size:
        row["noise"] = pack(frame.noise, width)
    if frame.stale.size:
        row["stale"] = pack(frame.stale, 1)
    row |= {"g": pack(frame.guess, width), "s": pack(frame.sure, 1)}
    if whole:
        row |= {"e": pack(frame.entropy, 1), "m": pack(frame.margin, 1)}
        row |= {"ti": pack(frame.top_ids.ravel(), width), "tp": pack(frame.top_probs.ravel(), 1)}
    return row


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [int(x) if x.is_integer() else x for x in numbers]  # a rank is 3, not 3.0: two characters less per cell


def frame_from_dict(row: Mapping[str, Any], width: int) -> Frame:
    """A frame from what `frame_to_dict` makes of a whole one."""
    cells = int_list(row["w"]).astype(np.int32)
    why = tuple(
        (_text(words), tuple(int_list(at).tolist()), tuple(float_list(num).tolist())) for words, at, num in row["why"]
    )
    if any(len(num) not in (0, len(at)) or not np.isfinite(num).all() for _, at, num in why):
        raise InvalidRequest("a reason needs a number for each of its cells, or none")
    return Frame(
        step=count(row["step"]),
        block=count(row["block"]),
        turn=count(row["turn"]),
        quota=count(row["quota"]),
        cost=count(row["cost"]),
        open=count(row["open"]),
        done=_bool(row["done"]),
        cells=cells,
        tokens=int_list(row["t"]).astype(np.int32),
        was=int_list(row.get("was", [NOTHING] * len(cells))).astype(np.int32),
        confidence=_confidences(row["c"]),
        why=why,
        erased=int_list(row.get("x", [])).astype(np.int32),
        noise=unpack(row.get("noise", ""), width).astype(np.int32),
        guess=unpack(row["g"], width).astype(np.int32),
        sure=unpack(row["s"], 1).astype(np.uint8),
        entropy=unpack(row["e"], 1).astype(np.uint8),
        margin=unpack(row["m"], 1).astype(np.uint8),
        top_ids=unpack(row["ti"], width).astype(np.int32).reshape(-1, CANDIDATES),
        top_probs=unpack(row["tp"], 1).astype(np.uint8).reshape(-1, CANDIDATES),
        stale=unpack(row.get("stale", ""), 1).astype(np.uint8),
    )


def int_list(values: Any) -> Ints:
    """A list of 32-bit integers as an array; anything else is an error, nothing is rounded."""
    if not isinstance(values, list) or any(type(x) is not int or not -(1 << 31) <= x < 1 << 31 for x in values):
        raise InvalidRequest("a list of whole numbers holds something else")
    return np.array(values, np.int64)


def count(value: Any) -> int:
    """A non-negative 32-bit integer."""
    if type(value) is not int or not 0 <= value < 1 << 31:
        raise InvalidRequest(f"{value!r} is no whole number from 0 on")
    return value


def float_list(values: Any) -> Floats:
    """A list of numbers as an array."""
    if not isinstance(values, list) or any(type(x) not in (int, float) for x in values):
        raise InvalidRequest("a list of numbers holds something else")
    return np.array(values, np.float64)


def _confidences(values: Any) -> NDArray[np.float32]:
    known = [float("nan") if x is None else x for x in values] if isinstance(values, list) else values
    return float_list(known).astype(np.float32)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidRequest(f"{value!r} is no text")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidRequest(f"{value!r} is neither true nor false")
    return value


def width_for(words: int) -> int:
    """Bytes per packed token for a vocabulary of this size; the highest value means no token."""
    return 2 if words < 0xFFFF else 3


def pack(row: NDArray[Any], width: int) -> str:
    """Non-negative integers as base64, `width` little-endian bytes each; NOTHING becomes all ones."""
    wide = row.astype("<i4" if width > 1 else "u1")
    return b64encode(wide[:, None].view("u1")[:, :width].tobytes()).decode()


def unpack(text: str, width: int) -> Ints:
    """The integers that `pack` encoded."""
    raw = np.frombuffer(b64decode(text, validate=True), "u1").reshape(-1, width).astype(np.int64)
    row: Ints = (raw << (8 * np.arange(width))).sum(1)
    return np.where(row == (1 << 8 * width) - 1, NOTHING, row) if width > 1 else row


def replay_frame(canvas: Canvas, frame: Frame) -> Canvas:
    """The canvas after a pass, from the canvas before it and the frame."""
    row = canvas.tokens.copy()
    row[frame.cells] = frame.tokens
    after = canvas.write(canvas.mask(frame.cells.tolist()), row).erase(canvas.mask(frame.erased.tolist()))
    if frame.noise.size:
        after = Canvas(frame.noise.astype(np.int64), after.open, after.pinned, after.given, after.ids)
    return after
