"""A session's turns at the device, and what its model wants to see again of the newest thought."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from unmask.belief import Belief
from unmask.live.device import Client, Device, Request
from unmask.live.stride import Stride
from unmask.models import Denoiser
from unmask.run.command import Stretch
from unmask.run.state import State
from unmask.run.timeline import Node

PATIENCE = 1.0  # seconds of waiting before the place in the queue is published


class Thinker:
    """Asks for beliefs in turn. What is carried from thought to thought is kept for the newest moment alone."""

    def __init__(self, denoiser: Denoiser, device: Device, client: Client, watched: bool) -> None:
        self.denoiser, self.device, self.client, self.watched = denoiser, device, client, watched
        self._carry: Any = None
        self._carry_lost = False  # it was let go, and must be thought again
        self._next: Request | None = None  # the thought that was asked for before its pass began
        self._about: Node | None = None  # the moment that it is about, once that exists

    async def infer(self, state: State) -> tuple[Belief, float]:
        """A belief in this one's turn, and the seconds it took."""
        self.leave()
        return await self.device.infer(self.client, self.denoiser, self._carried(state), self.watched)

    async def unless(
        self, news: asyncio.Event, stride: Stride, waiting: Callable[[int, float], None]
    ) -> tuple[Belief, float] | None:
        """The same of the moment before a stride, which is taken at once, and the next thought asked for behind it.

        None where there is news before it came. `waiting` hears the place in the queue, and seconds."""
        news.clear()
        request = self._request(stride.head)
        request.then = stride
        turn = request.future
        mail, place, began = asyncio.ensure_future(news.wait()), 0, time.monotonic()
        either: set[asyncio.Future[Any]] = {turn, mail}
        try:
            while not turn.done():
                await asyncio.wait(either, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
                if mail.done():
                    if not turn.done() and self.device.withdraw(request):
                        return None  # the place is kept: it follows from what this one has had
                    await turn
                    break
                now = self.device.place(self.client)
                if now and now != place and time.monotonic() - began >= PATIENCE:
                    place = now
                    waiting(now, round(now * self.device.mean_seconds, 1))
            return turn.result()
        finally:
            mail.cancel()
            if turn.done() and not turn.cancelled():
                self._next = request.next
            else:
                self.device.drop(request)

    def remember(self, belief: Belief, stride: Stride) -> None:
        """This was the newest thought; what follows at once is asked for, where no lane did that."""
        self._carry, self._carry_lost, self._about = belief.carry, False, stride.node
        if self._next is None and stride.following is not None:
            self._next = self.device.ask(self.client, self.denoiser, stride.following, self.watched)

    def rest(self) -> None:
        """Nothing is wanted for now: what was asked for ahead is taken back, if nobody thinks about it yet."""
        if self._next is not None and self.device.withdraw(self._next):
            self.leave()

    def leave(self) -> None:
        """What was asked for ahead is wanted no more: the run goes on from another moment, or is over."""
        if self._next is not None:
            self.device.drop(self._next)
        self._next = self._about = None

    def _request(self, head: Node) -> Request:
        """The thought about a moment: the one that was asked for ahead, or a new one."""
        ahead, about = self._next, self._about
        if ahead is not None and about is head:
            self._next = self._about = None
            return ahead
        self.leave()
        return self.device.ask(self.client, self.denoiser, self._carried(head.state), self.watched)

    def _carried(self, state: State) -> State:
        return state if self._carry is None else replace(state, carry=self._carry)

    def forget(self) -> None:
        """The newest moment is another: what it carried is thought again before the next thought."""
        self.leave()
        self._carry, self._carry_lost = None, self.denoiser.has_carry

    def start_anew(self) -> None:
        """Cells came or went, so nothing is carried over."""
        self.leave()
        self._carry = None

    async def recompute_carry(self, path: Sequence[Node]) -> None:
        """Think through a past again, where what it carried was forgotten."""
        if not self._carry_lost:
            return
        carry: Any = None
        for before, node in pairwise(path):
            if node.frame is not None:
                state = replace(before.state, carry=carry)
                belief, _ = await self.device.infer(self.client, self.denoiser, state, self.watched)
                carry = belief.carry
            elif isinstance(node.edit, Stretch):
                carry = None
        self._carry, self._carry_lost = carry, False
