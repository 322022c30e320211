"""Belief queries: which rows of the canvas a pass needs, and the model inputs that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.canvas import Bools, Canvas, Card, Ints
from unmask.decide import Needs, get_policy
from unmask.errors import InvalidRequest, ModelError
from unmask.inference.memory import DistributionCache
from unmask.inference.processors import model_processors
from unmask.models import Denoiser, ModelInput, Table
from unmask.run.state import State

NO_CELLS: Ints = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class BeliefQuery:
    """The rows of the canvas that a pass needs, and the model inputs that answer them."""

    needs: Needs
    rows: Ints
    shadows: Ints  # written cells to verify by a shadow: a masked copy of the cell (WINO)
    model_input: ModelInput
    without: ModelInput | None  # the same with the prompt hidden, for guidance
    before: ModelInput | None  # the last canvas, if its distribution is needed and not in the cache
    before_without: ModelInput | None
    wanted: Ints  # rows of the last canvas that its policy needed, watched or not
    key: bytes  # cache key of the last canvas's distribution

    @property
    def scores_current(self) -> bool:
        """Whether the probabilities of the tokens already written in the rows are needed."""
        return self.needs.rows == "answer" or self.model_input.causal

    @property
    def model_inputs(self) -> list[ModelInput]:
        return [t for t in (self.model_input, self.without, self.before, self.before_without) if t is not None]


def build_query(card: Card, state: State, watched: bool, distribution_cache: DistributionCache) -> BeliefQuery:
    """The query for a state: the rows its policy needs, and if `watched` all that the page shows."""
    needs, canvas = get_policy(state.settings.policy).needs, state.canvas
    if needs.verify and not card.both:
        raise InvalidRequest(
            f"'{state.settings.policy}' needs a model that also decodes from left to right; {card.name} cannot"
        )
    if needs.shadow and card.candidates:
        raise InvalidRequest(f"'{state.settings.policy}' hides one word at a time, which {card.device} cannot read")
    block = _window(card, canvas, state)
    rows = _rows(card, needs, canvas, state, block, watched)
    shadows = NO_CELLS
    if needs.shadow:
        begins, ends = state.bounds
        shadows = begins + np.flatnonzero((~canvas.open & canvas.free)[begins:ends])
    model_input = _model_input(canvas, state, rows, shadows, block)
    without = None
    if state.settings.guidance:
        without = _model_input(canvas, state, rows, shadows, block, hidden=canvas.given)
    before = before_without = None
    wanted, key = NO_CELLS, b""
    if needs.moved and state.seen is not None:
        block = _window(card, state.seen, state)
        wanted, key = (
            _rows(card, needs, state.seen, state, block, watched=False),
            distribution_key(state.seen, state, card),
        )
        if distribution_cache.get(key) is None:
            before = _model_input(state.seen, state, wanted, NO_CELLS, block)
            if without is not None:
                before_without = _model_input(state.seen, state, wanted, NO_CELLS, block, hidden=canvas.given)
    return BeliefQuery(needs, rows, shadows, model_input, without, before, before_without, wanted, key)


def counterfactual_input(card: Card, state: State, canvas: Canvas, cells: Ints | None = None) -> ModelInput:
    """The model input for a changed canvas: its open cells, or those of `cells` that are open."""
    begins, ends = window = _window(card, canvas, state)
    rows = np.flatnonzero(canvas.open) if cells is None else cells[canvas.open[cells]]
    rows = np.unique(rows[(rows >= begins) & (rows < ends)])
    n = min(state.visible_cells, len(canvas))
    return ModelInput(canvas.tokens[:n], canvas.open[:n], rows, np.arange(n), None, canvas.origin, state.carry, window)


def distribution_key(canvas: Canvas, state: State, card: Card) -> bytes:
    """The cache key of a distribution: the visible tokens and the keys of all processors."""
    keys = [processor.key for processor in model_processors(state, canvas, card)]
    return np.where(canvas.open, -1, canvas.tokens)[: state.visible_cells].tobytes() + repr(keys).encode()


def _rows(card: Card, needs: Needs, canvas: Canvas, state: State, block: tuple[int, int], watched: bool) -> Ints:
    """The cells to infer: those the policy reads, and if `watched` all cells of the answer."""
    if card.causal:  # an autoregressive model predicts the leftmost open cell only
        return canvas.open[: state.visible_cells].nonzero()[0][:1]
    begins, ends = block
    if state.verified is not None:
        return np.flatnonzero((state.verified & ~canvas.open)[: state.visible_cells])
    if needs.ahead:
        return begins + canvas.open[begins:ends].nonzero()[0][: _draft_length(state, needs)]
    if watched or needs.rows == "answer" or card.noise:
        return begins + canvas.answer[begins:ends].nonzero()[0]
    # policies that compare passes, and answers of free length, need cells after the block too
    if not needs.moved and not state.settings.room:
        # no cell after the block is written now, and each row costs a whole vocabulary
        ends = min(ends, state.bounds[1])
    return begins + canvas.open[begins:ends].nonzero()[0][: 1 if needs.rows == "next" else None]


def _draft_length(state: State, needs: Needs) -> int:
    """How many cells the policy drafts at once."""
    if not needs.ahead:
        return 0
    return int(get_policy(state.settings.policy).options(state.settings.options)[needs.ahead])


def _window(card: Card, canvas: Canvas, state: State) -> tuple[int, int]:
    """The cells being decided, as a range: all visible cells, or for a block-wise model the current block and
    all after the first open cell before it, so that cells reopened by an edit are decided too."""
    if not card.blockwise:
        return 0, min(state.visible_cells, len(canvas))
    begins, ends = state.bounds
    undecided = canvas.open if state.verify is None else canvas.open | np.isin(canvas.ids, state.verify)
    first = int(undecided.argmax()) if undecided.any() else ends
    return min(begins, first, ends), min(ends, len(canvas))


def _model_input(
    canvas: Canvas, state: State, rows: Ints, shadows: Ints, block: tuple[int, int], hidden: Bools | None = None
) -> ModelInput:
    n, m = min(state.visible_cells, len(canvas)), len(shadows)
    still_open = (canvas.open if hidden is None else canvas.open | hidden)[:n]
    tokens, positions = canvas.tokens[:n], np.arange(n)
    if not m:
        causal = state.verify is not None
        ahead = _draft_length(state, get_policy(state.settings.policy).needs)
        return ModelInput(tokens, still_open, rows, positions, None, canvas.origin, state.carry, block, causal, ahead)
    # a shadow has its cell's position and attends to every other cell; no cell attends to a shadow (WINO, fig. 3)
    attention_mask = np.zeros((n + m, n + m), bool)
    attention_mask[:, :n] = True
    attention_mask[n + np.arange(m), shadows] = False
    attention_mask[n + np.arange(m), n + np.arange(m)] = True
    return ModelInput(
        np.concatenate([tokens, np.full(m, -1)]),
        np.concatenate([still_open, np.ones(m, bool)]),
        np.concatenate([rows, n + np.arange(m)]),
        np.concatenate([positions, shadows]),
        attention_mask,
        canvas.origin,
        state.carry,
        block,
    )


def batched_logits(denoiser: Denoiser, model_inputs: Sequence[ModelInput]) -> list[Table]:
    """Logits for each model input, [rows, V]; inputs of one shape share a forward.

    Raises ModelError if a table has another shape."""
    tables = _batched_logits(denoiser, model_inputs)
    for model_input, table in zip(model_inputs, tables, strict=True):
        if tuple(table.shape) != (wanted := (len(model_input.rows), denoiser.card.words)):
            raise ModelError(f"the model returned logits of shape {tuple(table.shape)} instead of {wanted}")
    return tables


def _batched_logits(denoiser: Denoiser, model_inputs: Sequence[ModelInput]) -> list[Table]:
    if len(model_inputs) == 1:
        return denoiser.logits(model_inputs)
    groups: dict[Any, list[int]] = {}
    for i, model_input in enumerate(model_inputs):
        groups.setdefault(model_input.shape, []).append(i)
    answers: dict[int, Table] = {}
    for members in groups.values():
        answers.update(zip(members, denoiser.logits([model_inputs[i] for i in members]), strict=True))
    return [answers[i] for i in range(len(model_inputs))]
