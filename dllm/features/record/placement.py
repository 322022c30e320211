"""Which cells of the canvas a call of the model feeds, and the whole canvas then; what is not certain is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.features.record.arrays import is_array, source_of, to_ids, to_numpy

ABSENT = -2  # a cell that the loop has not made yet


@dataclass(eq=False)
class Placed:
    """The canvas that a call was made with."""

    canvas: Ints  # [B, L]
    cells: Ints  # [T] the cells that were fed
    kept: Any  # the loop's own array, whose content may change after the call
    kept_cells: Ints  # the cells that it holds


def past_length(past: Any) -> int:
    """How many cells a cache of keys and values holds."""
    if past is None:
        return 0
    if hasattr(past, "get_seq_length"):
        return int(past.get_seq_length())
    if isinstance(past, list | tuple) and past and isinstance(past[0], list | tuple) and len(past[0]):
        return int(past[0][0].shape[-2])
    return 0


def fed_cells(ids: Any, named: Mapping[str, Any], past: int, length: int) -> tuple[Ints, Any]:
    """The cells that a call feeds, and the whole rows that its ids are a part of, where they are a view.

    `length` is the number of cells known so far, and `past` that of the cells in the cache."""
    columns = int(ids.shape[-1])
    source = source_of(ids)
    if source is not None and int(source[0].shape[1]) > columns:
        return np.arange(source[1], source[1] + columns), source[0]
    partial = past > 0 or columns < length
    if is_array(named.get("replace_position")):
        replaced = np.atleast_2d(to_numpy(named["replace_position"]))[0]
        cells = np.flatnonzero(replaced) if len(replaced) != columns or replaced.dtype == bool else replaced
    elif is_array(named.get("cache_position")):
        cells = to_numpy(named["cache_position"]).ravel()
    elif partial and is_array(named.get("position_ids")):
        positions = np.atleast_2d(to_numpy(named["position_ids"]))
        if (positions != positions[0]).any():
            raise InvalidRequest("the rows of a batch are fed at different positions")
        cells = positions[0]
    elif past > 0:
        cells = np.arange(past, past + columns)
    elif partial:
        raise InvalidRequest(f"a call fed {columns} of {length} cells, and nothing says which")
    else:
        cells = np.arange(columns)
    if len(cells) != columns or (np.diff(cells) <= 0).any():
        raise InvalidRequest(f"a call fed {columns} cells, and its positions are for {len(cells)} in another order")
    return cells.astype(np.int64), None


def place(ids: Any, named: Mapping[str, Any], past: int, known: Ints | None, mask: int | None) -> Placed:
    """Put the ids of a call into the canvas."""
    length = 0 if known is None else known.shape[1]
    cells, whole = fed_cells(ids, named, past, length)
    rows = to_ids(ids)
    first, last = int(cells[0]), int(cells[-1])
    if whole is not None:
        canvas = to_ids(whole)
        if canvas.shape[1] < length:
            raise InvalidRequest(f"the canvas has {canvas.shape[1]} cells and had {length}")
        # what stands behind is the canvas only where it is masked: a buffer may hold anything there
        behind = canvas[:, last + 1 :]
        seen = np.zeros_like(behind, bool)
        if known is not None:
            part = known[:, last + 1 :]
            seen[:, : part.shape[1]] = part != ABSENT
        if mask is None or not (seen | (behind == mask)).all():
            canvas = np.where(np.r_[np.ones(last + 1, bool), seen[0]], canvas, ABSENT)
        return Placed(_trimmed(canvas), cells, whole, np.arange(whole.shape[1]))
    if first > length:
        raise InvalidRequest(f"cells from {first} on were fed, and nothing is known of those from {length} on before")
    canvas = np.full((len(rows), max(length, last + 1)), ABSENT)
    if known is not None:
        canvas[:, :length] = known
    canvas[:, cells] = rows
    if (canvas[:, : last + 1] == ABSENT).any():
        raise InvalidRequest(f"a call fed cells up to {last}, and not all before were fed")
    return Placed(_trimmed(canvas), cells, ids, cells)


def _trimmed(canvas: Ints) -> Ints:
    """The canvas without cells at its end that are not there yet."""
    there = (canvas != ABSENT).all(0)
    return canvas[:, : int(there.nonzero()[0].max(initial=-1)) + 1]


def conditional_rows(ids: Ints, batch: int, mask: int | None) -> slice | None:
    """Which rows have the prompt, where a call feeds each twice (guidance): one half has masks in its place."""
    count = len(ids)
    if mask is None or count % 2 or (batch and count != 2 * batch):
        return None
    half = count // 2
    for here, there in ((slice(0, half), slice(half, count)), (slice(half, count), slice(0, half))):
        one, two = ids[here], ids[there]
        if ((one == two) | (two == mask)).all() and (one != two).any(1).all():
            return here
    return None
