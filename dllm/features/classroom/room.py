"""A room: one presenter and the seats of those who follow. It lives in memory only."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.features.classroom.poll import ClassQuestion
from unmask.live.permissions import Permission

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without 0, 1, I, L and O, which are easily confused
LETTERS = 8  # of a code: 31 ** 8 codes, and `rooms.py` limits how many may be tried
LONGEST_NAME = 24
MOST = 600  # seats in a room, including those of people who may reconnect
SPARE = 8  # seats of one address that may wait for somebody to reconnect, even if nobody else is connected
ROOM = 64  # messages that wait for one reader; a slower one gets the history instead
NEWS = 0.5  # seconds between two updates of who is here and how many answered

Sending = Callable[[str], Awaitable[None]]


class Seat:
    """One follower: an optional name, a right, and the messages waiting to be sent."""

    def __init__(self, name: str = "", visitor: str = "") -> None:
        self.id, self.key = secrets.token_urlsafe(6), secrets.token_urlsafe(18)
        self.name, self.visitor = name, visitor
        self.right = Permission.WATCH
        self.behind_since: float | None = None
        self._waiting: deque[str] = deque()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_connected(self) -> bool:
        return self._task is not None and not self._task.done()

    def connect(self, send: Sending, history: Callable[[], list[str]], too_slow: Callable[[], Awaitable[None]]) -> None:
        """Send all messages from now on; a slow reader gets `history()` instead of what it missed."""
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
    """What a class shares: seats, the presenter's view, the open question, and whether it is frozen."""

    def __init__(self) -> None:
        self.code = "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))
        self.key = secrets.token_urlsafe(18)
        self.seats: dict[str, Seat] = {}
        self.view: dict[str, Any] = {}  # the moment that the presenter shows
        self.frozen = False
        self.question: ClassQuestion | None = None
        self.replies: dict[str, dict[str, Any]] = {}  # the confirmed answer to it, by seat
        self.revealed: dict[str, Any] | None = None  # the result of the last question, until the next one
        self.ranking: list[dict[str, Any]] | None = None  # of a contest, with names: for the presenter alone
        self.closed = False
        self.present: Callable[[], None] | None = None  # sends the presenter the new state; None without a presenter
        self.left_at = time.monotonic()  # when the presenter left
        self._next_update: asyncio.TimerHandle | None = None

    @property
    def presented(self) -> bool:
        return self.present is not None

    def seat(self, key: str, name: str, visitor: str = "") -> Seat:
        """The seat of this key, or a new one for a visitor."""
        found = next((s for s in self.seats.values() if secrets.compare_digest(s.key.encode(), key.encode())), None)
        if found is None:
            self._make_room(visitor)
            found = Seat(visitor=visitor)
            self.seats[found.id] = found
        found.name = clean_name(name) or found.name
        return found

    def _make_room(self, visitor: str) -> None:
        """Remove seats that nobody uses: an address has no more of them than connected ones, or `SPARE`.

        So each vote costs a connection that is held. A seat with the right to steer stays."""
        mine = [seat for seat in self.seats.values() if seat.visitor == visitor]
        connected = sum(seat.is_connected for seat in mine)
        unused = [seat for seat in mine if not seat.is_connected and seat.right is Permission.WATCH]
        for seat in unused[: max(0, len(unused) + 1 - max(SPARE, connected))]:
            self.remove_seat(seat)
        if len(self.seats) < MOST:
            return
        unused = [s for s in self.seats.values() if not s.is_connected and s.right is Permission.WATCH]
        if not unused:
            raise InvalidRequest(f"this class is full: it has {MOST} followers")
        many = Counter(seat.visitor for seat in self.seats.values())
        self.remove_seat(max(unused, key=lambda seat: many[seat.visitor]))

    def remove_seat(self, seat: Seat) -> None:
        """Remove a seat, and its answer to the open question."""
        del self.seats[seat.id]
        self.replies.pop(seat.id, None)
        if self.question is not None:
            self.question.withdraw(seat.id)

    def find(self, seat: str) -> Seat:
        if seat not in self.seats:
            raise InvalidRequest("no participant has this seat")
        return self.seats[seat]

    def broadcast(self, text: str) -> None:
        """Send the same text to all followers."""
        for seat in self.seats.values():
            seat.put(text)

    def call_soon(self, tell: Callable[[], None]) -> None:
        """Call `tell` soon, at most once every `NEWS` seconds."""

        def now() -> None:
            self._next_update = None
            if not self.closed:
                tell()

        if self._next_update is None:
            self._next_update = asyncio.get_running_loop().call_later(NEWS, now)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the state that everybody in the room may see."""
        here = sum(seat.is_connected for seat in self.seats.values())
        row = {"did": "class", "room": self.code, "people": here, "view": self.view, "frozen": self.frozen}
        row |= {"presented": self.presented, "question": self.question.to_dict() if self.question else None}
        return row | ({"revealed": self.revealed} if self.revealed else {})

    def people(self) -> list[dict[str, str]]:
        """The connected followers, for the presenter."""
        return [{"seat": s.id, "name": s.name, "right": str(s.right)} for s in self.seats.values() if s.is_connected]

    def close(self) -> None:
        self.closed = True
        if self._next_update is not None:
            self._next_update.cancel()


def clean_name(name: str) -> str:
    """A name as it is shown: printable characters, shortened."""
    return " ".join("".join(c for c in name if c.isprintable()).split())[:LONGEST_NAME]
