"""Those who read a session's events: as fast as they can, and a slow one finds a snapshot instead of a queue."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dllm.run.event import Event


@dataclass(eq=False)
class Note:
    """An event with its number in the session; `encoded` keeps its forms, so that each is made once for all."""

    n: int
    event: Event
    encoded: dict[Any, Any] = field(default_factory=dict)


class Subscriber:
    """Someone who reads a session's events, as fast as they can; who is too slow finds one snapshot instead."""

    def __init__(self, snapshot: Callable[[int], Note], room: int = 64) -> None:
        self.snapshot, self.room = snapshot, room
        self._notes: deque[Note] = deque()
        self._news = asyncio.Event()
        self.behind_since: float | None = None

    def put(self, note: Note) -> None:
        if len(self._notes) >= self.room:
            self._notes.clear()
            self.behind_since = self.behind_since or time.monotonic()
            note = self.snapshot(note.n)
        self._notes.append(note)
        self._news.set()

    async def get(self) -> Note:
        """The next event; waits for it."""
        while not self._notes:
            self._news.clear()
            self.behind_since = None
            await self._news.wait()
        return self._notes.popleft()
