"""The open sessions, by name, with limits for each visitor and for all together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models import Denoiser
from unmask.run.timeline import Timeline
from unmask.serve.process import Memory

TOO_LARGE = "this run has grown too large for the memory of this server: start again, or with a shorter text"
FULL = "the server is at capacity: try again in a few minutes"
OVER = "this session is over: start again"
SHARE = "share"  # the code of a refusal that is about one visitor
YOURS = "you have too many runs here: close some first"
TRIM_SECONDS = 1.0  # between two checks of the timelines' size


class Sessions:
    """Opens, finds, expires and closes sessions, each with its actor; counts runs and bytes by visitor."""

    def __init__(self, most: int | None = None, idle: float | None = None, room: int | None = None) -> None:
        limits = config()
        self.most = limits.runs if most is None else most
        self.idle = limits.idle if idle is None else idle  # seconds
        self.room = limits.timelines_mb << 20 if room is None else room  # bytes of all timelines together
        self.share, self.share_room = limits.visitor_runs, min(limits.visitor_mb << 20, self.room)  # for one visitor
        self.memory = Memory()
        self.alive: dict[str, Session] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._keeper: asyncio.Task[None] | None = None

    def open(
        self, denoiser: Denoiser, device: Device, timeline: Timeline, visitor: str = "", **options: Any
    ) -> Session:
        """Start a session and its actor."""
        self.expire()
        self._make_room(visitor)
        session = Session(denoiser, device, timeline, **options)
        session.client.visitor = visitor or session.id
        self._start(session)
        return session

    def of(self, visitor: str) -> list[Session]:
        """A visitor's runs."""
        return [s for s in self.alive.values() if s.client.visitor == visitor]

    def check(self, visitor: str, many: int = 1) -> None:
        """Refuse so many new runs if they exceed this visitor's share, or if memory is low."""
        mine = self.of(visitor) if visitor else []
        left = sorted(_idle_sessions(mine), key=lambda s: -s.touched)
        while len(mine) + many > self.share or timeline_bytes(mine) > self.share_room:
            if not left:
                raise InvalidRequest(YOURS, code=SHARE)
            mine.remove(left[-1])
            self.close(left.pop())  # a visitor's idle runs make room for its new ones
        if self.memory.tight:
            raise InvalidRequest(FULL)

    def find(self, name: str) -> Session:
        if name not in self.alive:
            raise InvalidRequest(OVER)
        return self.alive[name]

    def close(self, session: Session) -> None:
        """End a session within a pass."""
        session.close()
        self.alive.pop(session.id, None)

    def expire(self) -> None:
        """Close the sessions without viewers that got no command for `idle` seconds."""
        now = time.monotonic()
        for session in [s for s in self.alive.values() if not s.subscribers and now - s.touched > self.idle]:
            self.close(session)

    def trim(self) -> None:
        """Close sessions while the timelines exceed the memory limit, those without viewers first."""
        for visitor in {s.client.visitor for s in self.alive.values()}:
            self._shrink(self.of(visitor), self.share_room)
        self._shrink(self.alive.values(), self.room)

    async def shut(self) -> None:
        """Close all, and wait for their actors."""
        if self._keeper is not None:
            self._keeper.cancel()
        for session in list(self.alive.values()):
            self.close(session)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _make_room(self, visitor: str) -> None:
        self.check(visitor)
        left = sorted(_idle_sessions(self.alive.values()), key=lambda s: -s.touched)
        while len(self.alive) >= self.most or timeline_bytes(self.alive.values()) > self.room:
            if not left:  # only runs without viewers are closed for a new one
                raise InvalidRequest(FULL)
            self.close(left.pop())

    def _shrink(self, sessions: Iterable[Session], room: int) -> None:
        while (total := timeline_bytes(rows := [s for s in sessions if s.id in self.alive])) > room and total:
            idle = _idle_sessions(rows)
            one = min(idle, key=lambda s: s.touched) if idle else max(rows, key=lambda s: s.weight)
            one.fail(TOO_LARGE)
            self.close(one)

    def _start(self, session: Session) -> None:
        self.alive[session.id] = session
        task = asyncio.get_running_loop().create_task(session.run(), name=f"session {session.id}")
        self._tasks[session.id] = task
        task.add_done_callback(lambda _: self._gone(session))
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.get_running_loop().create_task(self._keep(), name="room for timelines")

    async def _keep(self) -> None:
        while self.alive:
            await asyncio.sleep(TRIM_SECONDS)
            self.expire()
            self.trim()
        await asyncio.to_thread(self.memory.give_back)  # no session is left that needs it

    def _gone(self, session: Session) -> None:
        self.alive.pop(session.id, None)
        self._tasks.pop(session.id, None)


def timeline_bytes(sessions: Iterable[Session]) -> int:
    """Estimated bytes of their timelines."""
    return sum(s.weight for s in sessions)


def _idle_sessions(sessions: Iterable[Session]) -> list[Session]:
    """The sessions without viewers that are not playing."""
    return [s for s in sessions if not s.subscribers and not s.playing]
