"""Requests a session's inferences from the device, one ahead, and keeps what the model carries between passes."""

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
    """Asks the device for beliefs. The model's carry (its state between passes) is kept for the newest moment only."""

    def __init__(self, denoiser: Denoiser, device: Device, client: Client, watched: bool) -> None:
        self.denoiser, self.device, self.client, self.watched = denoiser, device, client, watched
        self._carry: Any = None
        self._carry_lost = False  # it was dropped, and must be recomputed
        self._prefetch: Request | None = None  # the request for the next pass, made in advance
        self._prefetch_node: Node | None = None  # the moment that it is for, once that exists

    async def infer(self, state: State) -> tuple[Belief, float]:
        """A belief and the seconds of device time it took."""
        self.cancel_prefetch()
        return await self.device.infer(self.client, self.denoiser, self._with_carry(state), self.watched)

    async def infer_unless(
        self, news: asyncio.Event, stride: Stride, waiting: Callable[[int, float], None]
    ) -> tuple[Belief, float] | None:
        """A belief for the moment before a stride, and its seconds; the worker then takes the stride and prefetches.

        None if `news` is set before the inference starts. `waiting` is called with the place in the queue and the
        seconds to wait."""
        news.clear()
        request = self._request(stride.head)
        request.then = stride
        answer = request.future
        mail, place, began = asyncio.ensure_future(news.wait()), 0, time.monotonic()
        either: set[asyncio.Future[Any]] = {answer, mail}
        try:
            while not answer.done():
                await asyncio.wait(either, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
                if mail.done():
                    if not answer.done() and self.device.withdraw(request):
                        return None  # no turn is lost: the queue orders by device time
                    await answer
                    break
                now = self.device.place(self.client)
                if now and now != place and time.monotonic() - began >= PATIENCE:
                    place = now
                    waiting(now, round(now * self.device.mean_seconds, 1))
            return answer.result()
        finally:
            mail.cancel()
            if answer.done() and not answer.cancelled():
                self._prefetch = request.next
            else:
                self.device.drop(request)

    def remember(self, belief: Belief, stride: Stride) -> None:
        """Keep the newest carry, and prefetch the next inference if the worker has not."""
        self._carry, self._carry_lost, self._prefetch_node = belief.carry, False, stride.node
        if self._prefetch is None and stride.next_state is not None:
            self._prefetch = self.device.ask(self.client, self.denoiser, stride.next_state, self.watched)

    def pause(self) -> None:
        """Withdraw the prefetched request, unless it has started: then its belief serves when the run resumes."""
        if self._prefetch is not None and self.device.withdraw(self._prefetch):
            self.cancel_prefetch()

    def cancel_prefetch(self) -> None:
        """Drop the prefetched request: the run continues from another moment, or is over."""
        if self._prefetch is not None:
            self.device.drop(self._prefetch)
        self._prefetch = self._prefetch_node = None

    def _request(self, head: Node) -> Request:
        """The request for a moment: the prefetched one, or a new one."""
        prefetch, node = self._prefetch, self._prefetch_node
        if prefetch is not None and node is head:
            self._prefetch = self._prefetch_node = None
            return prefetch
        self.cancel_prefetch()
        return self.device.ask(self.client, self.denoiser, self._with_carry(head.state), self.watched)

    def _with_carry(self, state: State) -> State:
        return state if self._carry is None else replace(state, carry=self._carry)

    def forget(self) -> None:
        """The run continues from another moment, whose carry must be recomputed before the next pass."""
        self.cancel_prefetch()
        self._carry, self._carry_lost = None, self.denoiser.has_carry

    def reset_carry(self) -> None:
        """The canvas was resized, so the next pass starts without a carry."""
        self.cancel_prefetch()
        self._carry = None

    async def recompute_carry(self, path: Sequence[Node]) -> None:
        """Infer every pass of a path again, if the carry of its end was forgotten."""
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
