"""Arrays of any library: their values as numpy, and the canvas that a slice of columns was taken from.

This file does not import torch: it only calls a tensor's own methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from unmask.canvas import Ints


def is_array(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype")


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of torch."""
    return hasattr(value, "untyped_storage")


def to_numpy(array: Any) -> Any:
    """The values in memory of their own."""
    if is_tensor(array):
        array = array.detach()
        if array.dtype.is_floating_point:
            array = array.float()
        return np.array(array.cpu().numpy())
    return np.array(array)


def to_ids(array: Any) -> Ints:
    """Token ids as rows of a batch; a copy, since loops write in place."""
    rows = to_numpy(array)
    return np.atleast_2d(rows).astype(np.int64)


def is_ids(value: Any) -> bool:
    """Whether an argument can be a batch of token ids."""
    if not is_array(value) or len(value.shape) not in (1, 2):
        return False
    kind = str(value.dtype)
    return "int" in kind and 0 not in value.shape


def source_of(ids: Any) -> tuple[Any, int] | None:
    """The whole rows that these ids are columns of, and the first column; None where that is not certain."""
    if len(ids.shape) != 2:
        return None
    rows, columns = (int(n) for n in ids.shape)
    if is_tensor(ids):
        (width, each), start = ids.stride(), int(ids.storage_offset())
        total = int(ids.untyped_storage().nbytes()) // int(ids.element_size())
    elif isinstance(ids, np.ndarray) and isinstance(ids.base, np.ndarray) and ids.base.flags.c_contiguous:
        width, each = (step // ids.itemsize for step in ids.strides)
        start = (ids.ctypes.data - ids.base.ctypes.data) // ids.itemsize
        total = ids.base.size
    else:
        return None
    if (each != 1 and columns > 1) or width <= 0 or total % width:
        return None
    row, first = divmod(start, width)
    # a row of one's own width may be a slice of a flat array: where it stands there is not certain
    if first + columns > width or (row + rows) * width > total or (width == columns and total != rows * width):
        return None
    if is_tensor(ids):
        return ids.detach().as_strided((rows, width), (width, 1), row * width), first
    return ids.base.reshape(-1, width)[row : row + rows], first
