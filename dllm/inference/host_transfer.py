"""What leaves the device in a pass: a few numbers a row, and from a device of its own one copy for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor


class HostTransfer:
    """Columns by name, in parts of rows as they are worked out."""

    def __init__(self, like: Tensor, precision: str) -> None:
        import torch

        # numpy knows no bfloat16, and single precision knows every whole number up to 16,777,216
        read = {"double": torch.float64, "model": like.dtype}.get(precision, torch.float32)
        self.kind = read if read == torch.float64 else torch.float32
        self.here = like.device.type == "cpu"  # then there is nothing to pack
        self.columns: dict[str, list[Tensor]] = {}
        self.row: Tensor | None = None  # all numbers, packed
        self.event: Any = None  # when the copy is here, where a device makes one

    def put(self, name: str, values: Tensor) -> None:
        """Numbers of the next rows, [rows] or [rows, width]; nothing waits for them."""
        if values.dtype != self.kind and values.is_floating_point():
            values = values.to(self.kind)
        self.columns.setdefault(name, []).append(values)

    def send(self) -> None:
        """All is put: the copy sets out, and the host does something else meanwhile."""
        if self.here:
            return
        import torch

        # a token's number is packed as a float, which holds it exactly
        row = torch.cat([part.reshape(-1).to(self.kind) for parts in self.columns.values() for part in parts])
        if row.is_cuda:
            here, device = torch.empty(row.shape, dtype=row.dtype, pin_memory=True), row.device
            row = here.copy_(row, non_blocking=True)
            self.event = torch.cuda.current_stream(device).record_event()  # it need not be the first
        self.row = row

    def wait(self) -> dict[str, Any]:
        """The numbers by name, as numpy has them: the one moment at which a pass waits."""
        if self.row is None:
            return {name: _joined([part.numpy() for part in parts]) for name, parts in self.columns.items()}
        if self.event is not None:
            self.event.synchronize()
        numbers, at, found = self.row.cpu().numpy(), 0, {}
        for name, parts in self.columns.items():
            pieces = [numbers[at : (at := at + part.numel())].reshape(part.shape) for part in parts]
            found[name] = _joined(pieces if parts[0].is_floating_point() else [p.astype(np.int64) for p in pieces])
        return found


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
