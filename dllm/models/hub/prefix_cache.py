"""A prefix cache: keys and values of decided prefixes, by their tokens. Derived data: losing one costs time only."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from unmask.canvas import Ints
from unmask.models.hub.kv_buffer import KVCache, KVLayer, backing_tensor
from unmask.models.interface import Table

ROOM = 2**30  # bytes of keys and values


class PrefixCache:
    """The KV caches of the last few prefixes. A key is a row of tokens, or of (token, position) pairs."""

    def __init__(self, empty: Callable[[], Any], room: int = ROOM) -> None:
        self.empty, self.room = empty, room
        self.kept: OrderedDict[bytes, tuple[Ints, Any, dict[int, Table]]] = OrderedDict()
        self.hits = self.lookups = 0  # statistics, for tests

    def longest(self, key: Ints, step: int = 1) -> tuple[int, Any, dict[int, Table]]:
        """The longest cached prefix of a key: its length (a multiple of `step`), its KV cache, and its extra logits."""
        self.lookups += 1
        best, found = 0, None
        for entry in self.kept.values():
            known = entry[0]
            n = min(len(known), len(key))
            differ = np.flatnonzero((known[:n] != key[:n]).reshape(n, -1).any(1)) if n else np.empty(0, np.int64)
            shared = min([n, *differ[:1].tolist()]) // step * step
            if shared > best and (shared == len(known) or _can_crop(entry[1])):
                best, found = shared, entry
        if found is None:
            return 0, self.empty(), {}
        self.kept.move_to_end(found[0].tobytes())
        self.hits += 1
        return best, crop_cache(found[1], best), found[2]

    def get(self, key: Ints) -> int:
        """The length of the longest cached prefix; a lookup without effect."""
        best = 0
        for known, cache, _ in tuple(self.kept.values()):
            n = min(len(known), len(key)) if known.ndim == 1 else 0
            differ = np.flatnonzero(known[:n] != key[:n])
            shared = int(differ[0]) if differ.size else n
            best = max(best, shared if shared == len(known) or _can_crop(cache) else 0)
        return best

    def keep(self, key: Ints, cache: Any, beside: dict[int, Table] | None = None) -> None:
        """Stores a prefix, and drops the shorter ones that it extends."""
        if not self.room or not len(key):
            return
        row = key.tobytes()
        for name in [n for n in self.kept if len(n) < len(row) and row.startswith(n)]:
            if _can_crop(cache):
                del self.kept[name]
        cropped = crop_cache(cache, len(key))
        for layer in cropped.layers:
            if (buffer := getattr(layer, "buffer", None)) is not None:
                buffer.kept = max(buffer.kept, len(key))
        self.kept[row] = (key, cropped, beside or {})
        self.kept.move_to_end(row)
        while len(self.kept) > 1 and sum(cache_bytes(c) for _, c, _ in self.kept.values()) > self.room:
            self.kept.popitem(last=False)


def crop_cache(cache: Any, length: int) -> Any:
    """A copy of a cache, cropped to `length`. Arrays are shared, and shared cells are never overwritten."""
    if isinstance(cache, KVCache):  # the fast path: each step of the twin does this twice
        cropped = KVCache()
        if cache.get_seq_length() == length:
            cropped.layers = [KVLayer(x.keys, x.values, x.buffer) for x in cache.layers]
        else:
            cropped.layers = [
                KVLayer(x.keys[..., :length, :], x.values[..., :length, :], x.buffer) for x in cache.layers
            ]
        return cropped
    cropped = copy.copy(cache)
    cropped.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in cropped.layers:
        if not layer.is_sliding and layer.is_initialized:
            layer.keys, layer.values = layer.keys[..., :length, :], layer.values[..., :length, :]
    return cropped


def _can_crop(cache: Any) -> bool:
    return isinstance(cache, KVCache) or not any(layer.is_sliding for layer in cache.layers)


def cache_bytes(cache: Any) -> int:
    """Bytes of keys and values."""
    return sum(2 * backing_tensor(layer).nbytes for layer in cache.layers if layer.is_initialized)
