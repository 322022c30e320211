"""Operations on tables of logits that numpy and torch spell differently; each takes either and stays on its device.

What both spell alike (`x.sum(axis=-1)`, `x.argmax(axis=-1, keepdims=True)`, slices, arithmetic) is written directly."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from unmask.canvas import Ints
from unmask.models.interface import Denoiser, Table


def is_numpy(x: Table) -> bool:
    return isinstance(x, np.ndarray)


def on_host(x: Table) -> bool:
    """Whether looking at a value costs nothing."""
    return is_numpy(x) or x.device.type == "cpu"


def like(x: Table, array: np.ndarray) -> Table:
    """An array as a table of the kind of `x`, on its device."""
    if is_numpy(x):
        return array
    import torch

    return torch.from_numpy(np.ascontiguousarray(array)).to(x.device)


def to_numpy(x: Table) -> Any:
    return x if is_numpy(x) else x.cpu().numpy()


def on_device(device: Any, array: np.ndarray) -> Table:
    """An array as a tensor on a device; as it is where there is none, for a network on numpy arrays."""
    if device is None:
        return array
    import torch

    return torch.from_numpy(np.ascontiguousarray(array)).to(device)


def to_device(device: Any, *arrays: Ints) -> list[Table]:
    """Copies integer arrays to a device in one asynchronous transfer; each keeps its shape."""
    if device is None:
        return list(arrays)
    import torch

    together = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]))
    if device.type == "cuda":
        together = together.pin_memory().to(device, non_blocking=True)
    parts = together.split_with_sizes([array.size for array in arrays])
    return [part.view(array.shape) for part, array in zip(parts, arrays, strict=True)]


def copy(x: Table) -> Table:
    return x.copy() if is_numpy(x) else x.clone()


def astype(x: Table, dtype: str) -> Table:
    """`float32` or `float64`; the same table if it already is of this type."""
    if is_numpy(x):
        return x.astype(dtype, copy=False)
    import torch

    return x.to(getattr(torch, dtype))


def lowest(x: Table) -> float:
    """The lowest finite number of the table's type."""
    if is_numpy(x):
        return float(np.finfo(x.dtype).min)
    import torch

    return float(torch.finfo(x.dtype).min)


def softmax(x: Table) -> Table:
    if not is_numpy(x):
        return x.softmax(-1)
    shifted = x - x.max(-1, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted *= 1 / shifted.sum(-1, keepdims=True)
    return shifted


def logsumexp(x: Table) -> Table:
    """[rows, 1]."""
    if not is_numpy(x):
        return x.logsumexp(-1, keepdim=True)
    top = x.max(-1, keepdims=True)
    return top + np.log(np.exp(x - top).sum(-1, keepdims=True))


def log(x: Table) -> Table:
    return np.log(x) if is_numpy(x) else x.log()


def is_finite(x: Table) -> bool:
    """Whether no number is NaN or infinite."""
    return bool(np.isfinite(x).all()) if is_numpy(x) else bool(x.isfinite().all())


def row_max(x: Table) -> Table:
    """[rows, 1]."""
    return x.max(-1, keepdims=True) if is_numpy(x) else x.amax(-1, keepdim=True)


def gather(x: Table, columns: Table) -> Table:
    """Some numbers of each row, by their columns."""
    return np.take_along_axis(x, columns, -1) if is_numpy(x) else x.gather(1, columns)


def concat(parts: Sequence[Table], axis: int = 1) -> Table:
    if is_numpy(parts[0]):
        return np.concatenate(parts, axis)
    import torch

    return torch.cat(list(parts), axis)


def where(condition: Table, x: Table, other: Table) -> Table:
    if is_numpy(condition):
        return np.where(condition, x, other)
    import torch

    return torch.where(condition, x, other)


def fill(x: Table, mask: Table, value: float) -> None:
    """Writes `value` in place where the mask is true."""
    if is_numpy(x):
        np.copyto(x, value, where=mask)
    else:
        x.masked_fill_(mask, value)


def equal(x: Table, other: Table) -> bool:
    """Whether two tables have the same bits."""
    if is_numpy(x):
        return np.array_equal(x, other)
    import torch

    return torch.equal(x, other)


def floor_at(x: Table, least: float) -> Table:
    """No number below `least`."""
    return np.maximum(x, least) if is_numpy(x) else x.clamp(min=least)


def search_right(sorted_rows: Table, wanted: Table) -> Table:
    """For each row, how many of its numbers are at most `wanted` [rows, 1]."""
    if is_numpy(sorted_rows):
        return (sorted_rows <= wanted).sum(-1, keepdims=True)
    import torch

    return torch.searchsorted(sorted_rows, wanted, right=True)


def inference_mode(denoiser: Denoiser) -> AbstractContextManager[Any]:
    """torch's inference mode with the model's threads; for a model whose logits are numpy arrays, no warnings.

    So torch is imported when something first needs it."""
    if denoiser.numpy_logits:
        return np.errstate(all="ignore")  # as torch does
    import torch

    if torch.get_num_threads() != denoiser.card.threads:  # a setting of the calling thread
        torch.set_num_threads(denoiser.card.threads)
    mode: AbstractContextManager[Any] = torch.inference_mode()
    return mode
