"""Publishes a run's events. A subscriber that reads too slowly gets a snapshot instead of a growing queue."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from unmask.run.event import Event

KEPT = 512  # events kept for subscribers that reconnect


@dataclass(eq=False)
class NumberedEvent:
    """An event with its number in the session; `encoded` caches its encoded forms for all subscribers."""

    n: int
    event: Event
    encoded: dict[Any, Any] = field(default_factory=dict)


class Subscriber:
    """A queue of events for one reader; when it is full, a snapshot replaces its content."""

    def __init__(self, snapshot: Callable[[int], NumberedEvent], room: int = 64) -> None:
        self.snapshot, self.room = snapshot, room
        self._notes: deque[NumberedEvent] = deque()
        self._news = asyncio.Event()
        self.behind_since: float | None = None

    def put(self, note: NumberedEvent) -> None:
        if len(self._notes) >= self.room:
            self._notes.clear()
            self.behind_since = self.behind_since or time.monotonic()
            note = self.snapshot(note.n)
        self._notes.append(note)
        self._news.set()

    async def get(self) -> NumberedEvent:
        """The next event; waits for it."""
        while not self._notes:
            self._news.clear()
            self.behind_since = None
            await self._news.wait()
        return self._notes.popleft()


class EventSink(Protocol):
    """Receives every event of a session, to store the run."""

    def put(self, note: NumberedEvent) -> None: ...


class Publisher(ABC):
    """Numbers each event and gives it to all subscribers; keeps the last ones for subscribers that reconnect."""

    def __init__(self, number: int = 0) -> None:
        self.number = number  # of the last event
        self.notes: deque[NumberedEvent] = deque(maxlen=KEPT)
        self.subscribers: set[Subscriber] = set()
        self.journal: EventSink | None = None

    @abstractmethod
    def snapshot(self, n: int) -> NumberedEvent:
        """The present state, for a subscriber that missed the events up to number `n`."""

    def subscribe(self, after: int | None = None) -> Subscriber:
        """Events from now on; with `after`, also those after that number, or a snapshot if they are no longer kept."""
        subscriber = Subscriber(self.snapshot)
        if after is not None:
            missed = [n for n in self.notes if n.n > after]
            if missed and (missed[0].n == after + 1) and len(missed) < subscriber.room:
                for note in missed:
                    subscriber.put(note)
            elif after < self.number:
                subscriber.put(self.snapshot(self.number))
        self.subscribers.add(subscriber)
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        self.subscribers.discard(subscriber)

    def publish(self, event: Event) -> None:
        self.number += 1
        note = NumberedEvent(self.number, event)
        self.notes.append(note)
        if self.journal is not None:
            self.journal.put(note)
        for subscriber in tuple(self.subscribers):
            subscriber.put(note)
