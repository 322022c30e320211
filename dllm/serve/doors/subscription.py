"""One connection's view of a session: its permission and, unless a class shares one feed, its events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from starlette.websockets import WebSocketDisconnect

from unmask.config import config
from unmask.live.permissions import Permission
from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.run import event as events
from unmask.serve.doors.event_encoder import EventEncoder
from unmask.serve.doors.messages import Connection


class EventReceiver(Protocol):
    socket: Connection

    async def send(self, row: Mapping[str, Any]) -> None: ...


class Subscription:
    """A connection that follows a session; `listen` starts sending it the events."""

    def __init__(
        self, visit: EventReceiver, session: Session, right: Permission, extra: Mapping[str, Any] | None = None
    ) -> None:
        self.visit, self.session, self.extra = visit, session, extra or {}
        self.name = session.rights.join(right, self._changed)
        self._sending: asyncio.Future[None] | None = None
        self._feed: asyncio.Future[None] | None = None

    def listen(self, after: int, entropy: bool) -> Subscription:
        """Send the events after number `after`, and all that follow."""
        self._subscriber = self.session.subscribe(after)
        self._encoder = EventEncoder(self.session, entropy)
        self._feed = asyncio.ensure_future(self._follow())
        return self

    def allowed(self) -> dict[str, Any]:
        """The message that states this connection's permission and keys."""
        return {"did": "allowed", "session": self.session.id} | self._rights()

    def _rights(self) -> dict[str, Any]:
        rights = self.session.rights
        right = rights.viewers[self.name].right
        return {"follower": self.name, "right": str(right), "keys": rights.keys_for(self.name)}

    def _changed(self) -> None:
        self._sending = asyncio.ensure_future(self._send_allowed())

    async def _send_allowed(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self.visit.send(self.allowed())

    def stop(self) -> None:
        self.session.rights.leave(self.name)
        if self._feed is not None:
            self.session.unsubscribe(self._subscriber)
            self._feed.cancel()

    async def _follow(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                note = await self._subscriber.get()
                behind = self._subscriber.behind_since
                if behind is not None and time.monotonic() - behind > config().read_timeout:
                    await self.visit.socket.close(1013)
                    return
                await self.visit.send(self.message(note))

    def message(self, note: NumberedEvent) -> dict[str, Any]:
        """An event as a message for this connection."""
        row = self._encoder.message(note)
        return row | dict(self.extra) | self._rights() if isinstance(note.event, events.Opened) else row
