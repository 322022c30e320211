"""Models that see their own block and those before it: a block that is decided is read once, and stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.hub.adapter import AdapterParts, OneByOne, block_causal_mask, select_rows
from unmask.models.hub.cuda_graphs import CapturedForward, CapturedForwards, cache_with_layers, overwritable_layer
from unmask.models.hub.prefix_cache import crop_cache
from unmask.models.interface import ModelInput

if TYPE_CHECKING:
    from torch import Tensor

ROOM = 256  # cells by which the room for a text grows: texts of up to so many share a recording


class BlockCausal(OneByOne):
    """Cells see their own block and those before it. Where a block is read alone, all in sight see one another, and no
    mask keeps fast kernels away."""

    def __init__(self, fitting: AdapterParts) -> None:
        super().__init__(fitting)
        self.block, self.padded = fitting.recipe.block, fitting.recipe.padded
        self.windows = CapturedBehind(fitting.network) if fitting.graphs else None

    def clear_caches(self) -> None:
        super().clear_caches()
        if self.windows is not None:
            self.windows.kept.clear()

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Tensor:
        if model_input.attention_mask is not None:
            raise InvalidRequest("this model sees block by block, so shadows cannot verify it: choose another policy")
        cells = model_input.rows if rows is None else rows
        wanted = self.answering_rows(cells) if rows is None else rows
        ids, size = self.network_ids(model_input), self.block
        upto = whole(int(max(wanted, default=-1)) + 1, size)
        if upto > len(ids):
            ids = np.append(ids, np.full(upto - len(ids) if self.padded else 0, self.mask))
        ids = ids[:upto]
        # decided blocks before the first cell that is asked about: their keys and values never change
        front = min([*np.flatnonzero(model_input.open)[:1].tolist(), *cells.tolist(), len(ids)])
        settled = front // size * size
        known, past, beside = self.pasts.longest(ids[:settled], size)
        if self.windows is not None and 0 < known == settled - size:
            known, beside = settled, self._settle(ids[:settled], past)
        if len(wanted) and wanted.min() < known and known - 1 not in beside:
            known -= size  # the row that speaks of the block's first cell stands in the block before
            past = crop_cache(past, known)
        last = [settled - 1] if self.shift and known < settled else []
        fresh = np.unique([*[r for r in wanted if r >= known], *last]).astype(np.int64)
        if not len(fresh) and len(wanted):
            return beside[known - 1][None]
        answer = self._read(ids, known, fresh, past)
        if settled > known:
            tails = {settled - 1: answer[np.searchsorted(fresh, settled - 1)].clone()} if last else {}
            self.pasts.keep(ids[:settled], past, tails)
        if len(wanted) and wanted.min() < known:
            import torch

            answer, fresh = torch.cat([beside[known - 1][None], answer]), np.append(known - 1, fresh)
        return select_rows(answer, fresh, wanted)

    def _read(self, ids: Ints, known: int, rows: Ints, past: Any) -> Tensor:
        """These rows of a text of which so many cells are known."""
        at = np.arange(known, len(ids))
        if self.windows is not None and known and len(at) == self.block:
            self.forwards += 1
            return self.windows.behind(ids[:known], past, self.block).read(ids[known:], at, rows - known)
        attention_mask = None if len(at) <= self.block else block_causal_mask(at, np.arange(len(ids)), self.block)[None]
        return self.read(ids[None, known:], rows - known, at[None], attention_mask, past)[0]

    def _settle(self, text: Ints, past: Any) -> dict[int, Tensor]:
        """The last block of a text was just decided: it is read once more and kept, and so is what it says beside."""
        assert self.windows is not None
        known, last = len(text) - self.block, np.arange(self.block)[self.block - self.shift :]
        window = self.windows.behind(text[:known], past, self.block)
        answer = window.read(text[known:], np.arange(known, len(text)), last)
        self.forwards += 1
        for mine, theirs in zip(past.layers, window.past.layers, strict=True):
            mine.update(theirs.keys[..., theirs.outside :, :], theirs.values[..., theirs.outside :, :])
        beside = {len(text) - 1: answer[0]} if self.shift else {}
        self.pasts.keep(text, past, beside)
        return beside


class CapturedBehind(CapturedForwards):
    """Windows behind a text of any length: what is not filled of the room for it is hidden."""

    def behind(self, text: Ints, past: Any, width: int) -> CapturedForward:
        """The window of so many cells that sees a text, of which `past` has the keys and values."""
        import torch

        room = whole(len(text), ROOM)

        def made() -> CapturedForward:
            layers = [
                overwritable_layer(_wide(x.keys, room + width), _wide(x.values, room + width), room)
                for x in past.layers
            ]
            attention_mask = torch.zeros(1, width, room + width, dtype=torch.bool, device=self.network.device)
            attention_mask[..., room:] = True
            return CapturedForward(self.network, cache_with_layers(past, layers), width, attention_mask)

        with torch.inference_mode():  # what is made in that mode is written in that mode alone
            window = self.shaped((width, room), made)
            if window.lies != (name := text.tobytes()):
                for mine, theirs in zip(window.past.layers, past.layers, strict=True):
                    mine.keys[..., : len(text), :], mine.values[..., : len(text), :] = theirs.keys, theirs.values
                assert window.attention_mask is not None  # it was made so
                window.attention_mask[..., : len(text)], window.attention_mask[..., len(text) : room] = True, False
                window.lies = name
        return window


def _wide(x: Tensor, cells: int) -> Tensor:
    """Room for so many cells; zeros, since what is hidden must still be a number."""
    return x.new_zeros(*x.shape[:-2], cells, x.shape[-1])


def whole(cells: int, size: int) -> int:
    """So many cells, filled up to whole blocks."""
    return -(-cells // size) * size
