"""Fast-dLLM's approximate caches: keys and values outside the block are reused and go stale (arXiv:2505.22618)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.array_ops import concat
from unmask.models.hub.adapter import AdapterParts, Masked, select_rows
from unmask.models.hub.cuda_graphs import CapturedBetween, cache_with_layers, overwritable_layer
from unmask.models.hub.kv_buffer import KVCache, KVLayer
from unmask.models.hub.prefix_cache import ROOM, cache_bytes, crop_cache
from unmask.models.interface import ModelInput, Table

KEPT = 8  # canvases whose keys and values are cached, within `ROOM` bytes


@dataclass(frozen=True, eq=False)
class Anchor:
    """The canvas that cached keys and values were computed from. Part of the carry, so that a rewind is exact."""

    ids: Ints
    block: tuple[int, int]
    age: int  # passes since it was read


class Approximate(Masked):
    """A block's first pass reads the whole canvas; later ones read the block (dual), or it and all after (prefix)."""

    blockwise = has_carry = True

    def __init__(self, parts: AdapterParts) -> None:
        super().__init__(parts)
        self.dual = parts.approximate == "dual"
        self.kept: OrderedDict[bytes, Any] = OrderedDict()
        self.windows = CapturedBetween(parts.network) if parts.graphs else None

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        return [self._one(t) for t in model_inputs]

    def clear_caches(self) -> None:
        self.kept.clear()
        if self.windows is not None:
            self.windows.kept.clear()

    def make_carry(self, model_input: ModelInput, logits: Table) -> Anchor:
        """The anchor for the next pass: the current one, one pass older, or a new one of this canvas."""
        anchor = self._anchor(model_input)
        return (
            replace(anchor, age=anchor.age + 1)
            if anchor
            else Anchor(self.network_ids(model_input), model_input.block, 1)
        )

    def staleness(self, model_input: ModelInput) -> NDArray[np.uint8]:
        """How many passes ago the keys and values of each cell were computed."""
        anchor, stale = self._anchor(model_input), np.zeros(len(model_input.tokens), np.uint8)
        if anchor:
            begins, ends = self._window(model_input)
            stale[:begins] = stale[ends:] = min(anchor.age, 255)
        return stale

    def _one(self, model_input: ModelInput) -> Table:
        if model_input.attention_mask is not None:
            raise InvalidRequest("shadows need a full forward: load the model without an approximate cache")
        ids, wanted = self.network_ids(model_input), self.answering_rows(model_input.rows)
        anchor, rows = self._anchor(model_input), np.unique(wanted)
        if anchor is None:
            logits, past = self._whole(ids, rows)
            self._keep(ids, past)
            return select_rows(logits, rows, wanted)
        begins, ends = self._window(model_input)
        past, where = self._surroundings(anchor.ids, begins, ends), np.arange(begins, ends)
        if self.windows is not None:
            self.forwards += 1
            return self.windows.read(ids[begins:ends], where, wanted - begins, past)
        # attention is full, and an all-true mask would rule out fast kernels
        return select_rows(self.read(ids[None, begins:ends], rows - begins, where[None], None, past)[0], rows, wanted)

    def _anchor(self, model_input: ModelInput) -> Anchor | None:
        """The input's anchor, if it is of the same block and no cell outside the window has changed since."""
        anchor = model_input.carry
        if (
            not isinstance(anchor, Anchor)
            or anchor.block != model_input.block
            or len(anchor.ids) != len(model_input.tokens)
        ):
            return None
        begins, ends = self._window(model_input)
        changed = anchor.ids != self.network_ids(model_input)
        return None if changed[:begins].any() or changed[ends:].any() else anchor

    def _window(self, model_input: ModelInput) -> tuple[int, int]:
        """The cells that every pass reads; with shifted logits also the cell before, which predicts the first."""
        begins, ends = model_input.block
        return max(begins - self.shift, 0), ends if self.dual else len(model_input.tokens)

    def _whole(self, ids: Ints, rows: Ints) -> tuple[Table, Any]:
        past = self.network.cache()
        return self.read(ids[None], rows, None, None, past)[0], past

    def _surroundings(self, ids: Ints, begins: int, ends: int) -> Any:
        """An anchor's keys and values around a window, after which a forward may write the window's own; recomputed if
        they were evicted or belong to another window."""
        kept = self.kept.get(ids.tobytes())
        if not isinstance(kept, Around) or kept.window != (begins, ends):
            past = kept if kept is not None and not isinstance(kept, Around) else self._whole(ids, np.array([0]))[1]
            kept = Around((begins, ends), split_cache(past, begins, ends))
            self._keep(ids, kept)
        past = kept.past
        return crop_cache(past, past.get_seq_length()) if isinstance(past, KVCache) else past

    def _keep(self, ids: Ints, past: Any) -> None:
        self.kept[ids.tobytes()] = past
        self.kept.move_to_end(ids.tobytes())
        while len(self.kept) > KEPT or (len(self.kept) > 1 and sum(map(_bytes, self.kept.values())) > ROOM):
            self.kept.popitem(last=False)


@dataclass(frozen=True, eq=False)
class Around:
    """Keys and values of all cells outside a window."""

    window: tuple[int, int]
    past: Any


def _bytes(kept: Any) -> int:
    past = kept.past if isinstance(kept, Around) else kept
    return int(cache_bytes(past))


def split_cache(past: Any, begins: int, ends: int) -> Any:
    """The cache without the cells of a window; for transformers these come last, where they are overwritten.

    The order of keys does not matter to attention, since their positions are encoded in them."""
    own = isinstance(past, KVCache)

    def layer(x: Any) -> Any:
        parts = [slice(begins), slice(ends, None), *([] if own else [slice(begins, ends)])]
        keys, values = (concat([t[..., part, :] for part in parts], -2) for t in (x.keys, x.values))
        return KVLayer(keys, values) if own else overwritable_layer(keys, values, keys.shape[-2] - (ends - begins))

    return cache_with_layers(past, [layer(x) for x in past.layers])
