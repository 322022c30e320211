"""One WebSocket connection's part in a class: it presents the class, or follows it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from secrets import compare_digest
from typing import Any, assert_never
from weakref import WeakKeyDictionary

from starlette.websockets import WebSocketDisconnect

from unmask.errors import InvalidRequest
from unmask.features.classroom.classroom import Classroom
from unmask.features.classroom.contest import Contest
from unmask.features.classroom.requests import (
    REQUESTS,
    Answer,
    Dismiss,
    Enter,
    Freeze,
    Hand,
    Leading,
    Leave,
    Present,
    Question,
    Reveal,
    Show,
    View,
    Withdraw,
)
from unmask.features.classroom.room import Seat
from unmask.features.classroom.rooms import UNKNOWN_CLASS, Rooms
from unmask.live.permissions import Permission
from unmask.run.command import Peek, parse_command
from unmask.run.event import event_to_dict
from unmask.serve.doors.messages import encode_message
from unmask.serve.doors.subscription import Subscription
from unmask.serve.features import Visit
from unmask.serve.runtime import Runtime

WRONG = 5  # codes or keys that one connection may get wrong


_ROOMS: WeakKeyDictionary[Runtime, Rooms[Classroom]] = WeakKeyDictionary()


def rooms_of(runtime: Runtime) -> Rooms[Classroom]:
    """The classes that are open on a server."""
    return _ROOMS.setdefault(runtime, Rooms(Classroom))


class ClassMembership:
    """One connection's place in a class."""

    latest: frozenset[str] = frozenset()

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.room: Classroom | None = None  # the class that this connection presents
        self.class_: Classroom | None = None  # the class that it follows
        self.seat: Seat | None = None
        self._seats: dict[str, str] = {}  # the key of its seat in each class: a connection has one
        self._wrong_codes = 0
        self._sending: asyncio.Future[None] | None = None

    @property
    def followers(self) -> Mapping[str, Subscription]:
        """The runs of the class that it follows."""
        return self.class_.followers(self.seat) if self.class_ is not None and self.seat is not None else {}

    def follower(self, session: str) -> Subscription | None:
        return self.followers.get(session)

    def takes(self, row: Mapping[str, Any]) -> bool:
        return row["do"] in REQUESTS.kinds or (row["do"] == "peek" and str(row.get("session")) in self.followers)

    async def answer(self, row: Mapping[str, Any]) -> None:
        if row["do"] == "peek":
            return await self._peek(row)
        match request := REQUESTS.read(row):
            case Present(room, key):
                await self._present(room, key)
            case Enter():
                await self._enter(request)
            case Answer(value):
                await self._answer(value)
            case Question(kind="schedule"):
                await self._compete(request)
            case Leave():
                self._leave()
            case _:
                self._lead(request)

    async def _peek(self, row: Mapping[str, Any]) -> None:
        """Send the belief at a cell to this connection alone: three hundred followers ask about many cells."""
        session = self.followers[str(row.get("session"))].session
        peek = parse_command(row)
        assert isinstance(peek, Peek)
        visit = self.visit
        found = await visit.runtime.work.run(visit.visitor, lambda: event_to_dict(session.peeked(peek)))
        await visit.send(found | {"session": session.id})

    def gone(self) -> None:
        """The connection is closed: the room waits for its presenter, and the seat for its follower."""
        self._leave()
        if self.room is not None and self.room.present == self._send_state_soon:
            self.room.present, self.room.left_at = None, time.monotonic()
            self.room.call_soon(self.room.tell)
        self.room = None

    # presenting

    async def _present(self, code: str | None, key: str) -> None:
        rooms = rooms_of(self.visit.runtime)
        if code is not None:
            room = await self._find_room(code)
            if not compare_digest(key.encode("utf-8", "replace"), room.key.encode()):
                await self._count_wrong_code()
                raise InvalidRequest("this class is somebody else's", "key")
        else:
            if self.room is not None:
                raise InvalidRequest("you present a class already")
            room = rooms.open(self.visit.visitor)
        self.room, room.present = room, self._send_state_soon
        await self.visit.send(self._state() | {"key": room.key})
        room.call_soon(room.tell)

    def _state(self) -> dict[str, Any]:
        assert self.room is not None
        state = self.room.to_dict() | {"presents": True, "seats": self.room.people()}
        return state if self.room.ranking is None else state | {"ranking": self.room.ranking}

    def _send_state_soon(self) -> None:
        self._sending = asyncio.ensure_future(self._send_state())

    async def _send_state(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            if self.room is not None:
                await self.visit.send(self._state())

    def _presented_room(self) -> Classroom:
        if self.room is None or self.room.closed:
            raise InvalidRequest("that is for the one who presents the class")
        return self.room

    async def _compete(self, question: Question) -> None:
        room = self._presented_room()
        # enumerating a world takes a moment the first time
        visit = self.visit
        contest = await visit.runtime.work.run(visit.visitor, lambda: Contest.of(question.world, question.passes))
        room.compete(contest)

    def _lead(self, request: Leading) -> None:
        """Handle a message that only the presenter may send."""
        room = self._presented_room()
        match request:
            case Show(names, recordings):
                room.recordings.show(recordings)
                room.show([self.visit.follower(name, Permission.OWN).session for name in names])
            case View():
                room.look(asdict(request))
            case Freeze(on):
                room.freeze(on)
            case Hand(to, right):
                room.grant(room.find(to), Permission.parse(right))
                room.tell()
            case Question(kind, session, cell, at):
                room.ask(kind, room.session(session), cell, at)
            case Reveal():
                room.reveal()
            case Withdraw():
                room.withdraw_question()
            case Dismiss():
                rooms_of(self.visit.runtime).close(room)
                self.room = None
            case _:
                assert_never(request)

    # following

    async def _enter(self, request: Enter) -> None:
        room = await self._find_room(request.room)
        if self.seat is not None:
            self._leave()
        seat = room.seat(request.seat or self._seats.get(room.code, ""), request.name, self.visit.visitor)
        self._seats[room.code] = seat.key
        self.class_, self.seat = room, seat
        visit = self.visit
        room.admit(visit, seat)
        about = {"did": "entered", "room": room.code, "seat": seat.key, "you": seat.id, "name": seat.name}
        await visit.send(about | {"right": str(seat.right)})

        async def too_slow() -> None:
            await visit.socket.close(1013)

        seat.connect(visit.send_text, room.history, too_slow)
        for text in room.history():
            seat.put(text)
        if seat.id in room.replies:
            seat.put(encode_message(room.replies[seat.id]))
        room.call_soon(room.tell)

    async def _answer(self, value: str) -> None:
        if self.seat is None or self.class_ is None or self.class_.closed:
            raise InvalidRequest("you are in no class")
        await self.visit.send(self.class_.answer(self.seat, value))

    def _leave(self) -> None:
        room, seat = self.class_, self.seat
        if room is not None and seat is not None:
            room.remove(self.visit, seat)
        self.class_ = self.seat = None

    async def _find_room(self, code: str) -> Classroom:
        rooms = rooms_of(self.visit.runtime)
        if seconds := rooms.delay(self.visit.visitor):
            await asyncio.sleep(seconds)
        try:
            return rooms.find(code, self.visit.visitor)
        except InvalidRequest as refused:
            if refused.code == UNKNOWN_CLASS:
                await self._count_wrong_code()
            raise

    async def _count_wrong_code(self) -> None:
        self._wrong_codes += 1
        if self._wrong_codes >= WRONG:
            await self.visit.socket.close(1008, "too many wrong codes")
