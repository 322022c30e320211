"""The step behind a thought, taken on the device's lane: the next thought begins before anybody hears of this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unmask.belief import Belief
from unmask.canvas import Card
from unmask.inference.decode import advance
from unmask.live.device import Client, as_exception
from unmask.run.state import State
from unmask.run.timeline import Node


class Stride:
    """From a moment to the next. A step is pure, so it may be taken by whichever thread has the belief."""

    def __init__(self, card: Card, head: Node, client: Client, goes_on: Callable[[Node, float], bool]) -> None:
        self.card, self.head, self.client, self.goes_on = card, head, client, goes_on
        self.following: State | None = None  # what is to be thought about next, where the run goes on at once
        self.belief: Belief | None = None  # the one it was taken by
        self._made: list[Node] = []
        self._error: Exception | None = None

    def __call__(self, belief: Belief, spent: float) -> State | None:
        """What is to be thought about next, where `onward` says of the new moment that the run goes on at once."""
        self.belief, self.following = belief, None
        try:
            self._made = advance(self.card, self.head, belief, spent, self.client.clock)
        except BaseException as error:  # a policy's own, an exit too: `made` raises it where the run can end by it
            self._error = as_exception(error)
            return None
        if len(self._made) > 1 or not self.goes_on(self._made[0], spent):  # cells came or went
            return None
        self.following = replace(self._made[0].state, carry=belief.carry)
        return self.following

    def anew(self, head: Node) -> Stride:
        """The same from another moment."""
        return Stride(self.card, head, self.client, self.goes_on)

    @property
    def node(self) -> Node:
        """The moment that it led to."""
        return self._made[0]

    def made(self, belief: Belief, spent: float) -> list[Node]:
        """The moments that follow from a belief; worked out now, where no lane did it."""
        if self.belief is not belief:
            self(belief, spent)
        if self._error is not None:
            raise self._error
        return self._made
