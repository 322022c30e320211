"""Transfer of a pass's results from the device to the host: a few numbers a row, packed into one copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unmask.models import Table
from unmask.models.array_ops import astype, is_numpy, on_host, to_numpy


class HostTransfer:
    """Named columns of results, appended in chunks of rows and sent to the host together."""

    def __init__(self, like: Table, precision: str) -> None:
        # numpy has no bfloat16; float32 holds every integer up to 16,777,216 exactly, so token ids too
        double = precision == "double" or (precision == "model" and str(like.dtype).endswith("float64"))
        self.dtype = "float64" if double else "float32"
        self.on_host = on_host(like)  # nothing to copy
        self.columns: dict[str, list[Table]] = {}
        self.packed: Table | None = None  # all columns in one tensor
        self.event: Any = None  # recorded after the copy on a CUDA device

    def put(self, name: str, values: Table) -> None:
        """Appends the next rows to a column, [rows] or [rows, width], without synchronising."""
        if values.dtype.kind == "f" if is_numpy(values) else values.is_floating_point():
            values = astype(values, self.dtype)
        self.columns.setdefault(name, []).append(values)

    def put_all(self, columns: Mapping[str, Table]) -> None:
        for name, values in columns.items():
            self.put(name, values)

    def send(self) -> None:
        """Starts the asynchronous copy, after the last `put`."""
        if self.on_host:
            return
        import torch

        # token ids are packed as floats, which hold them exactly
        row = torch.cat([astype(part.reshape(-1), self.dtype) for parts in self.columns.values() for part in parts])
        if row.is_cuda:
            here, device = torch.empty(row.shape, dtype=row.dtype, pin_memory=True), row.device
            row = here.copy_(row, non_blocking=True)
            self.event = torch.cuda.current_stream(device).record_event()  # may not be the default device
        self.packed = row

    def wait(self) -> dict[str, Any]:
        """The columns as numpy arrays: the only point at which a pass waits for the device."""
        if self.packed is None:
            return {name: _concatenate([to_numpy(part) for part in parts]) for name, parts in self.columns.items()}
        if self.event is not None:
            self.event.synchronize()
        numbers, at, found = self.packed.cpu().numpy(), 0, {}
        for name, parts in self.columns.items():
            pieces = [numbers[at : (at := at + part.numel())].reshape(part.shape) for part in parts]
            found[name] = _concatenate(pieces if parts[0].is_floating_point() else [p.astype(np.int64) for p in pieces])
        return found


def _concatenate(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
