"""A pass of a live run: from a moment, through the belief that the device infers for it, to the moments after it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any
from weakref import ref

from unmask.belief import Belief
from unmask.inference.decode import advance
from unmask.live.device import Device
from unmask.live.foreseen import ForeseenPass, Origin
from unmask.live.mailbox import Mailbox
from unmask.live.request import Client, Request, as_exception
from unmask.models import Denoiser
from unmask.run.command import Stretch
from unmask.run.state import State
from unmask.run.timeline import Node

PATIENCE = 1.0  # seconds of waiting before the place in the queue is published


@dataclass(eq=False, kw_only=True)
class Pass(Request):
    """One pass. A worker infers the belief and, if the session waits for it, takes the step at once, so that the next
    inference begins before the session hears of this one: the step is pure."""

    before: Node
    goes_on: Callable[[Node, float], bool]  # whether the next pass follows a moment at once
    earlier: float = 0.0  # seconds of an inference that an edit made useless
    awaited: bool = False  # a pass that is asked for in advance takes no step
    belief: Belief | None = None
    seconds: float = 0.0
    nodes: list[Node] = field(default_factory=list)
    error: Exception | None = None  # of the policy

    def take(self, belief: Belief, seconds: float) -> Pass | None:
        if not self.awaited:
            return None
        self.step(belief, seconds)
        return self.following()

    def step(self, belief: Belief, seconds: float) -> None:
        """Compute the moments after it: the pass, and resizes of the canvas."""
        self.belief, self.seconds = belief, seconds + self.earlier
        try:
            self.nodes = advance(self.denoiser.card, self.before, belief, self.seconds, self.client.clock)
        except BaseException as error:  # of the policy, even `SystemExit`: the session raises it
            self.error = as_exception(error)

    def following(self) -> Pass | None:
        """The pass after this one, if it follows at once: not after a resize."""
        if self.belief is None or len(self.nodes) != 1 or not self.goes_on(self.nodes[0], self.seconds):
            return None
        state = replace(self.nodes[0].state, carry=self.belief.carry)
        return Pass(
            self.client, self.denoiser, state, self.watched, self.loop, before=self.nodes[0], goes_on=self.goes_on
        )


class Passes:
    """The passes of one session: at most one is asked for in advance. What the model carries from pass to pass is kept
    for the newest moment only."""

    def __init__(
        self, denoiser: Denoiser, device: Device, client: Client, watched: bool, goes_on: Callable[[Node, float], bool]
    ) -> None:
        self.denoiser, self.device, self.client, self.watched, self.goes_on = denoiser, device, client, watched, goes_on
        self.ahead: Pass | None = None  # asked for in advance
        self._carried: tuple[Node | None, Any] = (None, None)  # a moment, and the carry of the pass that led to it

    async def next(self, head: Node, mailbox: Mailbox, waiting: Callable[[int, float], None]) -> Pass | None:
        """The pass after this moment, its belief inferred. None if a command comes before the inference starts.

        `waiting` is called with the place in the queue and the seconds to wait."""
        mailbox.news.clear()
        made = self.ahead if self.ahead is not None and self.ahead.before is head else None
        if made is None:
            self.cancel()
            if (foreseen := await self.device.foreseen.wait(self._origin(head))) is not None:
                await asyncio.sleep(0)  # a run of many such passes leaves others a turn, and viewers the time to read
                return self._taken_over(foreseen, head)
            made = self.device.ask(await self._after(head))
        made.awaited, self.ahead = True, None
        return made if await self._inferred(made, mailbox.news, waiting) else None

    async def again(self, head: Node, useless: Pass) -> Pass:
        """The pass after an edited moment, in place of one that was inferred before the edit."""
        self.cancel()
        made = await self._after(head)
        made.earlier = useless.seconds
        self.device.ask(made)
        try:
            made.step(*await made.future)
        except asyncio.CancelledError:
            self.device.drop(made)
            raise
        return made

    def commit(self, made: Pass) -> list[Node]:
        """The moments of a pass, which become the newest; the next is asked for, if the worker has not done it."""
        if made.error is not None:
            raise made.error
        assert made.belief is not None
        self._carried = made.nodes[0], made.belief.carry
        known = self.ahead is not None or self._foreseen(made.nodes[-1]) is not None
        if not known and (following := made.following()) is not None:
            self.ahead = self.device.ask(following)
        return made.nodes

    def foresee(self, made: Pass) -> None:
        """Keep a pass for a run that comes to the same moment."""
        assert made.belief is not None
        if self._foreseen(made.before) is None:
            kept = ForeseenPass(self._origin(made.before), made.nodes, made.belief, made.seconds, self.client.shared)
            self.device.foreseen.add(kept)

    def _foreseen(self, head: Node) -> ForeseenPass | None:
        return self.device.foreseen.find(self._origin(head))

    def _origin(self, head: Node) -> Origin:
        return Origin(self.client.visitor, ref(self.denoiser), self.watched, head)

    def _foresee_late(self, made: Pass) -> None:
        """Keep a pass that is being computed though its preview ended: a run may come to it yet."""
        coming = (self._origin(made.before), made.future)
        self.device.foreseen.coming.append(coming)

        def done(future: asyncio.Future[tuple[Belief, float]]) -> None:
            self.device.foreseen.coming.remove(coming)
            if made.next is not None:
                self.device.drop(made.next)
            if future.cancelled() or future.exception() is not None:
                return
            belief, seconds = future.result()
            if made.belief is not belief:
                made.step(belief, seconds)
            if made.error is None:
                self.foresee(made)

        made.future.add_done_callback(done)

    def _taken_over(self, foreseen: ForeseenPass, head: Node) -> Pass:
        """A pass that a preview has computed, as the next one of this run."""
        made = Pass(self.client, self.denoiser, head.state, self.watched, before=head, goes_on=self.goes_on)
        self.client.clock += foreseen.seconds
        self.client.shared |= foreseen.shared
        made.belief, made.seconds = foreseen.belief, foreseen.seconds
        made.nodes = foreseen.after(head, self.client.clock)
        return made

    def pause(self) -> None:
        """Withdraw the pass ahead, unless it has started: then its belief serves when the run resumes."""
        if self.ahead is not None and self.device.withdraw(self.ahead):
            self.cancel()

    def cancel(self) -> None:
        """Drop the pass ahead: the run continues from another moment, or is over."""
        if self.ahead is not None:
            self.device.drop(self.ahead)
        self.ahead = None

    async def _inferred(self, made: Pass, news: asyncio.Event, waiting: Callable[[int, float], None]) -> bool:
        """Wait for a pass's belief, and take its step if the worker has not; False if news comes before it starts."""
        mail, place, began = asyncio.ensure_future(news.wait()), 0, time.monotonic()
        either: set[asyncio.Future[Any]] = {made.future, mail}
        try:
            while not made.future.done():
                await asyncio.wait(either, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
                if mail.done():
                    if not made.future.done() and self.device.withdraw(made):
                        return False  # no turn is lost: the queue orders by device time
                    await made.future
                    break
                now = self.device.place(self.client)
                if now and now != place and time.monotonic() - began >= PATIENCE:
                    place = now
                    waiting(now, round(now * self.device.mean_seconds, 1))
            belief, seconds = made.future.result()
            if made.belief is not belief:
                made.step(belief, seconds)
            return True
        finally:
            mail.cancel()
            if made.future.done() and not made.future.cancelled():
                self.ahead = made.next  # type: ignore[assignment] # a pass is followed by a pass
            elif self.client.only_idle and not self.device.withdraw(made):
                self._foresee_late(made)
            else:
                self.device.drop(made)

    async def _after(self, head: Node) -> Pass:
        """The pass after a moment, with what the model carried there: inferred again if it is not at hand."""
        known, carry = self._carry(head)
        if not known and self.denoiser.has_carry:
            carry = await self._infer_carry(head.path())
            self._carried = head, carry
        state = head.state if carry is None else replace(head.state, carry=carry)
        return Pass(self.client, self.denoiser, state, self.watched, before=head, goes_on=self.goes_on)

    def _carry(self, head: Node) -> tuple[bool, Any]:
        """Whether the carry of a moment is known, and the carry: edits keep it, and a resize ends it."""
        node: Node | None = head
        while node is not None and node.frame is None and not isinstance(node.edit, Stretch):
            if node is self._carried[0]:
                break
            node = node.parent
        if node is not None and node is self._carried[0]:
            return True, self._carried[1]
        return node is None or node.frame is None, None

    async def _infer_carry(self, path: Sequence[Node]) -> Any:
        """Infer every pass of a path again."""
        carry: Any = None
        for before, node in pairwise(path):
            if node.frame is not None:
                state: State = replace(before.state, carry=carry)
                belief, _ = await self.device.infer(self.client, self.denoiser, state, self.watched)
                carry = belief.carry
            elif isinstance(node.edit, Stretch):
                carry = None
        return carry
