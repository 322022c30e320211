"""Adapters between a canvas and a network: the id of an open cell, the row that predicts each cell, attention masks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unmask.canvas import BaseTokenizer, Bools, Card, Floats, Ints
from unmask.errors import InvalidRequest
from unmask.models.array_ops import on_device, to_device
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.network import Network
from unmask.models.hub.prefix_cache import ROOM, PrefixCache
from unmask.models.interface import Denoiser, ModelInput, Table

Tapped = Callable[[], AbstractContextManager[list[Any]]]


@dataclass(frozen=True, eq=False)
class AdapterParts:
    """The constructor's arguments of every adapter."""

    network: Network
    spec: CheckpointSpec
    card: Card
    tokenizer: BaseTokenizer
    mask: int = -1
    cached: bool = True
    approximate: str = ""  # "", "prefix" or "dual"
    graphs: bool = False  # whether a window's forward is captured as a CUDA graph
    cls_sep: tuple[int | None, int | None] = (None, None)  # tokens before and after every text, for encoders
    first: int | None = None  # a token before every text that is not a cell, for autoregressive readings


class Masked(Denoiser):
    """A bidirectional masked denoiser: open cells show the mask, and the logits are aligned with the cells."""

    causal = noise = blockwise = both = False  # as on the card
    masks = True  # whether an open cell shows a mask
    framed = False  # whether a text stands between the CLS and SEP tokens, so that it has no end of its own

    def __init__(self, parts: AdapterParts) -> None:
        self.card, self.tokenizer, self.network = parts.card, parts.tokenizer, parts.network
        self.mask, self.shift, self.first = parts.mask, parts.spec.shift, parts.first
        self.numpy_logits = parts.network.device is None
        self.shares = False  # whether inputs may share a forward; set by the self-test
        self.forwards = 0
        # collects what the layers hold in each forward, if the network can
        self.tapped: Tapped | None = getattr(parts.network, "tapped", None)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        if self.shares:
            return self.row_logits(model_inputs, [self.answering_rows(t.rows) for t in model_inputs])
        return [self.row_logits([t], [self.answering_rows(t.rows)])[0] for t in model_inputs]

    def layers(self, model_input: ModelInput) -> Table | None:
        tap = self._tap(model_input, self.tapped)
        return None if tap is None else self.network.layer_logits(tap.states)  # type: ignore[attr-defined]

    def attention_heads(self) -> tuple[int, int]:
        shape = getattr(self.network, "architecture", None)
        return getattr(self.network, "attention_heads", (0, 0)) if shape is None else (shape.layers, shape.heads)

    def attention(self, model_input: ModelInput, layer: int, head: int) -> Floats | None:
        watched = getattr(self.network, "attended", None) or self.tapped
        tap = self._tap(model_input, watched) if any(self.attention_heads()) else None
        weights = getattr(tap, "attention", None)
        if weights is None:
            return None
        found = weights(layer, head)[self.tokens_before(model_input) :][: len(model_input.tokens)]
        return np.pad(found, (0, len(model_input.tokens) - len(found)))

    def tokens_before(self, model_input: ModelInput) -> int:
        """How many tokens the network reads before the first cell."""
        return int(self.first is not None)

    def _tap(self, model_input: ModelInput, tapped: Tapped | None) -> Any:
        """What the layers hold at the input's last row, in a forward without an approximate cache."""
        if tapped is None:
            return None
        with tapped() as found:
            self.logits([replace(model_input, carry=None, draft_length=0)])
            if not found:  # the answer was kept from an earlier forward
                self.clear_caches()
                self.logits([replace(model_input, carry=None, draft_length=0)])
        return found[-1] if found else None  # some adapters have forwards of their own

    def answering_rows(self, cells: Ints) -> Ints:
        """The network's rows that predict these cells: one to the left if shifted, except for the first cell."""
        return np.maximum(cells + (self.first is not None) - self.shift, 0)

    def row_logits(self, model_inputs: Sequence[ModelInput], rows: Sequence[Ints]) -> list[Table]:
        """Logits at rows of the network, not aligned with the cells."""
        if (self.shift or self.first is not None) and model_inputs[0].attention_mask is not None:
            raise InvalidRequest(
                "this model's logits are shifted by one cell, so shadows cannot verify it: choose another policy"
            )
        ids = np.stack([self.network_sequence(t) for t in model_inputs])
        positions = attention_mask = None
        if model_inputs[0].attention_mask is not None:
            positions = np.stack([t.positions for t in model_inputs])
            attention_mask = np.stack([t.attention_mask for t in model_inputs if t.attention_mask is not None])
        wanted = unique_sorted(np.concatenate(rows) if rows[1:] else rows[0])
        answers = self.read(ids, wanted, positions, attention_mask)
        return [select_rows(a, wanted, r) for a, r in zip(answers, rows, strict=True)]

    def network_ids(self, model_input: ModelInput) -> Ints:
        """The token id that the network gets for each cell."""
        return np.where(model_input.open, self.mask, model_input.tokens)

    def network_sequence(self, model_input: ModelInput) -> Ints:
        """The network's whole input: `first`, if there is one, then the cells' ids."""
        cells = self.network_ids(model_input)
        return cells if self.first is None else np.append(self.first, cells)

    def read(
        self, ids: Ints, rows: Ints, positions: Ints | None, attention_mask: Bools | None, past: Any = None
    ) -> Table:
        """One forward: arrays go to the device, logits stay on it."""
        self.forwards += 1
        device = self.network.device
        words, which, *position_tensors = to_device(device, ids, rows, *([] if positions is None else [positions]))
        mask = None if attention_mask is None else on_device(device, attention_mask)
        return self.network.logits(words, which, position_tensors[0] if position_tensors else None, mask, past)


