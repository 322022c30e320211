"""Transfer of a pass's results from the device to the host: a few numbers a row, packed into one copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor


class HostTransfer:
    """Named columns of results, appended in chunks of rows and sent to the host together."""

    def __init__(self, like: Tensor, precision: str) -> None:
        import torch

        # numpy has no bfloat16; float32 holds every integer up to 16,777,216 exactly, so token ids too
        wanted = {"double": torch.float64, "model": like.dtype}.get(precision, torch.float32)
        self.dtype = wanted if wanted == torch.float64 else torch.float32
        self.on_host = like.device.type == "cpu"  # nothing to copy
        self.columns: dict[str, list[Tensor]] = {}
        self.packed: Tensor | None = None  # all columns in one tensor
        self.event: Any = None  # recorded after the copy on a CUDA device

    def put(self, name: str, values: Tensor) -> None:
        """Appends the next rows to a column, [rows] or [rows, width], without synchronising."""
        if values.dtype != self.dtype and values.is_floating_point():
            values = values.to(self.dtype)
        self.columns.setdefault(name, []).append(values)

    def send(self) -> None:
        """Starts the asynchronous copy, after the last `put`."""
        if self.on_host:
            return
        import torch

        # token ids are packed as floats, which hold them exactly
        row = torch.cat([part.reshape(-1).to(self.dtype) for parts in self.columns.values() for part in parts])
        if row.is_cuda:
            here, device = torch.empty(row.shape, dtype=row.dtype, pin_memory=True), row.device
            row = here.copy_(row, non_blocking=True)
            self.event = torch.cuda.current_stream(device).record_event()  # may not be the default device
        self.packed = row

    def wait(self) -> dict[str, Any]:
        """The columns as numpy arrays: the only point at which a pass waits for the device."""
        if self.packed is None:
            return {name: _concatenate([part.numpy() for part in parts]) for name, parts in self.columns.items()}
        if self.event is not None:
            self.event.synchronize()
        numbers, at, found = self.packed.cpu().numpy(), 0, {}
        for name, parts in self.columns.items():
            pieces = [numbers[at : (at := at + part.numel())].reshape(part.shape) for part in parts]
            found[name] = _concatenate(pieces if parts[0].is_floating_point() else [p.astype(np.int64) for p in pieces])
        return found


def _concatenate(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
