"""Block-causal models: a cell attends to its own block and those before, so decided blocks have an exact KV cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.array_ops import concat, copy
from unmask.models.hub.adapter import AdapterParts, OneByOne, block_causal_mask, select_rows
from unmask.models.hub.cuda_graphs import CapturedBehind
from unmask.models.hub.prefix_cache import crop_cache
from unmask.models.interface import ModelInput, Table


class BlockCausal(OneByOne):
    """A denoiser with block-causal attention. A block that is read alone after cached ones needs no attention mask, so
    fast kernels can be used."""

    def __init__(self, parts: AdapterParts) -> None:
        super().__init__(parts)
        self.block, self.padded = parts.spec.block, parts.spec.padded
        self.windows = CapturedBehind(parts.network) if parts.graphs else None

    def clear_caches(self) -> None:
        super().clear_caches()
        if self.windows is not None:
            self.windows.kept.clear()

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Table:
        if model_input.attention_mask is not None:
            raise InvalidRequest(
                "this model has block-causal attention, so shadows cannot verify it: choose another policy"
            )
        cells = model_input.rows if rows is None else rows
        wanted = self.answering_rows(cells) if rows is None else rows
        ids, size = self.network_ids(model_input), self.block
        upto = round_up(int(max(wanted, default=-1)) + 1, size)
        if upto > len(ids):
            ids = np.append(ids, np.full(upto - len(ids) if self.padded else 0, self.mask))
        ids = ids[:upto]
        # decided blocks before the first requested cell: their keys and values never change
        front = min([*np.flatnonzero(model_input.open)[:1].tolist(), *cells.tolist(), len(ids)])
        decided = front // size * size
        known, past, beside = self.pasts.longest(ids[:decided], size)
        if self.windows is not None and 0 < known == decided - size:
            known, beside = decided, self._cache_block(ids[:decided], past)
        if len(wanted) and wanted.min() < known and known - 1 not in beside:
            known -= size  # with shifted logits the block's first cell is predicted by the block before
            past = crop_cache(past, known)
        last = [decided - 1] if self.shift and known < decided else []
        fresh = np.unique([*[r for r in wanted if r >= known], *last]).astype(np.int64)
        if not len(fresh) and len(wanted):
            return copy(beside[known - 1][None])
        answer = self._read(ids, known, fresh, past)
        if decided > known:
            tails = {decided - 1: copy(answer[np.searchsorted(fresh, decided - 1)])} if last else {}
            self.pasts.keep(ids[:decided], past, tails)
        if len(wanted) and wanted.min() < known:
            answer, fresh = concat([beside[known - 1][None], answer], 0), np.append(known - 1, fresh)
        return select_rows(answer, fresh, wanted)

    def _read(self, ids: Ints, known: int, rows: Ints, past: Any) -> Table:
        """Logits of these rows of a text whose first `known` cells are in the cache."""
        at = np.arange(known, len(ids))
        if self.windows is not None and known and len(at) == self.block:
            self.forwards += 1
            return self.windows.behind(ids[:known], past, self.block).read(ids[known:], at, rows - known)
        attention_mask = None if len(at) <= self.block else block_causal_mask(at, np.arange(len(ids)), self.block)[None]
        return self.read(ids[None, known:], rows - known, at[None], attention_mask, past)[0]

    def _cache_block(self, text: Ints, past: Any) -> dict[int, Table]:
        """Adds a text's last block, just decided, to the cache; returns its last row's logits if they are shifted."""
        assert self.windows is not None
        known, last = len(text) - self.block, np.arange(self.block)[self.block - self.shift :]
        window = self.windows.behind(text[:known], past, self.block)
        answer = window.read(text[known:], np.arange(known, len(text)), last)
        self.forwards += 1
        for target, source in zip(past.layers, window.past.layers, strict=True):
            target.update(source.keys[..., source.fixed :, :], source.values[..., source.fixed :, :])
        beside = {len(text) - 1: answer[0]} if self.shift else {}
        self.pasts.keep(text, past, beside)
        return beside


def round_up(cells: int, size: int) -> int:
    """The number of cells rounded up to whole blocks."""
    return -(-cells // size) * size
