"""Edits that a run is started with, each for one moment: they let a link reproduce a run that was edited."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from unmask.errors import InvalidRequest
from unmask.run.command import EDITS, Edit, parse_command
from unmask.run.fields import check_field

MOST = 256  # edits of one run


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

    def clear(self) -> None:
        """Remove all: the run was changed otherwise, so they do not fit any more."""
        self._edits.clear()


def scheduled_edits(rows: Any) -> ScheduledEdits:
    """Parse a JSON list of pairs, each a moment and an edit."""
    if not isinstance(rows, list) or len(rows) > MOST:
        raise InvalidRequest(f"edits must be a list of at most {MOST} pairs, each a moment and an edit")
    edits: list[tuple[int, Edit]] = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[1], dict):
            raise InvalidRequest("each of the edits must be a pair: a moment and an edit")
        at, edit = check_field("int", "the moment of an edit", row[0]), parse_command(row[1])
        if type(edit) not in EDITS.values():
            raise InvalidRequest(f"'{row[1].get('do')}' is not an edit; choose one of {', '.join(EDITS)}")
        if at <= (edits[-1][0] if edits else 0):
            raise InvalidRequest("the moments of edits must increase, from 1 on")
        edits.append((at, edit))  # type: ignore[arg-type]  # it is one of them
    return ScheduledEdits(edits)
