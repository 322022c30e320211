"""Edits that a run is started with, each for one moment: they let a link reproduce a run that was edited."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from unmask.errors import InvalidRequest
from unmask.run.command import EDITS, Edit


class ScheduledEdits:
    """The edits that are still to be made, in order."""

    def __init__(self, edits: Iterable[tuple[int, Edit]] = ()) -> None:
        self._edits = deque(edits)

    def due(self, end: int) -> Edit | None:
        """The edit to make after moment `end`, or None."""
        return self._edits[0][1] if self._edits and self._edits[0][0] == end + 1 else None

    def next(self) -> None:
        """Remove the edit that was due, once it is made."""
        self._edits.popleft()

    def copy(self) -> ScheduledEdits:
        return ScheduledEdits(self._edits)

    def clear(self) -> None:
        """Remove all: the run was changed otherwise, so they do not fit any more."""
        self._edits.clear()


def scheduled_edits(pairs: Sequence[tuple[int, Mapping[str, Any]]]) -> ScheduledEdits:
    """From pairs of a moment and an edit in JSON."""
    edits = [(at, EDITS.read(row)) for at, row in pairs]
    moments = [0, *(at for at, _ in edits)]
    if any(at <= before for before, at in pairwise(moments)):
        raise InvalidRequest("the moments of edits must increase, from 1 on", "edits")
    return ScheduledEdits(edits)
