"""A class on this server: sends the presenter's runs to everybody, grants rights by seat, runs polls and contests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from unmask.errors import InvalidRequest
from unmask.features.classroom.broadcast import Broadcast
from unmask.features.classroom.contest import Contest
from unmask.features.classroom.poll import Poll
from unmask.features.classroom.recordings import Recordings
from unmask.features.classroom.room import Room, Seat
from unmask.live.permissions import Permission
from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.run.command import Pause
from unmask.serve.doors.messages import encode_message
from unmask.serve.doors.subscription import EventReceiver, Subscription

VIEWS = 0.05  # seconds between two updates of the presenter's view


class Classroom(Room):
    """A room with a broadcast for each run that is shown, and the connections of its followers."""

    def __init__(self) -> None:
        super().__init__()
        self.recordings = Recordings()
        self.broadcasts: list[Broadcast] = []
        self._connections: dict[str, tuple[EventReceiver, dict[str, Subscription]]] = {}  # by seat
        self._next_view: asyncio.TimerHandle | None = None

    # what is shown

    def show(self, sessions: Sequence[Session]) -> None:
        """Show these runs from now on, in place of those before."""
        for one in self.broadcasts:
            one.stop()
        for _, followers in self._connections.values():
            for follower in followers.values():
                follower.stop()
            followers.clear()
        self.revealed = self.ranking = None
        if not isinstance(self.question, Contest):  # a game is about no run
            self.question = None
        self.broadcasts = [
            Broadcast(session, i, lambda text, note, s=session: self._pass_on(text, note, s))  # type: ignore[misc]
            for i, session in enumerate(sessions)
        ]
        for seat in self.seats.values():
            if seat.is_connected:
                self._admit(seat)
        for text in self.history():
            self.broadcast(text)

    def look(self, view: dict[str, Any]) -> None:
        """Send the presenter's newest view, at most once every `VIEWS` seconds."""
        self.view = view

        def now() -> None:
            self._next_view = None
            self.broadcast(encode_message({"did": "view"} | self.view))

        if self._next_view is None:
            self._next_view = asyncio.get_running_loop().call_later(VIEWS, now)

    def history(self) -> list[str]:
        """The messages that bring a new follower up to date."""
        return [self.state(), *(one.history for one in self.broadcasts)]

    def state(self) -> str:
        """The message that says how the class is and what it sees."""
        seen = {"sides": [one.session.id for one in self.broadcasts], "recordings": self.recordings.shown}
        return encode_message(self.to_dict() | seen)

    def tell(self) -> None:
        """Send the state of the class to everybody, and to the presenter the list of followers too."""
        self.broadcast(self.state())
        if self.present is not None:
            self.present()

    # who is there

    def admit(self, visit: EventReceiver, seat: Seat) -> None:
        """Add a follower, or one who has reconnected."""
        for follower in self.followers(seat).values():
            follower.stop()
        self._connections[seat.id] = (visit, {})
        self._admit(seat)

    def followers(self, seat: Seat) -> dict[str, Subscription]:
        return self._connections[seat.id][1] if seat.id in self._connections else {}

    def remove(self, visit: EventReceiver, seat: Seat) -> None:
        """Remove a follower and keep the seat; does nothing if the follower has reconnected on another connection."""
        if seat.id in self._connections and self._connections[seat.id][0] is not visit:
            return
        seat.leave()
        for follower in self.followers(seat).values():
            follower.stop()
        self._connections.pop(seat.id, None)
        self.call_soon(self.tell)

    def _admit(self, seat: Seat) -> None:
        visit, followers = self._connections[seat.id]
        for one in self.broadcasts:
            follower = followers[one.session.id] = Subscription(visit, one.session, Permission.WATCH)
            if seat.right is Permission.STEER and not self.frozen:
                one.session.rights.give(follower.name, Permission.STEER)

    def grant(self, seat: Seat, right: Permission) -> None:
        """Let a follower steer, or take that right back."""
        if right is Permission.OWN:
            raise InvalidRequest(
                "a class has one presenter: let a follower steer with 'steer', and take that back with 'watch'"
            )
        seat.right = right
        self._apply_rights()

    def freeze(self, on: bool) -> None:
        """While a class is frozen, all see the presenter's moment and only the presenter steers."""
        self.frozen = on
        self._apply_rights()
        self.tell()

    def _apply_rights(self) -> None:
        """Give each follower the right of their seat; while frozen, only the right to watch."""
        for seat in self.seats.values():
            wanted = Permission.WATCH if self.frozen else seat.right
            for follower in self.followers(seat).values():
                rights = follower.session.rights
                if rights.viewers[follower.name].right is not wanted:
                    rights.give(follower.name, wanted)

    # questions

    def ask(self, kind: str, session: Session, cell: int, at: int = -1) -> None:
        """Open a poll about the newest moment of a run, or an earlier one, whose right answer is known already."""
        node = session.head if at < 0 else session.head.ancestor(at)
        poll = Poll.of(kind, session.id, node, cell, session.denoiser.card)
        for later in session.head.path(poll.at):
            if later.frame is not None and (
                right := poll.answered_by(later.frame, session.denoiser.tokenizer.display_piece)
            ):
                poll.known = right
                break
        self._begin(poll)

    def compete(self, contest: Contest) -> None:
        """Open a contest: who finds the best schedule."""
        self._begin(contest)

    def _begin(self, question: Poll | Contest) -> None:
        self.question = question
        self.revealed = self.ranking = None
        self.replies.clear()
        self.tell()

    def answer(self, seat: Seat, value: str) -> dict[str, Any]:
        """Record an answer; returns the message that confirms it."""
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

    def withdraw_question(self) -> None:
        """Close the question without a result: it was asked too early, or by mistake."""
        if self.question is None:
            raise InvalidRequest("there is no open question now")
        self.question = None
        self.replies.clear()
        self.tell()

    def reveal(self, right: Sequence[str] = ()) -> None:
        """Close the question and send its result: a poll's tally and right answer, or a contest's ranking."""
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
        found = next((one.session for one in self.broadcasts if one.session.id == name), None)
        if found is None:
            raise InvalidRequest("the class does not see this run")
        return found

    def _pass_on(self, text: str, note: NumberedEvent, session: Session) -> None:
        self.broadcast(text)
        poll = self.question
        if not isinstance(poll, Poll) or poll.session != session.id:
            return
        if (right := poll.right(note.event, session.denoiser.tokenizer.display_piece)) is not None:
            self.reveal(right)

    def close(self) -> None:
        """End the class: tell all followers, stop the broadcasts and discard its state."""
        self.broadcast(encode_message({"did": "dismissed", "room": self.code}))
        super().close()
        if self._next_view is not None:
            self._next_view.cancel()
        for one in self.broadcasts:
            one.stop()
            if not one.session.subscribers:
                with suppress(InvalidRequest):
                    one.session.send(Pause())
        for _, followers in self._connections.values():
            for follower in followers.values():
                follower.stop()
        self._connections.clear()
