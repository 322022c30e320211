"""One set of weights that drafts a few cells at once and verifies them from left to right, in the same forward.

The verified reading is autoregression, so what stays is word for word what the twin would have written. A draft sees
everything before it with the keys and values of that reading, which are kept and exact; its cells see one another.
While a draft is verified, what follows is drafted for the likeliest place where the two readings may part (TiDAR,
arXiv:2511.08923): so a round of drafting and verifying mostly costs one forward. Each cell is answered one place to its
left; the cell before a draft was settled by the forward that drafts, so a draft is made without knowing it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unmask.canvas import Bools, Ints
from unmask.models.hub.adapter import BothWays

if TYPE_CHECKING:
    from torch import Tensor

    from unmask.models.fused import Fused
    from unmask.models.interface import ModelInput
    from unmask.models.transformer import Past

LINES = 32  # texts whose keys and values are kept
DRAFTS = 64  # drafts that wait to be asked for
LIKELIEST = 1  # places where the readings may part, for which a verification drafts on: each more costs as much again

CacheLine = tuple[int, ...]


@dataclass(frozen=True)
class DraftBlock:
    """Cells to be drafted behind a text: the text as it is read, and the block with its open cells hidden."""

    after: CacheLine
    cells: CacheLine


class Drafting:
    """Keys, values and drafts are derived data: losing one costs a forward, and nothing else."""

    def __init__(self, network: Fused, separator: int, mask: int, likeliest: int = LIKELIEST) -> None:
        self.network, self.separator, self.mask, self.likeliest = network, separator, mask, likeliest
        self.lines: OrderedDict[CacheLine, Past] = OrderedDict()
        self.drafts: OrderedDict[DraftBlock, Tensor] = OrderedDict()

    def cost(self, model_input: ModelInput) -> int:
        """The forwards that answering takes: none, where it was thought of while the last draft was verified."""
        return 0 if not model_input.causal and self._current(model_input) in self.drafts else 1

    def logits(self, model_input: ModelInput) -> Tensor:
        return self._verified(model_input) if model_input.causal else self._drafted(model_input)

    def _current(self, model_input: ModelInput) -> DraftBlock:
        """The block that holds a draft's rows: it begins with the last cell that was written, if there is one."""
        first = int(model_input.rows.min())
        return self._block(
            model_input.tokens, model_input.open, first - (first > model_input.origin), int(model_input.rows.max())
        )

    def _block(self, tokens: Ints, hidden: Bools, begin: int, last: int) -> DraftBlock:
        cells = np.where(hidden[begin : last + 1], self.mask, tokens[begin : last + 1])
        cells[0] = self.mask
        return DraftBlock((self.separator, *tokens[:begin].tolist()), tuple(cells.tolist()))

    def _drafted(self, model_input: ModelInput) -> Tensor:
        import torch

        block = self._current(model_input)
        begin = len(block.after) - 1
        before = model_input.rows == begin  # nothing is written yet: the first cell is the text's own next word
        if before.any() or block not in self.drafts:
            hidden, (drafted,) = self._read(block.after, begin, [block])
            self._keep(block, drafted)
            if before.any():
                drafted = torch.cat([self.network.lm_head(hidden[-1:]), self.drafts[block]])
                return drafted[torch.from_numpy(model_input.rows - begin)]
        self.drafts.move_to_end(block)
        return self.drafts[block][torch.from_numpy(model_input.rows - begin - 1)]

    def _verified(self, model_input: ModelInput) -> Tensor:
        import torch

        rows = model_input.rows
        line = (self.separator, *model_input.tokens[: int(rows.max())].tolist())
        blocks = [b for b in self._causal_logits(model_input) if b not in self.drafts]
        hidden, drafted = self._read(line, int(rows.min()), blocks)
        for block, states in zip(blocks, drafted, strict=True):
            self._keep(block, states)
        return self.network.lm_head(hidden[torch.from_numpy(rows - int(rows.max()) - 1)])

    def _causal_logits(self, model_input: ModelInput) -> list[DraftBlock]:
        """What would be drafted next, for the likeliest places at which this draft may turn out wrong."""
        rows, found = model_input.rows, []
        sure = self._sureness(model_input)
        parts = np.cumprod(np.r_[1, sure[:-1]]) * np.r_[1 - sure[:-1], 1]
        for place in np.argsort(-parts, kind="stable")[: self.likeliest]:
            begin = int(rows[place])
            hidden = model_input.open.copy()
            hidden[rows[rows >= begin]] = True
            later = begin + 1 + np.flatnonzero(hidden[begin + 1 :])[: model_input.draft_length]
            if len(later):
                found.append(self._block(model_input.tokens, hidden, begin, int(later.max())))
        return found

    def _sureness(self, model_input: ModelInput) -> np.ndarray:
        """How sure the draft was of each of its cells."""
        hidden = model_input.open.copy()
        hidden[model_input.rows] = True
        first = int(model_input.rows.min())
        begin = first - (first > model_input.origin)
        logits = self.drafts.get(self._block(model_input.tokens, hidden, begin, int(model_input.rows.max())))
        sure = np.full(len(model_input.rows), 0.9)
        if logits is not None:
            p = logits.float().softmax(-1).amax(-1).cpu().numpy()
            drafted = model_input.rows > begin
            sure[drafted] = p[model_input.rows[drafted] - begin - 1]
            sure[~drafted] = 1
        return sure

    def _keep(self, block: DraftBlock, hidden: Tensor) -> None:
        """The last place of a block answers for the cell behind it, which nobody asks."""
        self.drafts[block] = self.network.lm_head(hidden[:-1]) if len(hidden) > 1 else self.network.lm_head(hidden)
        while len(self.drafts) > DRAFTS:
            self.drafts.popitem(last=False)

    def _read(self, line: CacheLine, wanted: int, blocks: Sequence[DraftBlock]) -> tuple[Tensor, list[Tensor]]:
        """Hidden vectors of a line from place `wanted` on or earlier, and of blocks behind parts of it: one forward."""
        import torch

        known, past = self._longest(line, wanted)
        fresh = len(line) - known
        ids, positions = [*line[known:]], [*range(known, len(line))]
        spans = []
        for block in blocks:
            spans.append((len(block.after), len(ids), len(ids) + len(block.cells)))
            ids += block.cells
            positions += range(len(block.after), len(block.after) + len(block.cells))
        attention_mask = torch.zeros(len(ids), known + len(ids), dtype=torch.bool)
        attention_mask[:fresh, : len(line)] = torch.ones(fresh, len(line), dtype=torch.bool).tril(known)
        for after, begin, end in spans:
            attention_mask[begin:end, :after] = True
            attention_mask[begin:end, known + begin : known + end] = True
        hidden, grown = self.network.read(torch.tensor([ids]), torch.tensor([positions]), attention_mask[None], past)
        self.lines.pop(line[:-1], None)  # one line of text needs only its longest
        self.lines[line] = [(keys[:, :, : len(line)], values[:, :, : len(line)]) for keys, values in grown]
        while len(self.lines) > LINES:
            self.lines.popitem(last=False)
        return hidden[0, :fresh], [hidden[0, begin:end] for _, begin, end in spans]

    def _longest(self, line: CacheLine, most: int) -> tuple[int, Past | None]:
        """How much of a line is known, up to `most`, and its keys and values."""
        best, found = 0, None
        for known in reversed(self.lines):
            alike = 0
            for mine, theirs in zip(line[:most], known, strict=False):
                if mine != theirs:
                    break
                alike += 1
            if alike > best:
                best, found = alike, known
        if found is None:
            return 0, None
        self.lines.move_to_end(found)
        return best, [(keys[:, :, :best], values[:, :, :best]) for keys, values in self.lines[found]]


class DraftingAdapter(BothWays):
    """An adapter whose drafts and verifications share forwards; every other request is answered in the plain way."""

    drafting: Drafting

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Tensor:
        if model_input.draft_length and rows is None and model_input.attention_mask is None and len(model_input.rows):
            return self.drafting.logits(model_input)
        return super().one(model_input, rows)

    def forwards_for(self, model_input: ModelInput) -> int:
        return self.drafting.cost(model_input) if model_input.draft_length and len(model_input.rows) else 1

    def clear_caches(self) -> None:
        super().clear_caches()
        self.drafting.lines.clear()
        self.drafting.drafts.clear()
