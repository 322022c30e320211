"""A run between two passes: everything that is needed to go on from here, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unmask.belief import fill_with_noise
from unmask.canvas import Bools, Canvas, Ints
from unmask.run.settings import Settings


@dataclass(frozen=True, eq=False)
class State:
    """Everything needed to go on from here, and nothing else."""

    canvas: Canvas
    settings: Settings
    step: int = 0
    block: int = 0
    block_began: int = 0  # the step at which the present block's plan started
    memory: Any = None  # what the policy chose to remember
    seen: Canvas | None = None  # what the last thought looked at, for policies that ask what moved
    another_pass: bool = False  # the policy wants another look though nothing is open
    carry: Any = None  # what the denoiser needs from its last thought (self-conditioning), never its caches
    verify: Ints | None = None  # ids of the cells that the policy wants read from left to right now

    @property
    def done(self) -> bool:
        return not self.another_pass and not np.count_nonzero(self.canvas.open)

    @property
    def verified(self) -> Bools | None:
        """The cells that are read from left to right now; by id, since others may have come or gone in between."""
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
        # by cells, not by blocks: a last block that is not full once took as long as a whole one
        answer, (begins, ends) = self.canvas.answer, self.bounds
        here, everywhere = int(np.count_nonzero(answer[begins:ends])), int(np.count_nonzero(answer))
        return max(1, self.settings.passes * here // max(1, everywhere))

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The present block, from its first cell to the one behind its last."""
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
        # passes left, this one counted: DiffusionGemma's clock, in its float32, since its canvas is a feedback loop
        left = np.float32(max(self.block_passes - self.block_pass, 1)) / np.float32(self.block_passes)
        return float(np.float32(s.temperature_end) + np.float32(s.temperature - s.temperature_end) * left)

    def block_of(self, cell: int) -> int:
        """The block that holds a cell."""
        size = self.settings.block
        return max(0, (cell - self._bounds(0)[0]) // size) if size else 0

    def _bounds(self, block: int) -> tuple[int, int]:
        size, start, length = self.settings.block, self.canvas.origin, len(self.canvas)
        if not size:
            return start, length
        if self.settings.block_from == "sequence":
            start = start // size * size
        return min(start + block * size, length), min(start + (block + 1) * size, length)


def start(canvas: Canvas, settings: Settings) -> State:
    """The state before the first pass."""
    state = State(fill_with_noise(canvas, settings.seed, 0, settings.noise), settings)
    return replace(state, block=next_block(state))


def replan(state: State) -> State:
    """A new plan from here on for what is open; what the policy remembered belonged to the old one."""
    return replace(state, block=next_block(state), block_began=state.step, memory=None, verify=None)


def next_block(state: State) -> int:
    """The block of the leftmost open cell; the present one when nothing is open."""
    still_open = state.canvas.open
    return state.block_of(int(np.argmax(still_open))) if still_open.any() else state.block
