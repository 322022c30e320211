"""Keys and values of settled beginnings, by the tokens they come from. Derived data: losing one costs time only."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import Ints
from unmask.models.hub.kv_buffer import KVCache, KVLayer, backing_tensor

if TYPE_CHECKING:
    from torch import Tensor

ROOM = 2**30  # bytes of keys and values that are kept


class PrefixCache:
    """The last few beginnings, each a row of keys (a token, or a token and where it stands) and its cache."""

    def __init__(self, empty: Callable[[], Any], room: int = ROOM) -> None:
        self.empty, self.room = empty, room
        self.kept: OrderedDict[bytes, tuple[Ints, Any, dict[int, Tensor]]] = OrderedDict()
        self.hits = self.lookups = 0  # for tests and for the curious

    def longest(self, key: Ints, step: int = 1) -> tuple[int, Any, dict[int, Tensor]]:
        """How much of a beginning is known, in whole steps, a cache to go on from, and what was kept beside it."""
        self.lookups += 1
        best, found = 0, None
        for entry in self.kept.values():
            known = entry[0]
            n = min(len(known), len(key))
            differ = np.flatnonzero((known[:n] != key[:n]).reshape(n, -1).any(1)) if n else np.empty(0, np.int64)
            alike = min([n, *differ[:1].tolist()]) // step * step
            if alike > best and (alike == len(known) or _can_crop(entry[1])):
                best, found = alike, entry
        if found is None:
            return 0, self.empty(), {}
        self.kept.move_to_end(found[0].tobytes())
        self.hits += 1
        return best, crop_cache(found[1], best), found[2]

    def get(self, key: Ints) -> int:
        """How much of a beginning is kept, without taking it up."""
        best = 0
        for known, cache, _ in tuple(self.kept.values()):
            n = min(len(known), len(key)) if known.ndim == 1 else 0
            differ = np.flatnonzero(known[:n] != key[:n])
            alike = int(differ[0]) if differ.size else n
            best = max(best, alike if alike == len(known) or _can_crop(cache) else 0)
        return best

    def keep(self, key: Ints, cache: Any, beside: dict[int, Tensor] | None = None) -> None:
        """Remember a beginning; the shorter ones that it extends are no longer needed."""
        if not self.room or not len(key):
            return
        row = key.tobytes()
        for name in [n for n in self.kept if len(n) < len(row) and row.startswith(n)]:
            if _can_crop(cache):
                del self.kept[name]
        mine = crop_cache(cache, len(key))
        for layer in mine.layers:
            if (buffer := getattr(layer, "buffer", None)) is not None:
                buffer.kept = max(buffer.kept, len(key))
        self.kept[row] = (key, mine, beside or {})
        self.kept.move_to_end(row)
        while len(self.kept) > 1 and sum(cache_bytes(c) for _, c, _ in self.kept.values()) > self.room:
            self.kept.popitem(last=False)


def crop_cache(cache: Any, length: int) -> Any:
    """The beginning of a cache, as one of its own. Tensors are shared: nothing is written where another may look."""
    if isinstance(cache, KVCache):  # our own: a step of the twin does this twice
        ours = KVCache()
        if cache.get_seq_length() == length:
            ours.layers = [KVLayer(x.keys, x.values, x.buffer) for x in cache.layers]
        else:
            ours.layers = [KVLayer(x.keys[..., :length, :], x.values[..., :length, :], x.buffer) for x in cache.layers]
        return ours
    made = copy.copy(cache)
    made.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in made.layers:
        if not layer.is_sliding and layer.is_initialized:
            layer.keys, layer.values = layer.keys[..., :length, :], layer.values[..., :length, :]
    return made


def _can_crop(cache: Any) -> bool:
    return isinstance(cache, KVCache) or not any(layer.is_sliding for layer in cache.layers)


def cache_bytes(cache: Any) -> int:
    """Bytes of keys and values."""
    return sum(2 * backing_tensor(layer).nbytes for layer in cache.layers if layer.is_initialized)
