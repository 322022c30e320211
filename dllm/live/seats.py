"""Seats on a device: so many groups take turns at once, the others wait in the order in which they came."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field


@dataclass(eq=False)
class Seat:
    """A group's place; `free` is set once it may take turns."""

    seats: Seats
    group: str
    free: asyncio.Event = field(default_factory=asyncio.Event)
    since: float = 0.0
    left: bool = False

    @property
    def waiting(self) -> tuple[int, float]:
        """The place in the queue, 1 for the next, and the expected wait in seconds; (0, 0) when seated."""
        return (0, 0.0) if self.free.is_set() else self.seats.wait(self)

    def leave(self) -> None:
        """Make room; once is enough."""
        if not self.left:
            self.left = True
            self.seats.leave(self)


class Seats:
    """Who takes turns, and who waits. Both sides of a comparison sit together."""

    def __init__(self, most: int = 4) -> None:
        self.most = most
        self.taken: dict[str, int] = {}  # group -> how many of its sides sit
        self.queue: deque[Seat] = deque()
        self._lasted: deque[float] = deque([5.0], maxlen=16)  # seconds that the last groups kept their seats

    def ask(self, group: str) -> Seat:
        """A place, at once or when one is free."""
        seat = Seat(self, group)
        if group in self.taken or (len(self.taken) < self.most and not self.queue):
            self._sit(seat)
        else:
            self.queue.append(seat)
        return seat

    def wait(self, seat: Seat) -> tuple[int, float]:
        """A waiting group's place in the queue, and about how many seconds that is."""
        if seat not in self.queue:
            return 0, 0.0
        groups = list(dict.fromkeys(other.group for other in self.queue))  # both sides wait in one place
        place = groups.index(seat.group) + 1
        return place, place * sum(self._lasted) / len(self._lasted) / self.most

    def leave(self, seat: Seat) -> None:
        """Let the next ones sit."""
        if not seat.free.is_set():
            self.queue.remove(seat)
            return
        self._lasted.append(time.monotonic() - seat.since)
        self.taken[seat.group] -= 1
        if not self.taken[seat.group]:
            del self.taken[seat.group]
        while self.queue and (len(self.taken) < self.most or self.queue[0].group in self.taken):
            self._sit(self.queue.popleft())

    def _sit(self, seat: Seat) -> None:
        self.taken[seat.group] = self.taken.get(seat.group, 0) + 1
        seat.since = time.monotonic()
        seat.free.set()
