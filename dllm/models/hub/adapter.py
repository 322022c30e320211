"""The parts that adapters are made of: how an open cell is spelled, which row speaks of which cell, who sees whom."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import BaseTokenizer, Bools, Card, Ints
from unmask.errors import InvalidRequest
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.network import Network
from unmask.models.hub.prefix_cache import ROOM, PrefixCache
from unmask.models.interface import Denoiser, ModelInput

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class AdapterParts:
    """All that an adapter is made from."""

    network: Network
    recipe: CheckpointSpec
    card: Card
    tokenizer: BaseTokenizer
    mask: int = -1
    cached: bool = True
    approximate: str = ""  # "", "prefix" or "dual"
    graphs: bool = False  # whether a window's kernels are recorded once and run again
    frame: tuple[int | None, int | None] = (None, None)  # marks before and behind every text
    first: int | None = None  # a mark that stands before every text and is no cell, for a reader from left to right


class Masked(Denoiser):
    """A denoiser that looks everywhere: an open cell shows the mask, and the answer is aligned with the cells."""

    causal = noise = blockwise = both = False  # as on the card
    masks = True  # whether an open cell shows a mask

    def __init__(self, fitting: AdapterParts) -> None:
        self.card, self.tokenizer, self.network = fitting.card, fitting.tokenizer, fitting.network
        self.mask, self.shift, self.first = fitting.mask, fitting.recipe.shift, fitting.first
        self.shares = False  # whether thoughts share a forward: the self-test says, when it has seen that they may
        self.forwards = 0
        self.tapped: Callable[[], AbstractContextManager[list[Tensor]]] | None = None  # to read every layer's state by

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Tensor]:
        if self.shares:
            return self.row_logits(model_inputs, [self.answering_rows(t.rows) for t in model_inputs])
        return [self.row_logits([t], [self.answering_rows(t.rows)])[0] for t in model_inputs]

    def layers(self, model_input: ModelInput) -> Tensor | None:
        if self.tapped is None:
            return None
        with self.tapped() as found:
            self.logits([model_input])
        return found[-1]

    def answering_rows(self, cells: Ints) -> Ints:
        """The rows of the network that speak of these cells; of the first cell of all only its own can."""
        return np.maximum(cells + (self.first is not None) - self.shift, 0)

    def row_logits(self, model_inputs: Sequence[ModelInput], rows: Sequence[Ints]) -> list[Tensor]:
        """The network's own rows, before they are aligned."""
        if (self.shift or self.first is not None) and model_inputs[0].attention_mask is not None:
            raise InvalidRequest("this model speaks one cell ahead, so shadows cannot verify it: choose another policy")
        ids = np.stack([self.shown_cells(t) for t in model_inputs])
        positions = attention_mask = None
        if model_inputs[0].attention_mask is not None:
            positions = np.stack([t.positions for t in model_inputs])
            attention_mask = np.stack([t.attention_mask for t in model_inputs if t.attention_mask is not None])
        wanted = unique_sorted(np.concatenate(rows) if rows[1:] else rows[0])
        answers = self.read(ids, wanted, positions, attention_mask)
        return [select_rows(a, wanted, r) for a, r in zip(answers.unbind(), rows, strict=True)]

    def network_ids(self, model_input: ModelInput) -> Ints:
        """A token for each cell."""
        return np.where(model_input.open, self.mask, model_input.tokens)

    def shown_cells(self, model_input: ModelInput) -> Ints:
        """What the network is shown: the cells, behind the mark that stands before every text, if one does."""
        cells = self.network_ids(model_input)
        return cells if self.first is None else np.append(self.first, cells)

    def read(
        self, ids: Ints, rows: Ints, positions: Ints | None, attention_mask: Bools | None, past: Any = None
    ) -> Tensor:
        """Arrays to the device, logits on it."""
        self.forwards += 1
        place = self.network.device
        words, which, *where = to_device(place, ids, rows, *([] if positions is None else [positions]))
        sight = None if attention_mask is None else tensor(attention_mask).to(place)
        return self.network.logits(words, which, where[0] if where else None, sight, past)


