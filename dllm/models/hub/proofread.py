"""A denoiser of the whole canvas with a second reader beside it, who reads what stands from left to right.

Who fills many cells at once writes words that are each likely and do not belong together; who reads in order sees that
at the first of them. One forward of the reader is enough for a whole text, since all of it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unmask.models.hub.adapter import AdapterParts, Masked, select_rows, to_device
from unmask.models.interface import ModelInput

if TYPE_CHECKING:
    from torch import Tensor

    from unmask.models.hub.network import Network


class Proofread(Masked):
    """It looks everywhere, and answers from left to right by its reader, who keeps nothing between two thoughts."""

    both = True

    def __init__(self, fitting: AdapterParts, reader: Network, separator: int, skip: int | None) -> None:
        super().__init__(fitting)
        self.reader, self.separator, self.skip = reader, separator, skip

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Tensor]:
        if not model_inputs[0].causal:
            return super().logits(model_inputs)
        return [self.causal_logits(model_input) for model_input in model_inputs]

    def causal_logits(self, model_input: ModelInput) -> Tensor:
        """Each row from what stands to its left; a cell too many is read as if it were not there."""
        tokens = model_input.tokens[: int(model_input.rows.max(initial=-1)) + 1]
        there = tokens != self.skip
        spelled = np.where(model_input.open[: len(tokens)], self.mask, tokens)[there]
        rows = (np.cumsum(there) - there)[model_input.rows]  # how many words stand before each
        wanted = np.unique(rows)
        self.forwards += 1
        words, which = to_device(self.reader.device, np.append(self.separator, spelled)[None], wanted)
        return select_rows(self.reader.logits(words, which)[0], wanted, rows)

    def layers(self, model_input: ModelInput) -> Tensor | None:
        if not model_input.causal:
            return super().layers(model_input)
        return None  # its layers are another network's
