"""What one state asks of a model: which cells, as which thoughts. Queries of one shape share a forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import Bools, Canvas, Card, Ints
from unmask.decide import Needs, get_policy
from unmask.errors import InvalidRequest, ModelError
from unmask.inference.distribution_cache import DistributionCache
from unmask.inference.processors import model_processors
from unmask.models import Denoiser, ModelInput
from unmask.run.state import State

if TYPE_CHECKING:
    from torch import Tensor

NO_CELLS: Ints = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class BeliefQuery:
    """Some rows of a canvas, and the thoughts that answer them."""

    needs: Needs
    rows: Ints
    shadows: Ints  # cells that a shadow verifies
    model_input: ModelInput
    without: ModelInput | None  # the same with the prompt hidden, for guidance
    before: ModelInput | None  # the last canvas, where its distribution is needed and not recalled
    before_without: ModelInput | None
    wanted: Ints  # of the last canvas, the rows that its pass was about, watched or not
    key: bytes  # what the last canvas's distribution is recalled by

    @property
    def scores_current(self) -> bool:
        """Whether it is asked how likely the words are that stand in the rows."""
        return self.needs.rows == "answer" or self.model_input.causal

    @property
    def model_inputs(self) -> list[ModelInput]:
        return [t for t in (self.model_input, self.without, self.before, self.before_without) if t is not None]


def build_query(card: Card, state: State, watched: bool, distribution_cache: DistributionCache) -> BeliefQuery:
    """What the policy of a state wants to know, and the people who watch."""
    needs, canvas = get_policy(state.settings.policy).needs, state.canvas
    if needs.verify and not card.both:
        raise InvalidRequest(f"'{state.settings.policy}' needs a model that answers both ways; {card.name} does not")
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
    """The same question about a canvas that is not there: its open cells, or those of `cells` that are open."""
    begins, ends = window = _window(card, canvas, state)
    rows = np.flatnonzero(canvas.open) if cells is None else cells[canvas.open[cells]]
    rows = np.unique(rows[(rows >= begins) & (rows < ends)])
    n = min(state.visible_cells, len(canvas))
    return ModelInput(canvas.tokens[:n], canvas.open[:n], rows, np.arange(n), None, canvas.origin, state.carry, window)


def distribution_key(canvas: Canvas, state: State, card: Card) -> bytes:
    """A distribution is recalled for the same cells under the same shaping only, so that a forgotten one is equal."""
    keys = [processor.key for processor in model_processors(state, canvas, card)]
    return np.where(canvas.open, -1, canvas.tokens)[: state.visible_cells].tobytes() + repr(keys).encode()


def _rows(card: Card, needs: Needs, canvas: Canvas, state: State, block: tuple[int, int], watched: bool) -> Ints:
    """The cells whose beliefs are wanted: what the policy reads, and what somebody watches."""
    if card.causal:  # right about the leftmost open cell only
        return canvas.open[: state.visible_cells].nonzero()[0][:1]
    begins, ends = block
    if state.verified is not None:
        return np.flatnonzero((state.verified & ~canvas.open)[: state.visible_cells])
    if needs.ahead:
        return begins + canvas.open[begins:ends].nonzero()[0][: _draft_length(state, needs)]
    if watched or needs.rows == "answer" or card.noise:
        return begins + canvas.answer[begins:ends].nonzero()[0]
    # who compares passes, or asks whether a gap fits, looks at cells behind the block too
    if not needs.moved and not state.settings.room:
        ends = min(ends, state.bounds[1])  # nothing behind the block is written now, and a row is a whole vocabulary
    return begins + canvas.open[begins:ends].nonzero()[0][: 1 if needs.rows == "next" else None]


def _draft_length(state: State, needs: Needs) -> int:
    """How many cells the policy drafts at once."""
    if not needs.ahead:
        return 0
    return int(get_policy(state.settings.policy).options(state.settings.options)[needs.ahead])


def _window(card: Card, canvas: Canvas, state: State) -> tuple[int, int]:
    """The cells that are being decided: all in sight, or the present block where the model goes by it, from the first
    cell that is undecided: what a person opened before it is decided with it."""
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
    # a shadow stands where its cell stands and sees every cell but that one; no cell sees a shadow (WINO, fig. 3)
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


def batched_logits(denoiser: Denoiser, model_inputs: Sequence[ModelInput]) -> list[Tensor]:
    """Logits for each thought, one forward for each shape: a row for each cell of the question, as wide as all words.

    Anything else is refused, or tokens would be names of nothing."""
    tables = _batched_logits(denoiser, model_inputs)
    for model_input, table in zip(model_inputs, tables, strict=True):
        if tuple(table.shape) != (wanted := (len(model_input.rows), denoiser.card.words)):
            raise ModelError(f"the model answered with a table of {tuple(table.shape)} numbers instead of {wanted}")
    return tables


def _batched_logits(denoiser: Denoiser, model_inputs: Sequence[ModelInput]) -> list[Tensor]:
    if len(model_inputs) == 1:
        return denoiser.logits(model_inputs)
    groups: dict[Any, list[int]] = {}
    for i, model_input in enumerate(model_inputs):
        groups.setdefault(model_input.shape, []).append(i)
    answers: dict[int, Tensor] = {}
    for members in groups.values():
        answers.update(zip(members, denoiser.logits([model_inputs[i] for i in members]), strict=True))
    return [answers[i] for i in range(len(model_inputs))]
