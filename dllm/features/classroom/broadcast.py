"""Encodes each event of a session once and passes the text to everybody in a class."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.run.event import Peeked, Settled
from unmask.serve.doors.event_encoder import EventEncoder
from unmask.serve.doors.messages import encode_message


class Broadcast:
    """Subscribes to one session for a whole class."""

    def __init__(self, session: Session, side: int, pass_on: Callable[[str, NumberedEvent], None]) -> None:
        self.session, self.side, self._pass_on = session, side, pass_on
        self._encoder = EventEncoder(session)
        self._history: tuple[int, str] = (-1, "")
        self._subscriber = session.subscribe()
        self._task = asyncio.ensure_future(self._run())

    @property
    def history(self) -> str:
        """The run so far, encoded once for all who join before its next event."""
        if self._history[0] != self.session.number:
            self._history = (self.session.number, encode_message(self._encoder.history()() | {"side": self.side}))
        return self._history[1]

    def stop(self) -> None:
        self.session.unsubscribe(self._subscriber)
        self._task.cancel()

    async def _run(self) -> None:
        while True:
            note = await self._subscriber.get()
            # the first is for readers of /v1, the second goes to the follower who asked
            if isinstance(note.event, Settled | Peeked):
                continue
            self._pass_on(encode_message(self._encoder.message(note)), note)
