"""Self-speculation: one set of weights drafts several cells and verifies them autoregressively in the same forward.

Verification is autoregression, so the result is exactly the text the twin would have written. A draft attends to all
text before it through the exact KV cache, and its cells attend to one another. The forward that verifies a draft also
drafts what follows the position where it is most likely to be rejected (TiDAR, arXiv:2511.08923), so a round usually
costs one forward. Logits are shifted by one. The cell before a draft is decided by the forward that drafts, so a draft
is made with that cell masked.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unmask.canvas import Bools, Ints
from unmask.models.array_ops import astype, concat, on_device, row_max, softmax, to_device, to_numpy
from unmask.models.hub.adapter import BothWays
from unmask.models.hub.prefix_cache import crop_cache

if TYPE_CHECKING:
    from unmask.models.hub.kv_buffer import KVCache
    from unmask.models.hub.network import Network
    from unmask.models.interface import ModelInput, Table

LINES = 32  # texts whose keys and values are cached
DRAFTS = 64  # drafts that are cached until they are needed
LIKELIEST = 1  # rejection positions that a verification drafts for; each costs one more block in the forward

CacheLine = tuple[int, ...]


@dataclass(frozen=True)
class DraftBlock:
    """A draft to be made: the text before it, and the block's ids with open cells masked."""

    after: CacheLine
    cells: CacheLine


