"""What one state asks of a model: which cells, as which thoughts. Queries of one shape share a forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unmask.canvas import Bools, Canvas, Card, Ints
from unmask.decide import Needs, named
from unmask.errors import Refused, Unthinkable
from unmask.inference.distribution_cache import Recall
from unmask.inference.processors import shaping
from unmask.models import Denoiser, Thought
from unmask.run.state import State

if TYPE_CHECKING:
    from torch import Tensor

NO_CELLS: Ints = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Question:
    """Some rows of a canvas, and the thoughts that answer them."""

    needs: Needs
    rows: Ints
    shadows: Ints  # cells that a shadow verifies
    thought: Thought
    without: Thought | None  # the same with the prompt hidden, for guidance
    before: Thought | None  # the last canvas, where its distribution is needed and not recalled
    before_without: Thought | None
    wanted: Ints  # of the last canvas, the rows that its pass was about, watched or not
    key: bytes  # what the last canvas's distribution is recalled by

    @property
    def stands(self) -> bool:
        """Whether it is asked how likely the words are that stand in the rows."""
        return self.needs.rows == "answer" or self.thought.onward

    @property
    def thoughts(self) -> list[Thought]:
        return [t for t in (self.thought, self.without, self.before, self.before_without) if t is not None]


def ask(card: Card, state: State, watched: bool, recall: Recall) -> Question:
    """What the policy of a state wants to know, and the people who watch."""
    needs, canvas = named(state.settings.policy).needs, state.canvas
    if needs.verify and not card.both:
        raise Refused(f"'{state.settings.policy}' needs a model that answers both ways; {card.name} does not")
    block = _window(card, canvas, state)
    rows = _rows(card, needs, canvas, state, block, watched)
    shadows = NO_CELLS
    if needs.shadow:
        begins, ends = state.bounds
        shadows = begins + np.flatnonzero((~canvas.open & canvas.free)[begins:ends])
    thought = _thought(canvas, state, rows, shadows, block)
    without = None
    if state.settings.guidance:
        without = _thought(canvas, state, rows, shadows, block, hidden=canvas.given)
    before = before_without = None
    wanted, key = NO_CELLS, b""
    if needs.moved and state.seen is not None:
        block = _window(card, state.seen, state)
        wanted, key = _rows(card, needs, state.seen, state, block, watched=False), known_by(state.seen, state, card)
        if recall.get(key) is None:
            before = _thought(state.seen, state, wanted, NO_CELLS, block)
            if without is not None:
                before_without = _thought(state.seen, state, wanted, NO_CELLS, block, hidden=canvas.given)
    return Question(needs, rows, shadows, thought, without, before, before_without, wanted, key)


def what_if(card: Card, state: State, canvas: Canvas, cells: Ints | None = None) -> Thought:
    """The same question about a canvas that is not there: its open cells, or those of `cells` that are open."""
    begins, ends = window = _window(card, canvas, state)
    rows = np.flatnonzero(canvas.open) if cells is None else cells[canvas.open[cells]]
    rows = np.unique(rows[(rows >= begins) & (rows < ends)])
    n = min(state.sight, len(canvas))
    return Thought(canvas.tokens[:n], canvas.open[:n], rows, np.arange(n), None, canvas.origin, state.carry, window)


def known_by(canvas: Canvas, state: State, card: Card) -> bytes:
    """A distribution is recalled for the same cells under the same shaping only, so that a forgotten one is equal."""
    keys = [processor.key for processor in shaping(state, canvas, card)]
    return np.where(canvas.open, -1, canvas.tokens)[: state.sight].tobytes() + repr(keys).encode()


def _rows(card: Card, needs: Needs, canvas: Canvas, state: State, block: tuple[int, int], watched: bool) -> Ints:
    """The cells whose beliefs are wanted: what the policy reads, and what somebody watches."""
    if card.causal:  # right about the leftmost open cell only
        return canvas.open[: state.sight].nonzero()[0][:1]
    begins, ends = block
    if state.verified is not None:
        return np.flatnonzero((state.verified & ~canvas.open)[: state.sight])
    if needs.ahead:
        return begins + canvas.open[begins:ends].nonzero()[0][: _ahead(state, needs)]
    if watched or needs.rows == "answer" or card.noise:
        return begins + canvas.answer[begins:ends].nonzero()[0]
    # who compares passes, or asks whether a gap fits, looks at cells behind the block too
    if not needs.moved and not state.settings.room:
        ends = min(ends, state.bounds[1])  # nothing behind the block is written now, and a row is a whole vocabulary
    return begins + canvas.open[begins:ends].nonzero()[0][: 1 if needs.rows == "next" else None]


def _ahead(state: State, needs: Needs) -> int:
    """How many cells the policy drafts at once."""
    if not needs.ahead:
        return 0
    return int(named(state.settings.policy).options(state.settings.options)[needs.ahead])


def _window(card: Card, canvas: Canvas, state: State) -> tuple[int, int]:
    """The cells that are being decided: all in sight, or the present block where the model goes by it, from the first
    cell that is undecided: what a person opened before it is decided with it."""
    if not card.blockwise:
        return 0, min(state.sight, len(canvas))
    begins, ends = state.bounds
    undecided = canvas.open if state.verify is None else canvas.open | np.isin(canvas.ids, state.verify)
    first = int(undecided.argmax()) if undecided.any() else ends
    return min(begins, first, ends), min(ends, len(canvas))


def _thought(
    canvas: Canvas, state: State, rows: Ints, shadows: Ints, block: tuple[int, int], hidden: Bools | None = None
) -> Thought:
    n, m = min(state.sight, len(canvas)), len(shadows)
    still_open = (canvas.open if hidden is None else canvas.open | hidden)[:n]
    tokens, positions = canvas.tokens[:n], np.arange(n)
    if not m:
        onward = state.verify is not None
        ahead = _ahead(state, named(state.settings.policy).needs)
        return Thought(tokens, still_open, rows, positions, None, canvas.origin, state.carry, block, onward, ahead)
    # a shadow stands where its cell stands and sees every cell but that one; no cell sees a shadow (WINO, fig. 3)
    attend = np.zeros((n + m, n + m), bool)
    attend[:, :n] = True
    attend[n + np.arange(m), shadows] = False
    attend[n + np.arange(m), n + np.arange(m)] = True
    return Thought(
        np.concatenate([tokens, np.full(m, -1)]),
        np.concatenate([still_open, np.ones(m, bool)]),
        np.concatenate([rows, n + np.arange(m)]),
        np.concatenate([positions, shadows]),
        attend,
        canvas.origin,
        state.carry,
        block,
    )


def answer(denoiser: Denoiser, thoughts: Sequence[Thought]) -> list[Tensor]:
    """Logits for each thought, one forward for each shape: a row for each cell of the question, as wide as all words.

    Anything else is refused, or tokens would be names of nothing."""
    tables = _answered(denoiser, thoughts)
    for thought, table in zip(thoughts, tables, strict=True):
        if tuple(table.shape) != (wanted := (len(thought.rows), denoiser.card.words)):
            raise Unthinkable(f"the model answered with a table of {tuple(table.shape)} numbers instead of {wanted}")
    return tables


def _answered(denoiser: Denoiser, thoughts: Sequence[Thought]) -> list[Tensor]:
    if len(thoughts) == 1:
        return denoiser.logits(thoughts)
    groups: dict[Any, list[int]] = {}
    for i, thought in enumerate(thoughts):
        groups.setdefault(thought.shape, []).append(i)
    answers: dict[int, Tensor] = {}
    for members in groups.values():
        answers.update(zip(members, denoiser.logits([thoughts[i] for i in members]), strict=True))
    return [answers[i] for i in range(len(thoughts))]
