"""A belief whose numbers are on their way from the device."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.belief import Belief
from unmask.canvas import NOTHING, Card, Floats, Ints
from unmask.decide.constraint import CompiledConstraint
from unmask.errors import ModelError
from unmask.inference.host_transfer import HostTransfer
from unmask.inference.processors import FLOOR
from unmask.inference.query import BeliefQuery
from unmask.inference.rule_reading import RuleReading
from unmask.run.state import State


@dataclass(frozen=True, eq=False)
class PendingBelief:
    """What is known of a pass before its numbers have arrived."""

    state: State
    query: BeliefQuery
    card: Card
    transfer: HostTransfer
    cost: int  # forwards
    stale: NDArray[np.uint8]
    allowed: Ints
    constraint: CompiledConstraint | None
    rule: RuleReading | None
    carry: Any

    def wait(self) -> Belief:
        """The belief; raises ModelError if the logits are not usable."""
        got, query, rows, length = self.transfer.wait(), self.query, self.query.rows, len(self.state.canvas)
        probs, ids, top = got["probs"], got["ids"], got["top"][:, 0]
        drawn = bool(self.state.temperature)
        token, sure = (got["token"][:, 0], got["sure"][:, 0]) if drawn else (ids[:, 0], probs[:, 0])
        entropy = top - np.log(probs[:, 0]) - got["mean"]
        if not _all_usable(top, entropy):
            raise ModelError(
                "the model's logits are not usable: some are NaN or infinite, or no token is left to choose"
            )
        known, missing = np.zeros(length, bool), _empty(length)
        known[rows] = True
        # the belief's columns are views of these two tables
        words = scatter(length, rows, ids, NOTHING)
        table = np.empty((len(rows), 3 + probs.shape[1]))
        table[:, 0], table[:, 1], table[:, 3:] = sure, probs[:, 0] - probs[:, 1], probs
        table[:, 2] = np.maximum(entropy, 0)
        numbers = scatter(length, rows, table)
        kept, leads = self._current(got)
        uniform = known / self.card.words if query.needs.background else missing
        return Belief(
            known=known,
            token=scatter(length, rows, token, NOTHING) if drawn else words[:, 0],
            confidence=numbers[:, 0],
            margin=numbers[:, 1],
            entropy=numbers[:, 2],
            top_ids=words,
            top_probs=numbers[:, 3:],
            kept=missing if kept is None else scatter(length, rows, kept),
            next_word_probs=missing if leads is None else scatter(length, rows, leads, np.nan),
            moved=scatter(length, rows, got["moved"], np.nan) if query.needs.moved else missing,
            doubt=scatter(length, query.shadows, got["doubt"][:, 0], np.nan) if query.shadows.size else missing,
            background=scatter(length, rows, got["common"][:, 0]) if "common" in got else uniform,
            stale=self.stale,
            ends=self.card.ends,
            skips=self.card.skips,
            forwards=self.cost,
            carry=self.carry,
            constraint=self.constraint,
            allowed=self.allowed,
            share=scatter(length, rows, self.rule.share, np.nan) if self.rule else missing,
            fit=scatter(length, rows, self.rule.fit, np.nan) if self.rule else missing,
            **({"logits": scatter(length, rows, got["logits"], -np.inf)} if query.needs.logits else {}),
        )

    def _current(self, got: dict[str, Any]) -> tuple[Floats | None, Floats | None]:
        """The probabilities of the tokens already in the rows' cells, and of those in the cells after them."""
        canvas, rows = self.state.canvas, self.query.rows
        kept = leads = None
        if self.query.scores_current:
            kept = np.where(canvas.open[rows], 0, got["stands"][:, 0])
        if self.query.model_input.causal:
            leads = np.where(canvas.behind[rows] == NOTHING, np.nan, got["stands"][:, 1])
        return kept, leads


def scatter(length: int, rows: Ints, values: Any, elsewhere: float = 0) -> Any:
    """Values of some rows spread over all cells, with `elsewhere` in the others."""
    full = np.zeros((length, *values.shape[1:]), values.dtype)
    if elsewhere:
        full.fill(elsewhere)
    full[rows] = values
    return full


def _all_usable(top: Floats, entropy: Floats) -> bool:
    """Whether all rows are finite and leave a token to choose; checked on one sum."""
    return FLOOR / 2 < float(np.add.reduce(top + entropy)) < inf


@cache
def _empty(length: int) -> Floats:
    return np.broadcast_to(np.nan, length)
