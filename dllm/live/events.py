"""What viewers are sent of a timeline: its branches, its edits, and all moments of the present branch. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.run.command import command_to_dict
from unmask.run.event import Branched, Edited, Event, Stepped
from unmask.run.timeline import Node, Timeline


def branched_event(timeline: Timeline, left: str = "", before: Node | None = None) -> Branched:
    """All branches; `left` is the one that was current until now, and `before` was its newest moment."""
    heads = {name: node.at for name, node in timeline.heads.items()}
    at = (before or timeline.heads[left]).common_ancestor(timeline.head).at if left else timeline.head.at
    return Branched(timeline.on, left, at, heads)


def edited_event(node: Node, ref: int | None = None) -> Edited:
    """An edit; `ref` is the request that it answers."""
    assert node.edit is not None
    return Edited(node.at, command_to_dict(node.edit), node.canvas, node.settings.to_dict(), ref)


def events_to(head: Node, after: int, shared: bool) -> Iterator[Event]:
    """The events of a path, from the moment that follows `after`; `shared`: others had the device too."""
    past = head.path(after)
    return (edited_event(n) if n.frame is None else Stepped(n.at, n.frame, *n.times, shared=shared) for n in past)
