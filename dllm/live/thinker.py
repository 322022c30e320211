"""A session's turns at the device, and what its model wants to see again of the newest thought."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from dllm.belief import Belief
from dllm.live.device import Client, Device
from dllm.models import Denoiser
from dllm.run.command import Stretch
from dllm.run.state import State
from dllm.run.timeline import Node

PATIENCE = 1.0  # seconds of waiting before the place in the queue is published


class Thinker:
    """Asks for beliefs in turn. What is carried from thought to thought is kept for the newest moment alone."""

    def __init__(self, denoiser: Denoiser, device: Device, client: Client, watched: bool) -> None:
        self.denoiser, self.device, self.client, self.watched = denoiser, device, client, watched
        self._carry: Any = None
        self._forgot = False  # it was let go, and must be thought again

    async def think(self, state: State) -> tuple[Belief, float]:
        """A belief in this one's turn, and the seconds it took."""
        carried = state if self._carry is None else replace(state, carry=self._carry)
        return await self.device.think(self.client, self.denoiser, carried, self.watched)

    async def unless(
        self, news: asyncio.Event, state: State, waiting: Callable[[int, float], None]
    ) -> tuple[Belief, float] | None:
        """The same; None where there is news before it came. `waiting` hears the place in the queue, and seconds."""
        news.clear()
        turn = asyncio.ensure_future(self.think(state))
        mail, place, began = asyncio.ensure_future(news.wait()), 0, time.monotonic()
        try:
            while not turn.done():
                await asyncio.wait({turn, mail}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
                if mail.done():
                    if not turn.done() and self.device.withdraw(self.client):
                        return None  # the place is kept: it follows from what this one has had
                    await turn
                    break
                now = self.device.place(self.client)
                if now and now != place and time.monotonic() - began >= PATIENCE:
                    place = now
                    waiting(now, round(now * self.device.lasts, 1))
            return turn.result()
        finally:
            turn.cancel()
            mail.cancel()

    def remember(self, belief: Belief) -> None:
        """This was the newest thought."""
        self._carry, self._forgot = belief.carry, False

    def forget(self) -> None:
        """The newest moment is another: what it carried is thought again before the next thought."""
        self._carry, self._forgot = None, self.denoiser.reflects

    def start_anew(self) -> None:
        """Cells came or went, so nothing is carried over."""
        self._carry = None

    async def recall(self, path: Sequence[Node]) -> None:
        """Think through a past again, where what it carried was forgotten."""
        if not self._forgot:
            return
        carry: Any = None
        for before, node in pairwise(path):
            if node.frame is not None:
                state = replace(before.state, carry=carry)
                belief, _ = await self.device.think(self.client, self.denoiser, state, self.watched)
                carry = belief.carry
            elif isinstance(node.edit, Stretch):
                carry = None
        self._carry, self._forgot = carry, False
