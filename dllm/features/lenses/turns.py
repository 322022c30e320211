"""The moment and the cell that a question is about, and the questions' turns on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from unmask.canvas import Floats
from unmask.errors import InvalidRequest
from unmask.live.device import Client
from unmask.live.session import Session
from unmask.run.state import State
from unmask.run.timeline import Node

T = TypeVar("T")
_CLIENTS: WeakKeyDictionary[Session, Client] = WeakKeyDictionary()  # their turns on the device
MOST_PASSES = 16  # of one run that `layers` computes


async def on_device(session: Session, work: Callable[[], T]) -> T:
    """Run some work on the device, in turns with the runs of all visitors and this session's own."""
    client = _CLIENTS.setdefault(session, Client(f"lenses of {session.id}", visitor=session.client.visitor))
    return await session.device.run(work, client)


def moment_at(session: Session, at: int) -> Node:
    return session.head if at == -1 else session.head.ancestor(at)


def check_cell(node: Node, cell: int) -> int:
    if not 0 <= cell < len(node.canvas):
        raise InvalidRequest(f"there is no cell {cell}: the canvas has {len(node.canvas)}, counted from 0", "cell")
    return cell


def spaced(node: Node) -> list[Node]:
    """At most `MOST_PASSES` moments after a pass up to this one, evenly spaced, the newest included."""
    path = [one for one in node.path() if one.frame is not None or one.parent is None]
    return path[::-1][:: -(-len(path) // MOST_PASSES)][::-1]


def passes(session: Session) -> list[tuple[State, Node]]:
    """Each pass of the current branch, with the state before it."""
    return [
        (node.parent.state, node) for node in session.head.path() if node.frame is not None and node.parent is not None
    ]


def rounded(row: Floats) -> list[float | None]:
    """Rounded for JSON; None for NaN and infinity."""
    return [None if not np.isfinite(x) else round(float(x), 6) for x in row]
