"""Undo and redo: a run is an immutable timeline, so what it was before each act of a person is kept as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from unmask.errors import InvalidRequest
from unmask.live.events import branched_event, events_to
from unmask.live.scheduled_edits import ScheduledEdits
from unmask.run.event import Event, Moved, Snapshot
from unmask.run.timeline import Node, Timeline

LIMIT = 200  # acts that can be undone


@dataclass(frozen=True)
class Version:
    """A run at one time: all branches, and the edits that are still scheduled."""

    timeline: Timeline
    scheduled: ScheduledEdits


class Versions:
    """The versions before each act, and those that were undone."""

    def __init__(self) -> None:
        self._before: list[Version] = []
        self._undone: list[Version] = []

    def acted(self, before: Version) -> None:
        """A person has changed the run: what was undone cannot come back."""
        self._before = [*self._before[1 - LIMIT :], before]
        self._undone.clear()

    def back(self, now: Version) -> Version:
        """The version before the latest act."""
        before = self._before.pop() if self._before else before_last_edit(now)
        self._undone.append(now)
        return before

    def forth(self, now: Version) -> Version:
        """The version that was undone last."""
        if not self._undone:
            raise InvalidRequest("there is nothing to redo")
        self._before.append(now)
        return self._undone.pop()

    def forget(self) -> None:
        """A branch was deleted for good: no earlier version may bring it back."""
        self._before.clear()
        self._undone.clear()


def before_last_edit(now: Version) -> Version:
    """The present branch before its last edit by a person: all that is known of a run that was restored."""
    last = last_edit(now.timeline.head)
    assert last.parent is not None
    return Version(now.timeline.append(last.parent), ScheduledEdits())


def last_edit(head: Node) -> Node:
    """The newest edit by a person on a branch."""
    for node in reversed(head.path(after=0)):
        if node.edit is not None and not node.by_model:
            return node
    raise InvalidRequest("there is nothing to undo")


def events_between(before: Timeline, now: Timeline, shared_device: bool) -> Iterator[Event]:
    """What viewers are sent when one version takes the place of another: every moment that they may not have."""
    old, new = before.head, now.head
    shared = old.common_ancestor(new)
    if shared is new and before.on == now.on and before.heads.keys() == now.heads.keys():
        yield Snapshot(new.at, new.canvas, False, new.at + 1)  # moments were removed, and that is all
        return
    yield branched_event(now, before.on if before.on != now.on else "", old)
    yield Moved(shared.at, False, shared.at + 1)
    yield from events_to(new, shared.at, shared_device)
    yield Moved(new.at, False, new.at + 1)
