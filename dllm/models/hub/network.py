"""The interface between adapters and networks: token ids to logits, at the requested rows."""

from __future__ import annotations

from typing import Any, Protocol

from unmask.models.interface import Table


class Network(Protocol):
    """A network: of transformers (`hub.native`), of MDLM (`hub.dit`) or of the bundled models."""

    @property
    def device(self) -> Any:
        """None for a network that takes and gives numpy arrays."""
        ...

    @property
    def words(self) -> int:
        """Size of the vocabulary."""
        ...

    @property
    def size(self) -> int:
        """Bytes of weights; tied ones count once."""
        ...

    def logits(
        self,
        ids: Table,  # [B, L]
        rows: Table,  # [R]
        positions: Table | None = None,  # [B, L]
        attention_mask: Table | None = None,  # [B, L, past + L] row attends to column
        past: Any = None,  # KV cache of the tokens before; extended in place
    ) -> Table:
        """`[B, R, V]`."""
        ...

    def cache(self) -> Any:
        """An empty KV cache."""
        ...

    def move(self, device: str) -> None:
        """Moves the weights to a device."""
        ...
