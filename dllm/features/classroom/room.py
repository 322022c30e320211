"""A class: one who presents, and those who follow. It is kept nowhere, and gone when it closes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.features.classroom.poll import ClassQuestion
from unmask.live.permissions import Permission

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no letter that is taken for another
LETTERS = 8  # of a code: 31 ** 8, and few may be tried
LONGEST_NAME = 24
MOST = 600  # people in a room, those who may come back included
ROOM = 64  # messages that wait for one reader; who is slower gets the whole anew
NEWS = 0.5  # seconds between two notices of who is here and how many answered

Sending = Callable[[str], Awaitable[None]]


class Seat:
    """One who follows: a name if they like, a right, and the messages that wait for them."""

    def __init__(self, name: str = "") -> None:
        self.id, self.key = secrets.token_urlsafe(6), secrets.token_urlsafe(18)
        self.name = name
        self.right = Permission.WATCH
        self.behind_since: float | None = None
        self._waiting: deque[str] = deque()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_connected(self) -> bool:
        return self._task is not None and not self._task.done()

    def connect(self, send: Sending, history: Callable[[], list[str]], too_slow: Callable[[], Awaitable[None]]) -> None:
        """Send what comes from now on; `afresh` is all that one who has missed something must know."""
        self.leave()
        self._waiting.clear()
        self.behind_since = None
        self._history = history
        self._task = asyncio.get_running_loop().create_task(self._send(send, too_slow))

    def leave(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def put(self, text: str) -> None:
        if not self.is_connected:
            return
        if len(self._waiting) >= ROOM:
            self.behind_since = self.behind_since or time.monotonic()
            self._waiting.clear()
            self._waiting.extend(self._history())
        else:
            self._waiting.append(text)
        self._news.set()

    async def _send(self, send: Sending, too_slow: Callable[[], Awaitable[None]]) -> None:
        patience = config().read_timeout
        with suppress(RuntimeError, ConnectionError):
            while True:
                while self._waiting:
                    if self.behind_since is not None and time.monotonic() - self.behind_since > patience:
                        await too_slow()
                        return
                    await send(self._waiting.popleft())
                self.behind_since = None
                self._news.clear()
                await self._news.wait()


class Room:
    """What a class shares: whose runs are shown, which moment, the open question, and who may steer."""

    def __init__(self) -> None:
        self.code = "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))
        self.key = secrets.token_urlsafe(18)
        self.seats: dict[str, Seat] = {}
        self.view: dict[str, Any] = {}  # the presenter's moment
        self.frozen = False
        self.question: ClassQuestion | None = None
        self.replies: dict[str, dict[str, Any]] = {}  # how the answer to it counts, by seat
        self.revealed: dict[str, Any] | None = None  # of the last question, until the next
        self.ranking: list[dict[str, Any]] | None = None  # of a game, with names: for the presenter alone
        self.closed = False
        self.present: Callable[[], None] | None = None  # called when the presenter should know what is new
        self.left_at = time.monotonic()  # since when nobody presents
        self._notice: asyncio.TimerHandle | None = None

    @property
    def presented(self) -> bool:
        return self.present is not None

    def seat(self, key: str, name: str) -> Seat:
        """A new seat, or the one that this key belongs to."""
        found = next((s for s in self.seats.values() if secrets.compare_digest(s.key.encode(), key.encode())), None)
        if found is None:
            self._make_room()
            found = Seat()
            self.seats[found.id] = found
        found.name = clean_name(name) or found.name
        return found

    def _make_room(self) -> None:
        if len(self.seats) < MOST:
            return
        gone = next((s.id for s in self.seats.values() if not s.is_connected), None)
        if gone is None:
            raise InvalidRequest(f"this class is full: {MOST} are here")
        del self.seats[gone]

    def find(self, seat: str) -> Seat:
        if seat not in self.seats:
            raise InvalidRequest("nobody of this name is in the class now")
        return self.seats[seat]

    def broadcast(self, text: str) -> None:
        """The same text to everybody who follows."""
        for seat in self.seats.values():
            seat.put(text)

    def call_soon(self, tell: Callable[[], None]) -> None:
        """Tell what is new, but not more often than anybody can read."""

        def now() -> None:
            self._notice = None
            if not self.closed:
                tell()

        if self._notice is None:
            self._notice = asyncio.get_running_loop().call_later(NEWS, now)

    def to_dict(self) -> dict[str, Any]:
        """What everybody in it may know."""
        here = sum(seat.is_connected for seat in self.seats.values())
        row = {"did": "class", "room": self.code, "people": here, "view": self.view, "frozen": self.frozen}
        row |= {"presented": self.presented, "question": self.question.to_dict() if self.question else None}
        return row | ({"revealed": self.revealed} if self.revealed else {})

    def people(self) -> list[dict[str, str]]:
        """Who is here, for the presenter."""
        return [{"seat": s.id, "name": s.name, "right": str(s.right)} for s in self.seats.values() if s.is_connected]

    def close(self) -> None:
        self.closed = True
        if self._notice is not None:
            self._notice.cancel()


def clean_name(name: str) -> str:
    """A name as it is shown: letters and no more of them than fit."""
    return " ".join("".join(c for c in name if c.isprintable()).split())[:LONGEST_NAME]
