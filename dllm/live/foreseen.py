"""Passes that were computed for a preview. A run of the same visitor that comes to the same state takes them over."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from unmask.belief import Belief
from unmask.models import Denoiser
from unmask.run.timeline import Node

CELLS = 500_000  # cells of all passes together, some 200 bytes each
CELLS_EACH = 50_000  # of one visitor's


@dataclass(frozen=True, eq=False)
class ForeseenPass:
    """A pass from a moment that no run has reached yet."""

    visitor: str
    denoiser: Callable[[], Denoiser | None]  # a weak reference: a model that nobody uses is closed
    watched: bool
    before: Node
    nodes: list[Node]  # the moment after it, and one for each resize that the model requested
    belief: Belief
    seconds: float
    shared: bool  # others had the device too

    def fits(self, visitor: str, denoiser: Denoiser, watched: bool, head: Node) -> bool:
        """Whether this is the pass that follows a moment of a visitor's run."""
        mine = self.visitor == visitor and self.watched == watched and self.denoiser() is denoiser
        if not mine or self.before.state.step != head.state.step or not self.before.state.same(head.state):
            return False
        return not denoiser.has_carry or _same_past(self.before, head)

    def after(self, head: Node, clock: float) -> list[Node]:
        """Its moments, as those after a moment of a run that has used so many seconds of the device."""
        nodes = [head]
        for node in self.nodes:
            times = (*node.times[:2], 1000 * clock) if node.frame is not None else node.times
            nodes.append(nodes[-1].child(node.state, node.frame, node.edit, times))
        return nodes[1:]


class Foreseen:
    """The newest such passes on a device. The oldest are forgotten, first those of a visitor who has too many."""

    def __init__(self, cells: int = CELLS, cells_each: int = CELLS_EACH) -> None:
        self._most, self._most_each = cells, cells_each
        self._passes: deque[ForeseenPass] = deque()
        self._cells: Counter[str] = Counter()  # by visitor

    def __len__(self) -> int:
        return len(self._passes)

    def add(self, made: ForeseenPass) -> None:
        self._passes.append(made)
        self._cells[made.visitor] += len(made.before.canvas)
        while self._cells[made.visitor] > self._most_each:
            self._forget(next(one for one in self._passes if one.visitor == made.visitor))
        while self._cells.total() > self._most:
            self._forget(self._passes[0])

    def find(self, visitor: str, denoiser: Denoiser, watched: bool, head: Node) -> ForeseenPass | None:
        """The pass that follows a moment, if it is known."""
        if not self._cells[visitor]:
            return None
        return next((one for one in self._passes if one.fits(visitor, denoiser, watched, head)), None)

    def clear(self) -> None:
        self._passes.clear()
        self._cells.clear()

    def _forget(self, one: ForeseenPass) -> None:
        self._passes.remove(one)
        self._cells[one.visitor] -= len(one.before.canvas)
        if not self._cells[one.visitor]:
            del self._cells[one.visitor]


def _same_past(one: Node, two: Node) -> bool:
    """Whether the same passes and edits led to two moments: what a model carries from pass to pass depends on them."""
    while one is not two:
        if (one.frame is None) != (two.frame is None) or not one.state.same(two.state):
            return False
        if one.parent is None or two.parent is None:
            return one.parent is two.parent
        one, two = one.parent, two.parent
    return True
