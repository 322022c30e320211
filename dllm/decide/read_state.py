"""What a decoder that proofreads remembers: the cells that were read, and the passes that are left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import Bools, Canvas, Ints
from unmask.decide.gap_by_reader import LONG, STUCK
from unmask.decide.interface import View

CLOSE = 2  # if two wrong tokens are within so many cells, all that follows is written again
ROUNDS = 3  # how often the rest of a block is erased before the reader finishes it
PASSES = 1.2  # the most passes of a run, as a multiple of its cells
SPARE = 2  # passes kept for each later block: to fill it, and to see that it is right


@dataclass(frozen=True)
class ReadState:
    """The policy's memory: which cells were verified, forced or corrected, by cell id, and the passes spent."""

    read: frozenset[int] = frozenset()  # cells that were verified
    forced: frozenset[int] = frozenset()  # cells that were written below `tau`
    corrected: int = -1  # the cell that was corrected last
    spent: int = 0  # passes since the plan was made, the present one included
    rounds: int = 0  # how often the rest of the present block was erased
    finishing: bool = False  # the present block is finished without erasing

    def at_pass(self, view: View) -> ReadState:
        """The memory at this pass: one more is spent, and a new block starts without rounds."""
        fresh = view.block_pass == 0
        now = replace(self, spent=self.spent + 1, rounds=0 if fresh else self.rounds)
        return replace(now, finishing=now.must_finish(view) or (self.finishing and not fresh))

    def must_finish(self, view: View) -> bool:
        """Whether the passes that are left suffice only if no more cells are erased."""
        free, ends = view.canvas.free, int(np.flatnonzero(view.block).max(initial=-1)) + 1
        later, most = int(np.count_nonzero(free[ends:])), PASSES * np.count_nonzero(free)
        if steered(view):  # text that leads to fixed cells is not read any more once it has to be finished
            return bool(self.spent + 1 + PASSES * later > most)
        blocks = -(-later // max(1, int(np.count_nonzero(view.block))))
        unread = int(np.count_nonzero(free & ~self.cells_read(view.canvas)))
        return bool(self.rounds >= ROUNDS or self.spent + 1 + SPARE * blocks + unread > most)

    def stuck(self, view: View) -> bool:
        """Whether a gap was drafted again and again, and its text still does not lead to what is fixed behind it."""
        cells = np.count_nonzero(view.canvas.free)
        late = cells >= LONG and self.spent > STUCK * cells and view.verified is None
        return bool(late and view.belief.skips and steered(view))

    def is_last(self, view: View) -> bool:
        """Whether no pass is left after this one."""
        return bool(self.spent + 1 > PASSES * np.count_nonzero(view.canvas.free))

    def cells_read(self, canvas: Canvas) -> Bools:
        """The cells that were verified."""
        mask: Bools = np.isin(canvas.ids, [*self.read])
        return mask

    def near(self, canvas: Canvas, cell: int) -> bool:
        """Whether the cell corrected last is at most CLOSE cells before this one."""
        where = np.flatnonzero(canvas.ids == self.corrected)
        return bool(where.size and cell - where[0] <= CLOSE)

    def with_read(self, ids: Ints) -> ReadState:
        """With these cells verified."""
        return replace(self, read=self.read | {*ids.tolist()})

    def without_read(self, ids: Ints) -> ReadState:
        """With these cells to be verified again."""
        return replace(self, read=self.read - {*ids.tolist()})


def steered(view: View) -> bool:
    """Whether a cell after the first free one is fixed."""
    free = view.canvas.free
    return bool((~free[int(free.argmax()) :]).any())
