"""The parts that adapters are made of: how an open cell is spelled, which row speaks of which cell, who sees whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dllm.canvas import Bools, Card, Ints, Refused, Speller
from dllm.models import Thought
from dllm.models.hub.native import Network
from dllm.models.hub.past import ROOM, Pasts, cropped
from dllm.models.hub.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Fitting:
    """All that an adapter is made from."""

    network: Network
    recipe: Recipe
    card: Card
    speller: Speller
    mask: int = -1
    cached: bool = True
    approximate: str = ""  # "", "prefix" or "dual"
    frame: tuple[int | None, int | None] = (None, None)  # marks before and behind every text


class Masked:
    """A denoiser that looks everywhere: an open cell shows the mask, and the answer is aligned with the cells."""

    def __init__(self, fitting: Fitting) -> None:
        self.card, self.speller, self.network = fitting.card, fitting.speller, fitting.network
        self.mask, self.shift = fitting.mask, fitting.recipe.shift

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        if self.card.number != "fp32" or len(thoughts) == 1:
            # in bf16 kernels differ with the batch's size, so a thought is never batched: it equals its solo run
            return [self.raw([t], [self.speaking(t.rows)])[0] for t in thoughts]
        return self.raw(thoughts, [self.speaking(t.rows) for t in thoughts])

    def speaking(self, cells: Ints) -> Ints:
        """The rows of the network that speak of these cells; of the first cell only its own can."""
        return np.maximum(cells - 1, 0) if self.shift else cells

    def raw(self, thoughts: Sequence[Thought], rows: Sequence[Ints]) -> list[Tensor]:
        """The network's own rows, before they are aligned."""
        if self.shift and thoughts[0].attend is not None:
            raise Refused("this model speaks one cell ahead, so shadows cannot verify it: choose another policy")
        ids = np.stack([self.spelled(t) for t in thoughts])
        positions = attend = None
        if thoughts[0].attend is not None:
            positions = np.stack([t.positions for t in thoughts])
            attend = np.stack([t.attend for t in thoughts if t.attend is not None])
        wanted = np.unique(np.concatenate(rows))
        told = self.read(ids, wanted, positions, attend)
        return [picked(x, wanted, r) for x, r in zip(told, rows, strict=True)]

    def spelled(self, thought: Thought) -> Ints:
        """What the network is shown."""
        return np.where(thought.open, self.mask, thought.tokens)

    def read(self, ids: Ints, rows: Ints, positions: Ints | None, attend: Bools | None, past: Any = None) -> Tensor:
        """Arrays to the device, logits on it."""
        place = self.network.device
        where, sight = (None if x is None else tensor(x).to(place) for x in (positions, attend))
        return self.network.logits(tensor(ids).to(place), tensor(rows).to(place), where, sight, past)


class BlockCausal(Masked):
    """Cells see their own block and those before it, so a block that is decided is read once."""

    def __init__(self, fitting: Fitting) -> None:
        super().__init__(fitting)
        self.block, self.padded = fitting.recipe.block, fitting.recipe.padded
        self.pasts = Pasts(self.network.model.config, ROOM if fitting.cached else 0)

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        return [self._one(t) for t in thoughts]

    def raw(self, thoughts: Sequence[Thought], rows: Sequence[Ints]) -> list[Tensor]:
        return [self._one(t, r) for t, r in zip(thoughts, rows, strict=True)]

    def _one(self, thought: Thought, rows: Ints | None = None) -> Tensor:
        if thought.attend is not None:
            raise Refused("this model sees block by block, so shadows cannot verify it: choose another policy")
        cells = thought.rows if rows is None else rows
        wanted = self.speaking(cells) if rows is None else rows
        ids, size = self.spelled(thought), self.block
        upto = whole(int(max(wanted, default=-1)) + 1, size)
        if upto > len(ids):
            ids = np.append(ids, np.full(upto - len(ids) if self.padded else 0, self.mask))
        ids = ids[:upto]
        # decided blocks before the first cell that is asked about: their keys and values never change
        front = min([*np.flatnonzero(thought.open)[:1].tolist(), *cells.tolist(), len(ids)])
        settled = front // size * size
        known, past, beside = self.pasts.longest(ids[:settled], size)
        if len(wanted) and wanted.min() < known and known - 1 not in beside:
            known -= size  # the row that speaks of the block's first cell stands in the block before
            past = cropped(past, known)
        attend = who_sees(np.arange(known, len(ids)), np.arange(len(ids)), size)
        last = [settled - 1] if self.shift and known < settled else []
        fresh = np.unique([*[r for r in wanted if r >= known], *last]).astype(np.int64)
        if not len(fresh) and len(wanted):
            return beside[known - 1][None]
        told = self.read(ids[None, known:], fresh - known, np.arange(known, len(ids))[None], attend[None], past)[0]
        if settled > known:
            tails = {settled - 1: told[np.searchsorted(fresh, settled - 1)].clone()} if last else {}
            self.pasts.keep(ids[:settled], past, tails)
        if len(wanted) and wanted.min() < known:
            import torch

            told, fresh = torch.cat([beside[known - 1][None], told]), np.append(known - 1, fresh)
        return picked(told, fresh, wanted)


class Causal(Masked):
    """Right about what comes after a text: any autoregressive model, each row answered from what stands to its left."""

    causal, masks = True, False

    def __init__(self, fitting: Fitting) -> None:
        super().__init__(fitting)
        self.before = self.card.ends[0] if self.card.ends else 0
        self.pasts = Pasts(self.network.model.config, ROOM if fitting.cached else 0)

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        return [self.raw([t], [t.rows])[0] for t in thoughts]

    def raw(self, thoughts: Sequence[Thought], rows: Sequence[Ints]) -> list[Tensor]:
        return [onward(self, self.pasts, t.tokens, r, self.before) for t, r in zip(thoughts, rows, strict=True)]


def onward(reader: Masked, pasts: Pasts, tokens: Ints, cells: Ints, before: int) -> Tensor:
    """Each cell from what stands to its left; before the first cell stands a mark, so that it too has something."""
    if not len(cells):
        return reader.read(np.array([[before]]), np.array([0]), None, None)[0, :0]
    leads = not cells.min()  # nothing stands before cell 0, so a mark does
    text = tokens[: int(cells.max())]
    ids = np.append(before, text) if leads else text
    wanted = cells if leads else cells - 1
    known, past, _ = pasts.longest(ids[: int(wanted.min())])
    unique = np.unique(wanted)
    told = reader.read(ids[None, known:], unique - known, np.arange(known, len(ids))[None], None, past)[0]
    pasts.keep(ids, past)
    return picked(told, unique, wanted)


def who_sees(rows: Ints, columns: Ints, size: int) -> Bools:
    """Block-causal sight: own block and those before; a size of 1 is plain causality."""
    seen: Bools = columns[None, :] // size <= rows[:, None] // size
    return seen


def whole(cells: int, size: int) -> int:
    """So many cells, filled up to whole blocks."""
    return -(-cells // size) * size


def picked(told: Tensor, rows: Ints, wanted: Ints) -> Tensor:
    """The wanted rows of those that were computed."""
    if len(rows) == len(wanted) and np.array_equal(rows, wanted):
        return told
    return told[tensor(np.searchsorted(rows, wanted)).to(told.device)]


def tensor(array: Any) -> Tensor:
    """An array as a tensor of its own."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))
