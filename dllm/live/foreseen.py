"""Passes that were computed for a preview. A run of the same visitor that comes to the same state takes them over."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unmask.belief import Belief
from unmask.models import Denoiser
from unmask.run.timeline import Node

CELLS = 500_000  # cells of all passes together, some 200 bytes each
CELLS_EACH = 50_000  # of one visitor's


@dataclass(frozen=True, eq=False)
class Origin:
    """A moment that no run has reached yet, of a visitor's run with a model."""

    visitor: str
    denoiser: Callable[[], Denoiser | None]  # a weak reference: a model that nobody uses is closed
    watched: bool
    node: Node

    def same(self, other: Origin) -> bool:
        """Whether a run goes on from both alike."""
        model, one, two = self.denoiser(), self.node, other.node
        if model is None or (self.visitor, self.watched) != (other.visitor, other.watched):
            return False
        if other.denoiser() is not model or one.state.step != two.state.step or not one.state.same(two.state):
            return False
        return not model.has_carry or _same_past(one, two)


@dataclass(frozen=True, eq=False)
class ForeseenPass:
    """The pass from a moment that no run has reached yet."""

    origin: Origin
    nodes: list[Node]  # the moment after it, and one for each resize that the model requested
    belief: Belief
    seconds: float
    shared: bool  # others had the device too

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
        self.coming: list[tuple[Origin, asyncio.Future[Any]]] = []  # those that are computed though their preview ended

    def __len__(self) -> int:
        return len(self._passes)

    def add(self, made: ForeseenPass) -> None:
        self._passes.append(made)
        visitor = made.origin.visitor
        self._cells[visitor] += len(made.origin.node.canvas)
        while self._cells[visitor] > self._most_each:
            self._forget(next(one for one in self._passes if one.origin.visitor == visitor))
        while self._cells.total() > self._most:
            self._forget(self._passes[0])

    def find(self, origin: Origin) -> ForeseenPass | None:
        """The pass that follows a moment, if it is known."""
        if not self._cells[origin.visitor]:
            return None
        return next((one for one in self._passes if one.origin.same(origin)), None)

    async def wait(self, origin: Origin) -> ForeseenPass | None:
        """The same; one that is being computed is waited for."""
        for future in [future for other, future in self.coming if other.same(origin)]:
            await asyncio.wait({future})
        return self.find(origin)

    def clear(self) -> None:
        self._passes.clear()
        self._cells.clear()

    def _forget(self, one: ForeseenPass) -> None:
        self._passes.remove(one)
        visitor = one.origin.visitor
        self._cells[visitor] -= len(one.origin.node.canvas)
        if not self._cells[visitor]:
            del self._cells[visitor]


def _same_past(one: Node, two: Node) -> bool:
    """Whether the same passes and edits led to two moments: what a model carries from pass to pass depends on them."""
    while one is not two:
        if (one.frame is None) != (two.frame is None) or not one.state.same(two.state):
            return False
        if one.parent is None or two.parent is None:
            return one.parent is two.parent
        one, two = one.parent, two.parent
    return True