class Drafting:
    """Drafts and verifies with one network. Its caches are derived data: losing an entry costs one forward."""

    def __init__(self, network: Network, separator: int, mask: int, likeliest: int = LIKELIEST) -> None:
        self.network, self.separator, self.mask, self.likeliest = network, separator, mask, likeliest
        self.lines: OrderedDict[CacheLine, KVCache] = OrderedDict()
        self.drafts: OrderedDict[DraftBlock, Table] = OrderedDict()

    def cost(self, model_input: ModelInput) -> int:
        """Forwards needed for an input: 0 if its draft was made while the last one was verified."""
        return 0 if not model_input.causal and self._current(model_input) in self.drafts else 1

    def logits(self, model_input: ModelInput) -> Table:
        return self._verify(model_input) if model_input.causal else self._draft(model_input)

    def _current(self, model_input: ModelInput) -> DraftBlock:
        """The block that holds an input's rows; it begins with the last written cell, if there is one."""
        first = int(model_input.rows.min())
        return self._block(
            model_input.tokens, model_input.open, first - (first > model_input.origin), int(model_input.rows.max())
        )

    def _block(self, tokens: Ints, hidden: Bools, begin: int, last: int) -> DraftBlock:
        cells = np.where(hidden[begin : last + 1], self.mask, tokens[begin : last + 1])
        cells[0] = self.mask
        return DraftBlock((self.separator, *tokens[:begin].tolist()), tuple(cells.tolist()))

    def _draft(self, model_input: ModelInput) -> Table:
        block = self._current(model_input)
        begin = len(block.after) - 1
        rows = model_input.rows - begin - 1
        if rows.min() >= 0 and block in self.drafts:
            self.drafts.move_to_end(block)
            return self.drafts[block][rows]
        # where nothing is written yet, the first cell is the prompt's next token: the text's own row predicts it
        first, (drafted,) = self._read(block.after, 1, [block])
        self._keep(block, drafted)
        return concat([first, drafted], 0)[rows + 1]

    def _verify(self, model_input: ModelInput) -> Table:
        rows = model_input.rows
        line = (self.separator, *model_input.tokens[: int(rows.max())].tolist())
        blocks = [b for b in self._next_drafts(model_input) if b not in self.drafts]
        logits, drafted = self._read(line, int(rows.max() - rows.min()) + 1, blocks)
        for block, one in zip(blocks, drafted, strict=True):
            self._keep(block, one)
        return logits[rows - rows.min()]

    def _next_drafts(self, model_input: ModelInput) -> list[DraftBlock]:
        """The drafts to make next, for the positions where this draft is most likely to be rejected."""
        rows, found = model_input.rows, []
        sure = self._draft_confidence(model_input)
        reject_probability = np.cumprod(np.r_[1, sure[:-1]]) * np.r_[1 - sure[:-1], 1]
        for place in np.argsort(-reject_probability, kind="stable")[: self.likeliest]:
            begin = int(rows[place])
            hidden = model_input.open.copy()
            hidden[rows[rows >= begin]] = True
            later = begin + 1 + np.flatnonzero(hidden[begin + 1 :])[: model_input.draft_length]
            if len(later):
                found.append(self._block(model_input.tokens, hidden, begin, int(later.max())))
        return found

    def _draft_confidence(self, model_input: ModelInput) -> np.ndarray:
        """The draft's confidence in each of its cells; 0.9 if the draft is not cached."""
        hidden = model_input.open.copy()
        hidden[model_input.rows] = True
        first = int(model_input.rows.min())
        begin = first - (first > model_input.origin)
        logits = self.drafts.get(self._block(model_input.tokens, hidden, begin, int(model_input.rows.max())))
        sure = np.full(len(model_input.rows), 0.9)
        if logits is not None:
            p = to_numpy(row_max(softmax(astype(logits, "float32"))))[:, 0]
            drafted = model_input.rows > begin
            sure[drafted] = p[model_input.rows[drafted] - begin - 1]
            sure[~drafted] = 1
        return sure

    def _keep(self, block: DraftBlock, logits: Table) -> None:
        """Caches a draft."""
        self.drafts[block] = logits
        while len(self.drafts) > DRAFTS:
            self.drafts.popitem(last=False)

    def _read(self, line: CacheLine, wanted: int, blocks: Sequence[DraftBlock]) -> tuple[Table, list[Table]]:
        """One forward: logits of a text's last `wanted` rows, and of draft blocks after parts of it.

        A block's last row, which predicts the cell after it, is left out unless it is the only one."""
        known, past = self._longest(line, len(line) - wanted)
        fresh = len(line) - known
        ids, positions, rows = [*line[known:]], [*range(known, len(line))], [*range(fresh - wanted, fresh)]
        spans, ends = [], [wanted]
        for block in blocks:
            begin, end = len(ids), len(ids) + len(block.cells)
            spans.append((len(block.after), begin, end))
            rows += range(begin, max(end - 1, begin + 1))
            ends.append(len(rows))
            ids += block.cells
            positions += range(len(block.after), len(block.after) + len(block.cells))
        attention_mask = np.zeros((1, len(ids), known + len(ids)), bool)
        attention_mask[0, :fresh, : len(line)] = np.tri(fresh, len(line), known, dtype=bool)
        for after, begin, end in spans:
            attention_mask[0, begin:end, :after] = True
            attention_mask[0, begin:end, known + begin : known + end] = True
        device = self.network.device
        words, wanted_rows, places = to_device(device, np.array([ids]), np.array(rows), np.array([positions]))
        logits = self.network.logits(words, wanted_rows, places, on_device(device, attention_mask), past)[0]
        self.lines.pop(line[:-1], None)  # the longer text replaces its prefix
        self.lines[line] = crop_cache(past, len(line))
        while len(self.lines) > LINES:
            self.lines.popitem(last=False)
        return logits[:wanted], [logits[begin:end] for begin, end in itertools.pairwise(ends)]

    def _longest(self, line: CacheLine, most: int) -> tuple[int, KVCache]:
        """The longest cached prefix of a text, up to `most` tokens: its length, keys and values."""
        best, found = 0, None
        for known in reversed(self.lines):
            shared = 0
            for ours, theirs in zip(line[:most], known, strict=False):
                if ours != theirs:
                    break
                shared += 1
            if shared > best:
                best, found = shared, known
        if found is None:
            return 0, self.network.cache()
        self.lines.move_to_end(found)
        return best, crop_cache(self.lines[found], best)


class DraftingAdapter(BothWays):
    """An adapter that drafts and verifies with `Drafting`; other inputs are handled as in `BothWays`."""

    drafting: Drafting
    reads_along = True

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Table:
        if model_input.draft_length and rows is None and model_input.attention_mask is None and len(model_input.rows):
            return self.drafting.logits(model_input)
        return super().one(model_input, rows)

    def forwards_for(self, model_input: ModelInput) -> int:
        return self.drafting.cost(model_input) if model_input.draft_length and len(model_input.rows) else 1

    def clear_caches(self) -> None:
        super().clear_caches()
        self.drafting.lines.clear()
        self.drafting.drafts.clear()