class OneByOne(Masked):
    """An adapter with a KV cache, which runs each input in a forward of its own."""

    def __init__(self, parts: AdapterParts) -> None:
        super().__init__(parts)
        self.pasts = PrefixCache(parts.network.cache, ROOM if parts.cached else 0)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        return [self.one(t) for t in model_inputs]

    def row_logits(self, model_inputs: Sequence[ModelInput], rows: Sequence[Ints]) -> list[Table]:
        return [self.one(t, r) for t, r in zip(model_inputs, rows, strict=True)]

    def clear_caches(self) -> None:
        self.pasts.kept.clear()

    def cached_tokens(self, tokens: Ints) -> int:
        if self.first is None:
            return self.pasts.get(tokens)
        return max(self.pasts.get(np.append(self.first, tokens)) - 1, 0)

    @abstractmethod
    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Table:
        """Logits of an input's rows, aligned with the cells; or of `rows` of the network, not aligned."""

    def causal_logits(self, tokens: Ints, cells: Ints) -> Table:
        """Logits of each cell from the tokens to its left; a token before the first cell gives it a context too."""
        before = self.first if self.first is not None else next(iter(self.card.ends), 0)
        if not len(cells):
            return self.read(np.array([[before]]), np.array([0]), None, None)[0, :0]
        has_first = self.first is not None or not cells.min()
        text = tokens[: int(cells.max())]
        ids = np.append(before, text) if has_first else text
        wanted = cells if has_first else cells - 1
        known, past, _ = self.pasts.longest(ids[: int(wanted.min())])
        unique = unique_sorted(wanted)
        answer = self.read(ids[None, known:], unique - known, np.arange(known, len(ids))[None], None, past)[0]
        self.pasts.keep(ids, past)
        return select_rows(answer, unique, wanted)


class Causal(OneByOne):
    """Any autoregressive model: each row's logits come from the tokens to its left."""

    causal, masks, reads_along = True, False, True

    def tokens_before(self, model_input: ModelInput) -> int:
        return int(self.first is not None or not model_input.rows.min())

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Table:
        return self.causal_logits(model_input.tokens, model_input.rows if rows is None else rows)


class BothWays(OneByOne):
    """One set of weights that denoises blocks and also decodes autoregressively.

    Decided text is read causally, so its keys and values can be cached; the current block is bidirectional. With
    shifted logits, the first cell of a block is predicted by the last row before it, from the text alone."""

    blockwise = both = True

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Table:
        if model_input.attention_mask is not None:
            raise InvalidRequest(
                "this model reads from left to right, so shadows cannot verify it: choose the policy self_speculate"
            )
        cells = model_input.rows if rows is None else rows
        if model_input.causal:
            return self.causal_logits(model_input.tokens, cells)
        has_first = self.first is not None  # then row 0 is that token, and each cell's row is one to the right
        begins, ends = (b + has_first for b in model_input.block)
        wanted = self.answering_rows(cells) if rows is None else rows
        ids = self.network_sequence(model_input)
        ids = ids[: max(ends, int(max(wanted, default=0)) + 1)]
        known, past, _ = self.pasts.longest(ids[: min([begins, *wanted.tolist()])])
        at = np.arange(known, len(ids))
        inside = (at >= begins) & (at < ends)
        mask = block_causal_mask(at, np.arange(len(ids)), 1)
        mask[inside] = np.arange(len(ids)) < ends
        unique = unique_sorted(wanted)
        answer = self.read(ids[None, known:], unique - known, at[None], mask[None], past)[0]
        self.pasts.keep(ids[:begins], past)
        return select_rows(answer, unique, wanted)


def block_causal_mask(rows: Ints, columns: Ints, size: int) -> Bools:
    """Block-causal attention mask: a cell sees its own block and those before; size 1 is plain causal."""
    seen: Bools = columns[None, :] // size <= rows[:, None] // size
    return seen


def unique_sorted(rows: Ints) -> Ints:
    """The rows sorted and without repeats; returned as they are if they already are so."""
    if len(rows) < 2 or np.count_nonzero(rows[1:] > rows[:-1]) == len(rows) - 1:
        return rows
    found: Ints = np.unique(rows)
    return found


def select_rows(answer: Table, rows: Ints, wanted: Ints) -> Table:
    """The wanted rows out of those that were computed."""
    if rows is wanted or (len(rows) == len(wanted) and np.array_equal(rows, wanted)):
        return answer
    return answer[np.searchsorted(rows, wanted)]
