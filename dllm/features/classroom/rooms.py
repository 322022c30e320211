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
TRIES = 30  # wrong codes a minute from one address, after which its codes are looked up slowly
SLOW = 2.0  # seconds that such a look-up takes
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
        """The room with this code."""
        self.expire()
        room = self.open_rooms.get(code.upper().replace("-", "").replace(" ", ""))
        if room is None:
            self._wrong.setdefault(visitor, deque(maxlen=TRIES)).append(time.monotonic())
            raise InvalidRequest("there is no class with this code: it may be over", "room", UNKNOWN_CLASS)
        return room

    def delay(self, visitor: str) -> float:
        """Seconds that a connection from this address waits before a code is looked up, right or wrong.

        A whole school may share an address, so one pupil's wrong codes must not keep the others out."""
        wrong = self._wrong.get(visitor, deque[float]())
        return SLOW if len(wrong) == TRIES and time.monotonic() - wrong[0] <= MINUTE else 0.0

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
