"""The sessions that are alive, by name; nobody's is reached through another's."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from dllm.canvas import Refused
from dllm.config import config
from dllm.live.device import Device
from dllm.live.session import Session
from dllm.models import Denoiser
from dllm.run.timeline import Timeline


class Sessions:
    """Opens, finds, expires and closes sessions, each with its actor."""

    def __init__(self, most: int | None = None, idle: float | None = None, room: int | None = None) -> None:
        limits = config()
        self.most = limits.runs if most is None else most
        self.idle = limits.idle if idle is None else idle  # seconds
        self.room = limits.timelines_mb << 20 if room is None else room  # bytes of all timelines together
        self.alive: dict[str, Session] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def open(self, denoiser: Denoiser, device: Device, timeline: Timeline, **options: Any) -> Session:
        """Start a session and its actor."""
        self.expire()
        left = sorted((s for s in self.alive.values() if not s.subscribers and not s.playing), key=lambda s: -s.touched)
        while self.full:  # somebody who is here goes before those who left
            if not left:
                raise Refused("this place is full: try again in a few minutes")
            self.close(left.pop())
        session = Session(denoiser, device, timeline, **options)
        self._live(session)
        return session

    @property
    def full(self) -> bool:
        """Whether another session would be one too many, or all timelines together have grown too large."""
        return len(self.alive) >= self.most or sum(s.weight for s in self.alive.values()) > self.room

    def find(self, name: str) -> Session:
        if name not in self.alive:
            raise Refused("this session is over: start again")
        return self.alive[name]

    def close(self, session: Session) -> None:
        """End a session within a pass."""
        session.close()
        self.alive.pop(session.id, None)

    def expire(self) -> None:
        """Close the sessions that nobody watches and nobody has touched for long."""
        now = time.monotonic()
        for session in [s for s in self.alive.values() if not s.subscribers and now - s.touched > self.idle]:
            self.close(session)

    async def shut(self) -> None:
        """Close all, and wait for their actors."""
        for session in list(self.alive.values()):
            self.close(session)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _live(self, session: Session) -> None:
        self.alive[session.id] = session
        task = asyncio.get_running_loop().create_task(session.run(), name=f"session {session.id}")
        self._tasks[session.id] = task
        task.add_done_callback(lambda _: self._gone(session))

    def _gone(self, session: Session) -> None:
        self.alive.pop(session.id, None)
        self._tasks.pop(session.id, None)
