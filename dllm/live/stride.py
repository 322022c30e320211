"""The decoding step after an inference, taken on the device's worker, so that the next inference starts at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unmask.belief import Belief
from unmask.canvas import Card
from unmask.inference.decode import advance
from unmask.live.device import Client
from unmask.live.future import as_exception
from unmask.run.state import State
from unmask.run.timeline import Node


class Stride:
    """Computes the next moment from one moment and its belief. It is pure, so the worker thread may do it."""

    def __init__(self, card: Card, head: Node, client: Client, continues: Callable[[Node, float], bool]) -> None:
        self.card, self.head, self.client = card, head, client
        self.continues = continues  # whether the next pass follows a moment at once
        self.next_state: State | None = None  # the state to infer next, if it does
        self.belief: Belief | None = None  # the belief that the step was taken with
        self._nodes: list[Node] = []
        self._error: Exception | None = None

    def __call__(self, belief: Belief, spent: float) -> State | None:
        """Take the step; returns the state to infer next, or None if the run does not continue at once."""
        self.belief, self.next_state = belief, None
        try:
            self._nodes = advance(self.card, self.head, belief, spent, self.client.clock)
        except BaseException as error:  # of the policy, even `SystemExit`: `nodes` raises it in the session
            self._error = as_exception(error)
            return None
        if len(self._nodes) > 1 or not self.continues(self._nodes[0], spent):  # more than one: the canvas was resized
            return None
        self.next_state = replace(self._nodes[0].state, carry=belief.carry)
        return self.next_state

    def restarted(self, head: Node) -> Stride:
        """The same step from another moment."""
        return Stride(self.card, head, self.client, self.continues)

    @property
    def node(self) -> Node:
        """The new moment."""
        return self._nodes[0]

    def nodes(self, belief: Belief, spent: float) -> list[Node]:
        """The new moments: the pass, and resizes of the canvas. Computed now if the worker has not done it."""
        if self.belief is not belief:
            self(belief, spent)
        if self._error is not None:
            raise self._error
        return self._nodes
