"""The state of a run between two passes."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unmask.belief import fill_with_noise
from unmask.canvas import Bools, Canvas, Ints
from unmask.run.resize import Resize
from unmask.run.settings import Settings


@dataclass(frozen=True, eq=False)
class State:
    """Everything needed to continue a run, and nothing else."""

    canvas: Canvas
    settings: Settings
    step: int = 0
    block: int = 0
    block_began: int = 0  # the step at which the present block's plan started
    memory: Any = None  # the policy's memory, from its last `Choice`
    seen: Canvas | None = None  # the canvas of the last pass, for policies that need `Belief.moved`
    another_pass: bool = False  # the policy requested another pass although nothing is open
    carry: Any = None  # the denoiser's input from its last pass (self-conditioning); not its caches
    verify: Ints | None = None  # ids of the cells that the next pass predicts from left to right
    avoid: tuple[tuple[int, int], ...] = ()  # cell ids, each with a token that must not be written there again
    aside: State | None = None  # a run without the rule, which the policy asked for; until the policy has seen its text
    findings: tuple[tuple[int, str, str, str], ...] = ()  # pass, check, reason, outcome: since a person's last edit
    is_aside: bool = False  # whether this is the state of such a run
    resize: Resize | None = None  # cells that the policy inserts and deletes before the next pass
    next_id: int = 0  # ids below it were given to cells, some of which are gone; 0 unless the policy resizes
    ask: tuple[Canvas, ...] = ()  # canvases that the policy asked for, inferred along with the next pass

    def __repr__(self) -> str:
        return f"State(pass {self.step}, {self.canvas!r}, policy {self.settings.policy!r}, seed {self.settings.seed})"

    def same(self, other: State) -> bool:
        """Whether all fields are equal: both go on alike."""
        return _same(self, other)

    @property
    def done(self) -> bool:
        return not self.another_pass and not np.count_nonzero(self.canvas.open)

    @property
    def inferred(self) -> State:
        """The state that the next pass infers: this one, or that of the run aside until it is done."""
        return self if self.aside is None or self.aside.done else self.aside

    @property
    def verified(self) -> Bools | None:
        """The cells of `verify` as a mask; they are kept by id, since an edit may insert or remove cells in between."""
        return None if self.verify is None else np.isin(self.canvas.ids, self.verify)

    @property
    def block_pass(self) -> int:
        """Passes spent in the present block."""
        return self.step - self.block_began

    @cached_property
    def block_passes(self) -> int:
        """Passes planned for the present block."""
        if self.settings.passes_for == "block":
            return self.settings.passes
        # in proportion to its answer cells, since the last block may be shorter
        answer, (begins, ends) = self.canvas.answer, self.bounds
        here, everywhere = int(np.count_nonzero(answer[begins:ends])), int(np.count_nonzero(answer))
        return max(1, self.settings.passes * here // max(1, everywhere))

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The present block: its first cell, and the one after its last."""
        return self._bounds(self.block)

    @property
    def visible_cells(self) -> int:
        """How many cells the model sees."""
        return self.bounds[1] if self.settings.sight == "block" else len(self.canvas)

    @property
    def temperature(self) -> float:
        """The temperature of this pass."""
        s = self.settings
        if s.heats:
            return s.heats[min(self.step * len(s.heats) // s.passes, len(s.heats) - 1)]
        if s.temperature_end is None:
            return s.temperature
        # passes left, this one counted: as in DiffusionGemma, in its float32, since rounding would change its tokens
        left = np.float32(max(self.block_passes - self.block_pass, 1)) / np.float32(self.block_passes)
        return float(np.float32(s.temperature_end) + np.float32(s.temperature - s.temperature_end) * left)

    def block_of(self, cell: int) -> int:
        size = self.settings.block
        return max(0, (cell - self._bounds(0)[0]) // size) if size else 0

    def _bounds(self, block: int) -> tuple[int, int]:
        size, start, length = self.settings.block, self.canvas.origin, len(self.canvas)
        if not size:
            return start, length
        if self.settings.block_from == "sequence":
            start = start // size * size
        return min(start + block * size, length), min(start + (block + 1) * size, length)


def _same(one: Any, two: Any) -> bool:
    """Whether two values are equal, arrays and dataclasses by their content."""
    if one is two:
        return True
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, two)
    if isinstance(one, tuple | list):
        return len(one) == len(two) and all(map(_same, one, two))
    if is_dataclass(one):
        return all(_same(getattr(one, f.name), getattr(two, f.name)) for f in fields(one))
    return bool(one == two)


def start(canvas: Canvas, settings: Settings) -> State:
    """The state before the first pass."""
    state = State(fill_with_noise(canvas, settings.seed, 0, settings.noise), settings)
    return replace(state, block=next_block(state))


def replan(state: State) -> State:
    """The state with a new plan for its open cells; the policy's memory of the old plan is dropped."""
    return replace(state, block=next_block(state), block_began=state.step, memory=None, verify=None, aside=None)


def next_block(state: State) -> int:
    """The block of the leftmost open cell; the present one when nothing is open."""
    still_open = state.canvas.open
    return state.block_of(int(np.argmax(still_open))) if still_open.any() else state.block
