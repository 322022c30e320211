"""A model that writes from left to right, with a text that was predicted for its answer.

One forward reads the predicted tokens along with the last written one, so that it has their logits too. As
long as the text goes on as predicted, the next passes need no forward. What is written is decided pass by pass as ever:
by the same logits with the same draws, so the text is the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.canvas import Ints
from unmask.inference.follower import Follower
from unmask.models.array_ops import concat, on_device
from unmask.models.interface import Denoiser, ModelInput, Table

AGREE = 3, 5  # tokens in a row that have to agree before the prediction is the draft: if all agreed so far, or not
CERTAIN = 30.0  # the logit of a predicted token in a draft; that of all others is 0


class Predicted(Denoiser):
    """The model of one answer. Of a model that drafts and verifies, the draft is the prediction where it goes on so;
    with a temperature its drafts decide which draws are used, so they stay its own."""

    def __init__(self, model: Denoiser, follower: Follower, drafts: bool) -> None:
        self.model, self.follower, self.drafts = model, follower, drafts
        self.card, self.tokenizer, self.background = model.card, model.tokenizer, model.background
        self.numpy_logits, self.has_carry = model.numpy_logits, model.has_carry
        self.end = model.card.ends[0] if model.card.ends else 0
        self.line: Ints = np.empty(0, np.int64)  # the text that was read
        self.rows: dict[int, Table] = {}  # the logits that it gave, by cell, until they are used

    @property
    def base(self) -> Denoiser:
        return self.model

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        return [self._one(model_input) for model_input in model_inputs]

    def forwards_for(self, model_input: ModelInput) -> int:
        if self._is_read(model_input) or self._draft(model_input) is not None:
            return 0
        return 1 if self._ahead(model_input) is not None else self.model.forwards_for(model_input)

    def clear_caches(self) -> None:
        self.rows.clear()
        self.model.clear_caches()

    def cached_tokens(self, tokens: Ints) -> int:
        return self.model.cached_tokens(tokens)

    def _one(self, model_input: ModelInput) -> Table:
        if self._is_read(model_input):
            found = [self.rows.pop(row) for row in model_input.rows.tolist()]  # its caller may change them
            return found[0] if len(found) == 1 else concat(found, 0)
        if (draft := self._draft(model_input)) is not None:
            return self._certain(draft)
        if (ahead := self._ahead(model_input)) is not None:
            return self._read(model_input, ahead)
        return self.model.logits([model_input])[0]

    def _in_order(self, model_input: ModelInput) -> bool:
        """Whether the rows are predicted from the text to their left, one after the other."""
        rows = model_input.rows
        ordered = model_input.attention_mask is None and len(rows) and rows[-1] - rows[0] == len(rows) - 1
        return bool(ordered) and (self.card.causal or model_input.causal)

    def _is_read(self, model_input: ModelInput) -> bool:
        rows = model_input.rows
        if not self._in_order(model_input) or not all(row in self.rows for row in rows.tolist()):
            return False
        return np.array_equal(model_input.tokens[: rows[-1]], self.line[: rows[-1]])

    def _draft(self, model_input: ModelInput) -> list[int] | None:
        """The prediction as the draft of these rows; None if this is no draft, or the text does not go on so."""
        rows = model_input.rows
        if not self.drafts or self.card.causal or model_input.causal or not model_input.draft_length or not len(rows):
            return None
        if rows[-1] - rows[0] != len(rows) - 1:
            return None
        self._follow(model_input)
        ahead = self._drafted()
        return (ahead + [self.end] * len(rows))[: len(rows)] if ahead else None

    def _ahead(self, model_input: ModelInput) -> list[int] | None:
        """The tokens to read along: those of the rows that are drafts, and the predicted ones after them."""
        if not self._in_order(model_input):
            return None
        if self.card.causal:
            self._follow(model_input)
            return list(self.follower.ahead()) if len(model_input.rows) == 1 else None
        drafts = model_input.tokens[model_input.rows].tolist()
        ahead = self._drafted() if self.drafts else []
        together = min(len(drafts), len(ahead))
        return drafts + ahead[together:] if together and drafts[:together] == ahead[:together] else None

    def _drafted(self) -> list[int]:
        """The prediction as a draft. A wrong one costs a forward, so the last words have to agree with it."""
        differed = len(self.follower.agreed) < len(self.follower.answer)
        return list(self.follower.ahead()) if self.follower.run >= AGREE[differed] else []

    def _follow(self, model_input: ModelInput) -> None:
        self.follower.follow(model_input.tokens[model_input.origin : model_input.rows[0]].tolist())

    def _read(self, model_input: ModelInput, ahead: Sequence[int]) -> Table:
        """One forward for the rows of this input, and those of the predicted tokens after them."""
        first, wanted = int(model_input.rows[0]), len(model_input.rows)
        line = np.append(model_input.tokens[:first], np.array(ahead, np.int64))[: self.card.longest - 1]
        rows, every = np.arange(first, max(len(line), first + wanted - 1) + 1), np.arange(len(line) + 1)
        opened = np.zeros(len(every), bool)
        table = self.model.logits(
            [replace(model_input, tokens=np.append(line, 0), open=opened, rows=rows, positions=every, draft_length=0)]
        )[0]
        self.line, self.rows = line, {int(row): table[i : i + 1] for i, row in enumerate(rows) if i >= wanted}
        return table[:wanted]

    def _certain(self, draft: Sequence[int]) -> Table:
        table = np.zeros((len(draft), self.card.words), np.float32)
        table[np.arange(len(draft)), draft] = CERTAIN
        return table if self.numpy_logits else on_device(self.model.network.device, table)  # type: ignore[attr-defined]
