"""The classes that are open, by their codes. Codes are long, few may be tried, and each room ends."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from unmask.errors import InvalidRequest
from unmask.features.classroom.room import Room

R = TypeVar("R", bound=Room)
MOST = 64  # rooms at once
SHARE = 4  # of one visitor
TRIES = 30  # wrong codes that one address may try in a minute: a whole school may stand behind it
MINUTE = 60.0
AWAY = 900.0  # seconds that a room waits for its presenter
UNKNOWN = "there is no class with this code: it may be over"


class Rooms(Generic[R]):
    """Opens, finds and ends rooms."""

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
        """The room of a code. After many wrong codes the next is refused unread, be it right or wrong."""
        self.expire()
        now = time.monotonic()
        wrong = self._wrong.get(visitor, deque())
        while wrong and now - wrong[0] > MINUTE:
            wrong.popleft()
        if len(wrong) >= TRIES:
            raise InvalidRequest("too many wrong codes came from here: wait a minute")
        room = self.open_rooms.get(code.upper().replace("-", "").replace(" ", ""))
        if room is None:
            self._wrong.setdefault(visitor, wrong).append(now)
            raise InvalidRequest(UNKNOWN)
        return room

    def close(self, room: R) -> None:
        room.close()
        self.open_rooms.pop(room.code, None)
        self._visitors.pop(room.code, None)

    def expire(self) -> None:
        """Rooms whose presenter does not come back; and tries that are long past."""
        now = time.monotonic()
        for room in [r for r in self.open_rooms.values() if not r.presented and now - r.left_at > AWAY]:
            self.close(room)
        self._wrong = {who: tries for who, tries in self._wrong.items() if tries and now - tries[-1] <= MINUTE}
