"""Where keys and values lie: with room behind them, so that a text that grows is not copied at each pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

STEP = 128  # cells by which a ground grows


class KVBuffer:
    """One layer's keys and values, each [B, heads, room, width], with cells to spare. What is kept of a text is the
    first cells of it, and so may what is kept of a longer one be: those are never written over."""

    def __init__(self, keys: Tensor, values: Tensor, cells: int) -> None:
        room = -(-cells // STEP) * STEP
        self.keys, self.values = (x.new_empty(*x.shape[:-2], room, x.shape[-1]) for x in (keys, values))
        self.kept = 0  # cells, by the longest text that is kept of it

    @property
    def room(self) -> int:
        return int(self.keys.shape[-2])

    @property
    def writable(self) -> bool:
        """What was made in inference mode is written in that mode alone."""
        import torch

        return torch.is_inference_mode_enabled() or not self.keys.is_inference()


@dataclass
class KVLayer:
    """One layer's keys and values, each [B, heads, cells, width], under the names that transformers' caches use."""

    keys: Tensor
    values: Tensor
    buffer: KVBuffer | None = None  # what they lie in, where it has room for more
    is_sliding = False
    is_initialized = True


def extend_layer(layer: Any, keys: Tensor, values: Tensor, cells: int) -> tuple[Tensor, Tensor]:
    """A layer of so many cells, with these behind them: written in place, or in a new place where there is no room, or
    where a longer text is kept, of which a rewind or another branch took up the beginning."""
    upto, buffer = cells + keys.shape[-2], layer.buffer
    if buffer is None or cells < buffer.kept or upto > buffer.room or not buffer.writable:
        buffer = KVBuffer(keys, values, upto)
        if cells:
            buffer.keys[..., :cells, :], buffer.values[..., :cells, :] = layer.keys, layer.values
        layer.buffer = buffer
    buffer.keys[..., cells:upto, :], buffer.values[..., cells:upto, :] = keys, values
    layer.keys, layer.values = buffer.keys[..., :upto, :], buffer.values[..., :upto, :]
    return layer.keys, layer.values


class KVCache:
    """Keys and values of a text, for the networks that are our own."""

    def __init__(self) -> None:
        self.layers: list[KVLayer] = []

    def update(self, keys: Tensor, values: Tensor, at: int) -> tuple[Tensor, Tensor]:
        """Those of a layer, lengthened by these."""
        if at < len(self.layers):
            return extend_layer(self.layers[at], keys, values, self.layers[at].keys.shape[-2])
        self.layers.append(KVLayer(keys, values))
        return keys, values

    def get_seq_length(self) -> int:
        return self.layers[0].keys.shape[-2] if self.layers else 0


def growable_cache(made: Any) -> Any:
    """A cache of transformers' kind, whose plain layers are lengthened in place."""
    from transformers.cache_utils import DynamicLayer

    made.layers = [_growable_layer()() if type(layer) is DynamicLayer else layer for layer in made.layers]
    return made


@cache
def _growable_layer() -> type:
    from transformers.cache_utils import DynamicLayer

    class Growable(DynamicLayer):  # type: ignore[misc, unused-ignore]
        buffer: KVBuffer | None = None

        def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
            known = self.get_seq_length()
            self.is_initialized = True
            return extend_layer(self, key_states, value_states, known)

    return Growable


def backing_tensor(layer: Any) -> Tensor:
    """The tensor in memory that a layer's keys are, or are a part of."""
    buffer = getattr(layer, "buffer", None)
    tensor: Tensor = layer.keys if buffer is None else buffer.keys
    return tensor
