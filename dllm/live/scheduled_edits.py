"""Edits that an order brings along, each to be made at its moment: that is how a link gives the same run again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from unmask.errors import InvalidRequest
from unmask.run.command import EDITS, Edit, parse_command
from unmask.run.fields import check_field

MOST = 256  # edits of one order


class ScheduledEdits:
    """What is still to be edited, in order."""

    def __init__(self, edits: Iterable[tuple[int, Edit]] = ()) -> None:
        self._edits = deque(edits)

    def due(self, end: int) -> Edit | None:
        """The edit that leads to the moment after this one, if that is what comes next."""
        return self._edits[0][1] if self._edits and self._edits[0][0] == end + 1 else None

    def next(self) -> None:
        """The edit that was due is made."""
        self._edits.popleft()

    def clear(self) -> None:
        """The run has taken another way: what was to come does not fit it any more."""
        self._edits.clear()


def scheduled_edits(rows: Any) -> ScheduledEdits:
    """From pairs of a moment and an edit, as JSON holds them."""
    if not isinstance(rows, list) or len(rows) > MOST:
        raise InvalidRequest(f"edits are a list of at most {MOST} pairs: a moment, and what is edited")
    edits: list[tuple[int, Edit]] = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[1], dict):
            raise InvalidRequest("each of the edits is a pair: a moment, and what is edited")
        at, edit = check_field("int", "the moment of an edit", row[0]), parse_command(row[1])
        if type(edit) not in EDITS.values():
            raise InvalidRequest(f"'{row[1].get('do')}' is no edit; there are {', '.join(EDITS)}")
        if at <= (edits[-1][0] if edits else 0):
            raise InvalidRequest("the moments of edits go up, from 1 on")
        edits.append((at, edit))  # type: ignore[arg-type]  # it is one of them
    return ScheduledEdits(edits)
