"""The open classes of a server, by code, with limits on classes and on wrong codes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from unmask.errors import InvalidRequest
from unmask.features.classroom.room import Room

R = TypeVar("R", bound=Room)
MOST = 64  # open rooms
SHARE = 4  # open rooms of one visitor
TRIES = 30  # wrong codes a minute from one address, which a whole school may share
MINUTE = 60.0
AWAY = 900.0  # seconds that a room waits for its presenter
UNKNOWN_CLASS = "unknown_class"  # the code of a refusal


class Rooms(Generic[R]):
    """Opens, finds and closes rooms."""

    def __init__(self, make: Callable[[], R]) -> None:
        self._make = make
        self.open_rooms: dict[str, R] = {}
        self._visitors: dict[str, str] = {}
        self._wrong: dict[str, deque[float]] = {}

    def open(self, visitor: str) -> R:
        self.expire()
        mine = sum(one == visitor for one in self._visitors.values())
        if len(self.open_rooms) >= MOST or (visitor and mine >= SHARE):
            raise InvalidRequest("there are too many classes open here: end one first")
        room = self._make()
        self.open_rooms[room.code] = room
        self._visitors[room.code] = visitor
        return room

    def find(self, code: str, visitor: str) -> R:
        """The room with this code. After too many wrong codes, any further code is refused for a minute."""
        self.expire()
        now = time.monotonic()
        wrong = self._wrong.get(visitor, deque())
        while wrong and now - wrong[0] > MINUTE:
            wrong.popleft()
        if len(wrong) >= TRIES:
            raise InvalidRequest("too many wrong codes from your network: wait a minute")
        room = self.open_rooms.get(code.upper().replace("-", "").replace(" ", ""))
        if room is None:
            self._wrong.setdefault(visitor, wrong).append(now)
            raise InvalidRequest("there is no class with this code: it may be over", "room", UNKNOWN_CLASS)
        return room

    def close(self, room: R) -> None:
        room.close()
        self.open_rooms.pop(room.code, None)
        self._visitors.pop(room.code, None)

    def expire(self) -> None:
        """Close rooms whose presenter has not come back, and forget old wrong codes."""
        now = time.monotonic()
        for room in [r for r in self.open_rooms.values() if not r.presented and now - r.left_at > AWAY]:
            self.close(room)
        self._wrong = {who: tries for who, tries in self._wrong.items() if tries and now - tries[-1] <= MINUTE}
