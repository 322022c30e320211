"""Compares two branches of a run: which cells differ, since which pass, and after which edits.

Random draws are a function of the seed, so with the same settings every difference is an effect of those edits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unmask.canvas import Canvas
from unmask.decide.pause import may_pause
from unmask.run import command
from unmask.run.timeline import Node, Timeline, difference


@dataclass(frozen=True)
class Branch:
    """A branch of a timeline."""

    name: str
    end: int  # its newest moment
    left: str  # the branch it was forked from; empty for the first
    since: int  # the last moment that it shares with that branch


@dataclass(frozen=True, eq=False)
class Comparison:
    """The differences between two branches, by cell id."""

    since: int  # the last moment that both share
    changed: dict[int, int]  # cell id → how many passes after that moment its final difference began
    only_first: list[int]  # cell ids that only the first branch has
    only_second: list[int]
    edits: tuple[
        list[dict[str, Any]], list[dict[str, Any]]
    ]  # the edits on each branch since then, with `at` and `passes`


def list_branches(timeline: Timeline) -> list[Branch]:
    """Every branch, in order of creation, with the moment at which it begins."""
    found: list[Branch] = []
    for name, head in timeline.heads.items():
        meetings = [(timeline.heads[one.name].common_ancestor(head).at, -i, one.name) for i, one in enumerate(found)]
        since, _, left = max(meetings, default=(0, 0, ""))
        found.append(Branch(name, head.at, left, since))
    return found


def comparison(timeline: Timeline, one: str | None, two: str | None) -> dict[str, Any]:
    """For JSON: every branch, and the differences of two of them if they are named."""
    row: dict[str, Any] = {"branches": [asdict(branch) for branch in list_branches(timeline)]}
    if one is not None or two is not None:
        names = [one or "", two or ""]
        found = compare_branches(*(timeline.get_head(name) for name in names))
        row |= {"one": names[0], "two": names[1], "since": found.since, "edits": found.edits}
        row |= {"changed": [[cell, since] for cell, since in found.changed.items()]}
        row |= {"only_one": found.only_first, "only_two": found.only_second}
    return row


def compare_branches(first: Node, second: Node) -> Comparison:
    """Compare two branches at their newest moments."""
    last = difference(first, second)
    fork = first.common_ancestor(second)
    mine, theirs = _canvases(first, fork), _canvases(second, fork)
    changed = {}
    for name in last.changed:
        may_pause()
        since = max(len(mine), len(theirs))
        while since and _token_at(mine, since - 1, name) != _token_at(theirs, since - 1, name):
            since -= 1
        changed[name] = since
    edits = (_edits(first, fork), _edits(second, fork))
    return Comparison(fork.at, changed, last.only_first, last.only_second, edits)


def _canvases(node: Node, fork: Node) -> list[Canvas]:
    """The canvas at the fork and after every pass since, each with the edits made before the next pass."""
    rows = [fork.canvas]
    for one in node.path(after=fork.at):
        if one.frame is None:
            rows[-1] = one.canvas
        else:
            rows.append(one.canvas)
    return rows


def _token_at(rows: list[Canvas], passes: int, name: int) -> int | None:
    """The token of a cell after so many passes, -1 if open, None if absent; after its end a branch keeps its canvas."""
    canvas = rows[min(passes, len(rows) - 1)]
    where = np.flatnonzero(canvas.ids == name)
    if not where.size:
        return None
    return -1 if canvas.open[where[0]] else int(canvas.tokens[where[0]])


def _edits(node: Node, fork: Node) -> list[dict[str, Any]]:
    """The edits since the fork, each with its moment and the passes before it."""
    found: list[dict[str, Any]] = []
    passes = 0
    for one in node.path(after=fork.at):
        if one.frame is not None:
            passes += 1
        elif one.edit is not None and not one.by_model:
            found.append({"at": one.at, "passes": passes} | command.command_to_dict(one.edit))
    return found
