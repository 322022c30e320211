"""A class on this server: the presenter's runs go to everybody, each event encoded once; rights follow the seats."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from unmask.errors import InvalidRequest
from unmask.features.classroom.broadcast import Broadcast
from unmask.features.classroom.contest import Contest
from unmask.features.classroom.poll import Poll
from unmask.features.classroom.room import Room, Seat
from unmask.live.permissions import Permission
from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.run.command import Pause
from unmask.serve.doors.messages import encode_message
from unmask.serve.doors.subscription import EventReceiver, Subscription

VIEWS = 0.05  # seconds between two moments that the presenter shows


class Classroom(Room):
    """A room with its relays, and with those who sit in it."""

    def __init__(self) -> None:
        super().__init__()
        self.relays: list[Broadcast] = []
        self._guests: dict[str, tuple[EventReceiver, dict[str, Subscription]]] = {}  # by seat
        self._viewing: asyncio.TimerHandle | None = None

    # what is shown

    def show(self, sessions: Sequence[Session]) -> None:
        """The runs that the presenter shows from now on."""
        for relay in self.relays:
            relay.stop()
        for _, followers in self._guests.values():
            for follower in followers.values():
                follower.stop()
            followers.clear()
        self.revealed = self.ranking = None
        if not isinstance(self.question, Contest):  # a game is about no run
            self.question = None
        self.relays = [
            Broadcast(session, i, lambda text, note, s=session: self._passed(text, note, s))  # type: ignore[misc]
            for i, session in enumerate(sessions)
        ]
        for seat in self.seats.values():
            if seat.is_connected:
                self._admit(seat)
        for text in self.history():
            self.broadcast(text)

    def look(self, view: dict[str, Any]) -> None:
        """The moment that the presenter shows: the newest, a few times a second."""
        self.view = view

        def now() -> None:
            self._viewing = None
            self.broadcast(encode_message({"did": "view"} | self.view))

        if self._viewing is None:
            self._viewing = asyncio.get_running_loop().call_later(VIEWS, now)

    def history(self) -> list[str]:
        """All that somebody must know who comes now."""
        sides = [relay.session.id for relay in self.relays]
        return [encode_message(self.to_dict() | {"sides": sides}), *(relay.history for relay in self.relays)]

    def tell(self) -> None:
        """Everybody: how things stand. The presenter: who is here too."""
        self.broadcast(encode_message(self.to_dict() | {"sides": [relay.session.id for relay in self.relays]}))
        if self.present is not None:
            self.present()

    # who is there

    def admit(self, visit: EventReceiver, seat: Seat) -> None:
        """One more; or one who has come back on another line."""
        for follower in self.followers(seat).values():
            follower.stop()
        self._guests[seat.id] = (visit, {})
        self._admit(seat)

    def followers(self, seat: Seat) -> dict[str, Subscription]:
        return self._guests[seat.id][1] if seat.id in self._guests else {}

    def remove(self, visit: EventReceiver, seat: Seat) -> None:
        """One less; the seat waits for them. Who has come back on another line stays."""
        if seat.id in self._guests and self._guests[seat.id][0] is not visit:
            return
        seat.leave()
        for follower in self.followers(seat).values():
            follower.stop()
        self._guests.pop(seat.id, None)
        self.call_soon(self.tell)

    def _admit(self, seat: Seat) -> None:
        visit, followers = self._guests[seat.id]
        for relay in self.relays:
            follower = followers[relay.session.id] = Subscription(visit, relay.session, Permission.WATCH)
            if seat.right is Permission.STEER and not self.frozen:
                relay.session.rights.give(follower.name, Permission.STEER)

    def grant(self, seat: Seat, right: Permission) -> None:
        """The pins to one who follows, or back."""
        if right is Permission.OWN:
            raise InvalidRequest(
                "a class has one presenter: hand over the pins with 'steer', and take them back with 'watch'"
            )
        seat.right = right
        self._settle()

    def freeze(self, on: bool) -> None:
        """While a class is frozen all look at the presenter's moment, and nobody else steers."""
        self.frozen = on
        self._settle()
        self.tell()

    def _settle(self) -> None:
        """What each may do now."""
        for seat in self.seats.values():
            wanted = Permission.WATCH if self.frozen else seat.right
            for follower in self.followers(seat).values():
                rights = follower.session.rights
                if rights.viewers[follower.name].right is not wanted:
                    rights.give(follower.name, wanted)

    # questions

    def ask(self, kind: str, session: Session, cell: int, at: int = -1) -> None:
        """About the newest moment of a run, or about an earlier one: then what is right is known already."""
        poll = Poll.of(kind, session.id, session.head if at < 0 else session.head.ancestor(at), cell)
        for later in session.head.path(poll.at):
            if later.frame is not None and (
                right := poll.answered_by(later.frame, session.denoiser.tokenizer.display_piece)
            ):
                poll.known = right
                break
        self._begin(poll)

    def compete(self, contest: Contest) -> None:
        """A game for the class: who finds the best schedule."""
        self._begin(contest)

    def _begin(self, question: Poll | Contest) -> None:
        self.question = question
        self.revealed = self.ranking = None
        self.replies.clear()
        self.tell()

    def answer(self, seat: Seat, value: str) -> dict[str, Any]:
        """How an answer counts."""
        match self.question:
            case Poll() as poll:
                value = poll.answer(seat.id, value)
            case Contest() as contest:
                value = contest.answer(seat.id, value)
            case _:
                raise InvalidRequest("there is no open question now")
        self.replies[seat.id] = {"did": "answered", "value": value}
        self.call_soon(self.tell)
        return self.replies[seat.id]

    def reveal(self, right: Sequence[str] = ()) -> None:
        """The tally, and what is right where that is known; or who has won."""
        match self.question:
            case Poll() as poll:
                self.revealed = poll.to_revealed_dict([*right] or poll.known)
            case Contest() as contest:
                self.revealed = contest.to_revealed_dict()
                self.ranking = contest.ranking({seat.id: seat.name for seat in self.seats.values()})
                for who, schedule in contest.schedules.items():
                    self.replies[who] |= {"share": schedule.share, "place": contest.place(who)}
                    if who in self.seats:
                        self.seats[who].put(encode_message(self.replies[who]))
            case _:
                raise InvalidRequest("there is no open question now")
        self.question = None
        self.tell()

    def session(self, name: str) -> Session:
        found = next((relay.session for relay in self.relays if relay.session.id == name), None)
        if found is None:
            raise InvalidRequest("the class does not see this run")
        return found

    def _passed(self, text: str, note: NumberedEvent, session: Session) -> None:
        self.broadcast(text)
        poll = self.question
        if not isinstance(poll, Poll) or poll.session != session.id:
            return
        if (right := poll.right(note.event, session.denoiser.tokenizer.display_piece)) is not None:
            self.reveal(right)

    def close(self) -> None:
        """The class is over: everybody hears it, and nothing of it stays."""
        self.broadcast(encode_message({"did": "dismissed", "room": self.code}))
        super().close()
        if self._viewing is not None:
            self._viewing.cancel()
        for relay in self.relays:
            relay.stop()
            if not relay.session.subscribers:
                with suppress(InvalidRequest):
                    relay.session.send(Pause())
        for _, followers in self._guests.values():
            for follower in followers.values():
                follower.stop()
        self._guests.clear()
