"""A device, sessions on it, and what each of them published."""

from typing import Any

from tests.until import until
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models.toy import Toy
from unmask.run.command import (
    Command,
)
from unmask.run.event import (
    Event,
)
from unmask.run.state import State
from unmask.run.timeline import new_timeline
from unmask.serve.sessions import Sessions

TOY = Toy(seed=6)


class Stage:
    """A device, a table of sessions, and everything that each session told."""

    def __init__(self) -> None:
        self.device, self.table = Device(), Sessions()
        self.events: dict[str, list[Event]] = {}

    def open(self, state: State, toy: Toy = TOY, **more: Any) -> Session:
        session = self.table.open(toy, self.device, new_timeline(toy.card, state), **more)
        self.events[session.id] = [note.event for note in session.notes]
        publish = session.publish
        session.publish = lambda e: (self.events[session.id].append(e), publish(e))[1]  # type: ignore[method-assign]
        return session

    def of(self, session: Session, kind: type[Any]) -> list[Any]:
        return [e for e in self.events[session.id] if isinstance(e, kind)]


async def idle(session: Session) -> None:
    """Until its mailbox is read and it plays no more."""
    await until(lambda: not session._mailbox and not session.playing)


async def do(session: Session, *commands: Command) -> None:
    for one in commands:
        session.send(one)
        await idle(session)


async def together(session: Session, *commands: Command) -> None:
    for one in commands:
        session.send(one)
    await idle(session)
