"""What a server holds: its device, the models it has opened, and its sessions."""

from __future__ import annotations

import asyncio
import time

from dllm.canvas import Refused
from dllm.live.device import Device
from dllm.live.loader import Loader
from dllm.live.session import Session
from dllm.models import Denoiser
from dllm.run.event import Done, Refusal
from dllm.run.order import Order
from dllm.run.state import State
from dllm.run.timeline import begun
from dllm.serve.sessions import Sessions

LEAVING = "this server is stopping and lets what runs finish; try again in a minute"
LETTERS = 16  # of a text for each cell: it is spelled only if it may fit
STOPPED = "this server stopped before the run was done"


class Host:
    """One for each server. Models are opened once, beside what runs."""

    def __init__(self, most: int | None = None) -> None:
        self.device = Device()
        self.sessions = Sessions(most)
        self.loader = Loader(self.device, self._uses)
        self.draining = False
        self._spelling = asyncio.Semaphore(2)  # long texts that are spelled at once

    async def model(self, name: str) -> Denoiser:
        """An opened model, by name."""
        return await self.loader.model(name)

    def _uses(self, denoiser: Denoiser) -> bool:
        return any(session.denoiser is denoiser for session in self.sessions.alive.values())

    async def open(
        self, denoiser: Denoiser, order: Order, visitor: str = "", group: str = "", watched: bool = True
    ) -> Session:
        """A session for an order, ready to play; one that nobody looks into thinks of fewer cells."""
        return self.begin(denoiser, order, await self.prepared(denoiser, order), visitor, group, watched)

    async def prepared(self, denoiser: Denoiser, order: Order) -> State:
        """The state that an order starts from. A long text takes long to spell, so it is not spelled on the loop."""
        letters = len(order.prompt) + len(order.suffix or "")
        if letters > (most := LETTERS * denoiser.card.longest):
            raise Refused(f"the text has {letters} letters; this model reads at most {most}")
        async with self._spelling:
            return await asyncio.to_thread(order.start, denoiser.card, denoiser.speller)

    def begin(
        self, denoiser: Denoiser, order: Order, state: State, visitor: str = "", group: str = "", watched: bool = True
    ) -> Session:
        """A session from a prepared state."""
        if self.draining:
            raise Refused(LEAVING)
        timeline = begun(denoiser.card, state, order.prompt)
        return self.sessions.open(denoiser, self.device, timeline, visitor, group=group, watched=watched)

    @property
    def unready(self) -> str:
        """Why no new work should be sent here; empty when it may."""
        return "stopping" if self.draining else "no memory left" if self.sessions.memory.tight else ""

    async def drain(self, seconds: float = 10.0) -> None:
        """Take nothing new, tell those who watch, and let what runs go on for so long at the most."""
        self.draining = True
        for session in self.sessions.alive.values():
            if session.subscribers:
                session.publish(Refusal(LEAVING))
        until = time.monotonic() + seconds
        while any(s.playing for s in self.sessions.alive.values()) and time.monotonic() < until:
            await asyncio.sleep(0.02)
        for session in [s for s in self.sessions.alive.values() if s.playing]:
            session.publish(Done(session.end, session.text, session.measures(), STOPPED))
            self.sessions.close(session)

    async def close(self) -> None:
        """End everything that runs."""
        await self.sessions.shut()
        await self.loader.close()
        self.device.close()
