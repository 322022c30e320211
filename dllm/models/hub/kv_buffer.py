"""Growable buffers for keys and values, so that a growing text is not copied at each pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

STEP = 128  # cells by which a buffer grows


class KVBuffer:
    """One layer's keys and values, each [B, heads, capacity, width]. Cached texts share a buffer if one is a prefix of
    the other; the first `kept` cells are never overwritten."""

    def __init__(self, keys: Tensor, values: Tensor, cells: int) -> None:
        capacity = -(-cells // STEP) * STEP
        self.keys, self.values = (x.new_empty(*x.shape[:-2], capacity, x.shape[-1]) for x in (keys, values))
        self.kept = 0  # cells of the longest cached text in this buffer

    @property
    def capacity(self) -> int:
        return int(self.keys.shape[-2])

    @property
    def writable(self) -> bool:
        """Whether it can be written now: tensors made in inference mode only in that mode."""
        import torch

        return torch.is_inference_mode_enabled() or not self.keys.is_inference()


@dataclass
class KVLayer:
    """One layer's keys and values, each [B, heads, cells, width], under the names that transformers' caches use."""

    keys: Tensor
    values: Tensor
    buffer: KVBuffer | None = None  # the buffer they are a view of, if any
    is_sliding = False
    is_initialized = True


def extend_layer(layer: Any, keys: Tensor, values: Tensor, cells: int) -> tuple[Tensor, Tensor]:
    """Appends keys and values to a layer of `cells` cells: in place if the buffer has room, else in a new buffer.

    Also in a new one if a longer cached text uses the cells after these (after a rewind, or on another branch)."""
    upto, buffer = cells + keys.shape[-2], layer.buffer
    if buffer is None or cells < buffer.kept or upto > buffer.capacity or not buffer.writable:
        buffer = KVBuffer(keys, values, upto)
        if cells:
            buffer.keys[..., :cells, :], buffer.values[..., :cells, :] = layer.keys, layer.values
        layer.buffer = buffer
    buffer.keys[..., cells:upto, :], buffer.values[..., cells:upto, :] = keys, values
    layer.keys, layer.values = buffer.keys[..., :upto, :], buffer.values[..., :upto, :]
    return layer.keys, layer.values


class KVCache:
    """A KV cache for the project's own networks."""

    def __init__(self) -> None:
        self.layers: list[KVLayer] = []

    def update(self, keys: Tensor, values: Tensor, at: int) -> tuple[Tensor, Tensor]:
        """Appends to a layer; returns all its keys and values."""
        if at < len(self.layers):
            return extend_layer(self.layers[at], keys, values, self.layers[at].keys.shape[-2])
        self.layers.append(KVLayer(keys, values))
        return keys, values

    def get_seq_length(self) -> int:
        return self.layers[0].keys.shape[-2] if self.layers else 0


def growable_cache(cache_object: Any) -> Any:
    """A transformers cache whose plain layers grow in place."""
    from transformers.cache_utils import DynamicLayer

    cache_object.layers = [
        _growable_layer()() if type(layer) is DynamicLayer else layer for layer in cache_object.layers
    ]
    return cache_object


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
    """The tensor that holds a layer's keys: its buffer, or the keys themselves."""
    buffer = getattr(layer, "buffer", None)
    tensor: Tensor = layer.keys if buffer is None else buffer.keys
    return tensor
