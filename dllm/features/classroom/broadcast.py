"""A session as a class follows it together: each event is encoded once, and the same text goes to everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.run.event import Peeked, Settled
from unmask.serve.doors.event_encoder import EventEncoder
from unmask.serve.doors.messages import encode_message


class Broadcast:
    """Hears one session on behalf of a room."""

    def __init__(self, session: Session, side: int, pass_on: Callable[[str, NumberedEvent], None]) -> None:
        self.session, self.side, self._pass_on = session, side, pass_on
        self._encoder = EventEncoder(session)
        self._history: tuple[int, str] = (-1, "")
        self._subscriber = session.subscribe()
        self._task = asyncio.ensure_future(self._run())

    @property
    def history(self) -> str:
        """How the run came to be, encoded once for all who come before it goes on."""
        if self._history[0] != self.session.number:
            self._history = (self.session.number, encode_message(self._encoder.history() | {"side": self.side}))
        return self._history[1]

    def stop(self) -> None:
        self.session.unsubscribe(self._subscriber)
        self._task.cancel()

    async def _run(self) -> None:
        while True:
            note = await self._subscriber.get()
            if isinstance(note.event, Settled | Peeked):  # for those who read a stream; for the one who peeked
                continue
            self._pass_on(encode_message(self._encoder.message(note)), note)
