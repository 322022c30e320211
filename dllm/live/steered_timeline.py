"""A run's timeline with its edits, branches and undo, each published as an event. It has no clock."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.live.device import Client
from unmask.live.events import branched_event, edited_event, events_to
from unmask.live.mailbox import Envelope
from unmask.live.permissions import Permissions
from unmask.live.publisher import NumberedEvent, Publisher
from unmask.live.scheduled_edits import ScheduledEdits
from unmask.live.undo import Version, Versions, events_between, last_edit
from unmask.models import Denoiser
from unmask.run import command as commands
from unmask.run.command import Edit
from unmask.run.edit import Steering
from unmask.run.event import Event, Moved, Opened, Peeked, Snapshot
from unmask.run.kept_edits import edits_again, reverted
from unmask.run.peek import peek
from unmask.run.state import State
from unmask.run.stats import answer_text
from unmask.run.timeline import Node, Timeline, with_pieces
from unmask.run.trace import Trace

CELL = 56  # bytes that a cell of one moment takes, as measured


class SteeredTimeline(Publisher):
    """A timeline that is edited, branched and taken back, and publishes what becomes of it."""

    def __init__(
        self,
        denoiser: Denoiser,
        timeline: Timeline,
        group: str = "",
        identity: tuple[str, Permissions] | None = None,
        number: int = 0,
    ) -> None:
        super().__init__(number)
        # a restored session has its old name and keys, and continues from the number of its last event
        self.id, self.rights = identity or (secrets.token_urlsafe(9), Permissions())
        self.denoiser = denoiser
        self.timeline = replace(timeline, about=dict(timeline.about) | {"session": self.id})
        self.client = Client(self.id, group)
        self.playing = False
        self.scheduled = ScheduledEdits()  # edits that the run was started with
        self._steering = Steering(denoiser.card, denoiser.tokenizer)
        self._moments = self.head.at + 1  # of all branches together
        self._versions = Versions()

    @property
    def head(self) -> Node:
        """The newest moment of the present branch."""
        return self.timeline.head

    @property
    def state(self) -> State:
        return self.head.state

    @property
    def end(self) -> int:
        """The number of the newest moment."""
        return self.head.at

    @property
    def is_over(self) -> bool:
        """Whether nothing is open, and no scheduled edit is due that may open a cell."""
        return self.state.done and self.scheduled.due(self.end) is None

    @property
    def weight(self) -> int:
        """Estimated memory of the timeline, in bytes."""
        return CELL * self._moments * len(self.state.canvas)

    @property
    def text(self) -> str:
        return answer_text(self.denoiser, self.state.canvas)

    def trace(self) -> Trace:
        """The timeline with all its branches, as a file would hold it."""
        return Trace((with_pieces(self.timeline, self.denoiser.tokenizer),))

    def history(self) -> Iterator[Event]:
        """The events of the present branch from its beginning, for new viewers; it may be iterated on a thread."""
        first = Opened(self.id, self.timeline.about, self.head.ancestor(0).canvas)
        last: list[Event] = [branched_event(self.timeline), Moved(self.end, self.playing, self.end + 1)]
        return chain([first], events_to(self.head, 0, self.client.shared), last)

    def peeked(self, question: commands.Peek) -> Peeked:
        """The beliefs about a cell, on the present branch or another."""
        node = self.timeline.get_head(question.head) if question.head else self.head
        node = node if question.at == -1 else node.ancestor(question.at)
        about = peek(node.path(), question.cell, self.denoiser.tokenizer.display_piece)
        return Peeked(question.cell, node.at, about, question.head)

    def snapshot(self, n: int) -> NumberedEvent:
        return NumberedEvent(n, Snapshot(self.end, self.state.canvas, self.playing, self.end + 1))

    def _at(self, at: int | None) -> Node:
        """A moment of the present branch, by default the newest."""
        return self.head if at is None else self.head.ancestor(at)

    def _edits(self, envelope: Envelope) -> Sequence[Edit]:
        """The edits of a request, with those to be made again."""
        base = self._at(envelope.at)
        if not envelope.keep or base is self.head:
            return envelope.edits
        return edits_again(self._steering, self.head, base, envelope.edits)

    def _apply_edits(self, edits: Sequence[Edit], ref: int | None, at: int | None) -> None:
        """Apply all of them or none; the event of the last one answers the request."""
        if len(edits) > 1:
            self._steering.after(self._at(at).state, edits)
        for i, edit in enumerate(edits, 1):
            self._edit(edit, at if i == 1 else None, ref if i == len(edits) else None)

    def _edit(self, edit: Edit, at: int | None, ref: int | None = None) -> None:
        base = self._at(at)
        if base.at >= config().moments:
            raise InvalidRequest(f"a timeline has at most {config().moments} moments")
        edit = self._steering.resolved(base.state, edit)
        state = self._steering.after(base.state, (edit,))  # raises before anything is changed
        if base is not self.head:
            self._fork(base.at)
        self._grow(self.head.child(state, edit=edit))
        self.publish(edited_event(self.head, ref))

    def _version(self) -> Version:
        return Version(self.timeline, self.scheduled.copy())

    def _restore(self, version: Version) -> None:
        """Continue from a version of the run, paused."""
        before, self.timeline, self.scheduled = self.timeline, version.timeline, version.scheduled
        self.playing = False
        self._left_head()
        for event in events_between(before, self.timeline, self.client.shared):
            self.publish(event)

    def _undo_edit(self) -> None:
        """Remove the last edit if it is the newest moment, or branch off before it if passes followed."""
        last = last_edit(self.head)
        if last is not self.head:
            return self._fork(last.at - 1)
        self.timeline = self.timeline.append(self.head.ancestor(last.at - 1))
        self._left_head()
        self.publish(self.snapshot(0).event)

    def _revert(self, at: int) -> None:
        """Take one edit back, and keep those after it."""
        name, base, edits = reverted(self._steering, self.timeline, at)
        if name:
            return self._switch(name)
        self._fork(base.at)
        self._apply_edits(edits, None, None)

    def _fork(self, at: int, name: str = "") -> None:
        """Continue on a new branch from a moment of this one, which is kept."""
        if len(self.timeline.heads) >= config().branches:
            raise InvalidRequest(f"a run has at most {config().branches} branches: drop one first")
        left, self.timeline = self.timeline.on, self.timeline.fork(at, name)
        self._branch_changed(left)

    def _switch(self, head: str) -> None:
        left, self.timeline = self.timeline.on, self.timeline.switch(head)
        if left != head:
            self._branch_changed(left)

    def _branch_changed(self, left: str) -> None:
        self._left_head()
        self.publish(branched_event(self.timeline, left))
        if self.playing and self.state.done:
            self._pause()

    def _drop(self, head: str) -> None:
        self.timeline = self.timeline.drop(head)
        self._moments = sum(1 for _ in self.timeline.nodes())
        self._versions.forget()
        self.publish(branched_event(self.timeline))

    def _rename(self, head: str, name: str) -> None:
        self.timeline = self.timeline.rename_head(head, name)
        self.publish(branched_event(self.timeline))

    def _left_head(self) -> None:
        """The run continues from another moment: what was made for the newest one is of no use."""

    def _pause(self) -> None:
        self.playing = False
        self.publish(Moved(self.end, False, self.end + 1))

    def _grow(self, node: Node) -> None:
        self.timeline = self.timeline.append(node)
        self._moments += 1
