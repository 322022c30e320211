"""What an adapter needs of a network, ours or a library's: tokens to logits, at the rows that are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from torch import Tensor


class Network(Protocol):
    """transformers' own (`hub.native`), MDLM's (`hub.dit`) or the embedded pair's."""

    @property
    def device(self) -> Any: ...

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
        ids: Tensor,  # [B, L]
        rows: Tensor,  # [R]
        positions: Tensor | None = None,  # [B, L]
        attention_mask: Tensor | None = None,  # [B, L, past + L] who may look at whom
        past: Any = None,  # keys and values of what stands before; grows by these
    ) -> Tensor:
        """`[B, R, V]`."""
        ...

    def cache(self) -> Any:
        """Keys and values of nothing yet."""
        ...

    def move(self, device: str) -> None:
        """To where it will think."""
        ...
