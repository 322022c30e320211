"""A full-canvas denoiser combined with an autoregressive reader, which scores its text from left to right.

Parallel decoding writes tokens that are each likely but do not fit together; an autoregressive model notices that at
the first of them. One forward of the reader scores a whole text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unmask.models.array_ops import to_device
from unmask.models.hub.adapter import AdapterParts, Masked, Tapped, select_rows
from unmask.models.hub.network import Network
from unmask.models.interface import ModelInput, Table


class Proofread(Masked):
    """Denoises with its own network, and answers causal inputs with the reader's; it has no KV cache."""

    both = True

    def __init__(self, parts: AdapterParts, reader: Network, separator: int, skip: int | None) -> None:
        super().__init__(parts)
        self.reader, self.separator, self.skip = reader, separator, skip

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        if not model_inputs[0].causal:
            return super().logits(model_inputs)
        return [self.causal_logits(model_input) for model_input in model_inputs]

    def causal_logits(self, model_input: ModelInput) -> Table:
        """Logits of each row from the tokens to its left; skip tokens are left out."""
        tokens = model_input.tokens[: int(model_input.rows.max(initial=-1)) + 1]
        kept = tokens != self.skip
        ids = np.where(model_input.open[: len(tokens)], self.mask, tokens)[kept]
        rows = (np.cumsum(kept) - kept)[model_input.rows]  # number of tokens before each
        wanted = np.unique(rows)
        self.forwards += 1
        words, which = to_device(self.reader.device, np.append(self.separator, ids)[None], wanted)
        return select_rows(self.reader.logits(words, which)[0], wanted, rows)

    def _tap(self, model_input: ModelInput, tapped: Tapped | None) -> Any:
        # the reader's layers are another network's
        return None if model_input.causal else super()._tap(model_input, tapped)
