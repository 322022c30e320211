"""What leaves the device in a pass: a few numbers a row, packed as they are worked out, and one copy for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


class Parcel:
    """A table [rows, columns] on the device. A token's number is packed as a float, which holds it exactly."""

    def __init__(self, rows: int, widths: Mapping[str, int], like: Tensor, precision: str) -> None:
        import torch

        self.columns, wide = dict[str, slice](), 0
        for name, width in widths.items():
            self.columns[name] = slice(wide, wide := wide + width)
        # numpy knows no bfloat16, and single precision knows every whole number up to 16,777,216
        read = {"double": torch.float64, "model": like.dtype}.get(precision, torch.float32)
        self.arrival: Any = None  # when the copy is here, where a device makes one
        self.table = like.new_empty(rows, wide, dtype=torch.promote_types(read, torch.float32))

    def put(self, name: str, rows: slice, values: Tensor) -> None:
        """Numbers of some rows, [rows] or [rows, width]; nothing waits for them."""
        column = self.table[rows, self.columns[name]]
        column.copy_(values if values.dim() == 2 else values[:, None])

    def send(self) -> None:
        """All is put: the copy sets out, and the host does something else meanwhile."""
        if self.table.is_cuda:
            import torch

            here = torch.empty(self.table.shape, dtype=self.table.dtype, pin_memory=True)
            self.table = here.copy_(self.table, non_blocking=True)
            self.arrival = torch.cuda.Event()
            self.arrival.record()

    def fetched(self) -> dict[str, Any]:
        """The numbers by name, as numpy has them, [rows, width] each: the one moment at which a pass waits."""
        if self.arrival is not None:
            self.arrival.synchronize()
        here = self.table.cpu().numpy()
        return {name: here[:, column] for name, column in self.columns.items()}
