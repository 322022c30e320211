"""What a server holds: its device, the models it has opened, and its sessions."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dllm.canvas import Canvas, Refused
from dllm.config import config
from dllm.live.device import Device
from dllm.live.loader import Loader
from dllm.live.session import Session
from dllm.models import Denoiser
from dllm.run.event import Done, Refusal
from dllm.run.order import Order
from dllm.run.settings import Settings
from dllm.run.state import start
from dllm.run.timeline import begun
from dllm.serve.sessions import Sessions

LEAVING = "this server is stopping: what runs has ten seconds to finish; try again in a minute"
STOPPED = "this server stopped before the run was done"


class Host:
    """One for each server. Models are opened once, beside what runs."""

    def __init__(self, seats: int | None = None, most: int | None = None) -> None:
        self.device = Device(seats=config().seats if seats is None else seats)
        self.sessions = Sessions(most)
        self.loader = Loader(self.device, self._uses)
        self.draining = False
        self.addresses: Counter[str] = Counter()  # sessions that each address has

    async def model(self, name: str) -> Denoiser:
        """An opened model, by name."""
        return await self.loader.model(name)

    def _uses(self, denoiser: Denoiser) -> bool:
        return any(session.denoiser is denoiser for session in self.sessions.alive.values())

    def open(
        self,
        denoiser: Denoiser,
        canvas: Canvas,
        settings: Settings,
        prompt: str = "",
        group: str = "",
        watched: bool = True,
    ) -> Session:
        """A session on an opened model, ready to play; one that nobody looks into thinks of fewer cells."""
        if self.draining:
            raise Refused(LEAVING)
        card = denoiser.card
        if settings.noise != (words := card.words if card.noise else 0):
            settings = replace(settings, noise=words)
        state = start(canvas, settings)
        timeline = begun(card, state, prompt)
        return self.sessions.open(denoiser, self.device, timeline, group=group, watched=watched)

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


def settings_for(fields: Mapping[str, Any], denoiser: Denoiser, cells: int, seed: int) -> Settings:
    """Settings from a preset's name and changes."""
    order = Order(preset=str(fields.get("preset") or ""), changes=dict(fields.get("settings") or {}), seed=seed)
    return order.settings(denoiser.card, cells)