class OneByOne(Masked):
    """One that reads each thought by itself, from keys and values of its own."""

    def __init__(self, fitting: AdapterParts) -> None:
        super().__init__(fitting)
        self.pasts = PrefixCache(fitting.network.cache, ROOM if fitting.cached else 0)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Tensor]:
        return [self.one(t) for t in model_inputs]

    def row_logits(self, model_inputs: Sequence[ModelInput], rows: Sequence[Ints]) -> list[Tensor]:
        return [self.one(t, r) for t, r in zip(model_inputs, rows, strict=True)]

    def clear_caches(self) -> None:
        self.pasts.kept.clear()

    def cached_tokens(self, tokens: Ints) -> int:
        if self.first is None:
            return self.pasts.get(tokens)
        return max(self.pasts.get(np.append(self.first, tokens)) - 1, 0)

    @abstractmethod
    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Tensor:
        """A thought's rows, aligned with its cells; or these rows of the network, as they are."""

    def causal_logits(self, tokens: Ints, cells: Ints) -> Tensor:
        """Each cell from what stands to its left; before the first cell stands a mark, so that it too has something."""
        before = self.first if self.first is not None else next(iter(self.card.ends), 0)
        if not len(cells):
            return self.read(np.array([[before]]), np.array([0]), None, None)[0, :0]
        leads = self.first is not None or not cells.min()
        text = tokens[: int(cells.max())]
        ids = np.append(before, text) if leads else text
        wanted = cells if leads else cells - 1
        known, past, _ = self.pasts.longest(ids[: int(wanted.min())])
        unique = unique_sorted(wanted)
        answer = self.read(ids[None, known:], unique - known, np.arange(known, len(ids))[None], None, past)[0]
        self.pasts.keep(ids, past)
        return select_rows(answer, unique, wanted)


class Causal(OneByOne):
    """Right about what comes after a text: any autoregressive model, each row answered from what stands to its left."""

    causal, masks = True, False

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Tensor:
        return self.causal_logits(model_input.tokens, model_input.rows if rows is None else rows)


class BothWays(OneByOne):
    """One set of weights that denoises and writes from left to right.

    Decided text is read from left to right, so its keys and values stay for every request; the present block looks both
    ways. With a shift, the first cell of a block is spoken of by the last row before it, that is by the text alone."""

    blockwise = both = True

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Tensor:
        if model_input.attention_mask is not None:
            raise InvalidRequest(
                "this model reads from left to right, so shadows cannot verify it: let it verify itself"
            )
        cells = model_input.rows if rows is None else rows
        if model_input.causal:
            return self.causal_logits(model_input.tokens, cells)
        leads = self.first is not None  # then row 0 is the mark's, and every cell's row is one further on
        begins, ends = (b + leads for b in model_input.block)
        wanted = self.answering_rows(cells) if rows is None else rows
        ids = self.shown_cells(model_input)
        ids = ids[: max(ends, int(max(wanted, default=0)) + 1)]
        known, past, _ = self.pasts.longest(ids[: min([begins, *wanted.tolist()])])
        at = np.arange(known, len(ids))
        inside = (at >= begins) & (at < ends)
        sight = block_causal_mask(at, np.arange(len(ids)), 1)
        sight[inside] = np.arange(len(ids)) < ends
        unique = unique_sorted(wanted)
        answer = self.read(ids[None, known:], unique - known, at[None], sight[None], past)[0]
        self.pasts.keep(ids[:begins], past)
        return select_rows(answer, unique, wanted)


def block_causal_mask(rows: Ints, columns: Ints, size: int) -> Bools:
    """Block-causal sight: own block and those before; a size of 1 is plain causality."""
    seen: Bools = columns[None, :] // size <= rows[:, None] // size
    return seen


def unique_sorted(rows: Ints) -> Ints:
    """In rising order, each once; as they nearly always are."""
    if len(rows) < 2 or np.count_nonzero(rows[1:] > rows[:-1]) == len(rows) - 1:
        return rows
    found: Ints = np.unique(rows)
    return found


def select_rows(answer: Tensor, rows: Ints, wanted: Ints) -> Tensor:
    """The wanted rows of those that were computed."""
    if rows is wanted or (len(rows) == len(wanted) and np.array_equal(rows, wanted)):
        return answer
    return answer[tensor(np.searchsorted(rows, wanted)).to(answer.device)]


def tensor(array: Any) -> Tensor:
    """An array as a tensor of its own."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))


def to_device(place: Any, *arrays: Ints) -> list[Tensor]:
    """Whole numbers to the device, each array in its shape; they go as one copy, for which the host does not wait."""
    import torch

    together = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]))
    if place.type == "cuda":
        together = together.pin_memory().to(place, non_blocking=True)
    parts = together.split_with_sizes([array.size for array in arrays])
    return [part.view(array.shape) for part, array in zip(parts, arrays, strict=True)]
