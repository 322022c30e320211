"""A denoiser of the whole canvas with a second reader beside it, who reads what stands from left to right.

Who fills many cells at once writes words that are each likely and do not belong together; who reads in order sees that
at the first of them. One forward of the reader is enough for a whole text, since all of it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unmask.models.hub.adapter import Fitting, Masked, picked, sent
from unmask.models.interface import Thought

if TYPE_CHECKING:
    from torch import Tensor

    from unmask.models.hub.network import Network


class Proofread(Masked):
    """It looks everywhere, and answers from left to right by its reader, who keeps nothing between two thoughts."""

    both = True

    def __init__(self, fitting: Fitting, reader: Network, separator: int, skip: int | None) -> None:
        super().__init__(fitting)
        self.reader, self.separator, self.skip = reader, separator, skip

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        if not thoughts[0].onward:
            return super().logits(thoughts)
        return [self.onward(thought) for thought in thoughts]

    def onward(self, thought: Thought) -> Tensor:
        """Each row from what stands to its left; a cell too many is read as if it were not there."""
        tokens = thought.tokens[: int(thought.rows.max(initial=-1)) + 1]
        there = tokens != self.skip
        spelled = np.where(thought.open[: len(tokens)], self.mask, tokens)[there]
        rows = (np.cumsum(there) - there)[thought.rows]  # how many words stand before each
        wanted = np.unique(rows)
        self.forwards += 1
        words, which = sent(self.reader.device, np.append(self.separator, spelled)[None], wanted)
        return picked(self.reader.logits(words, which)[0], wanted, rows)

    def layers(self, thought: Thought) -> Tensor | None:
        if not thought.onward:
            return super().layers(thought)
        return None  # its layers are another network's
