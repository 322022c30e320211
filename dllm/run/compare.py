"""Compares two branches of a run: which words differ, where they stand now, since which pass, and after which edits.

Random draws are a function of the seed, so with the same settings every difference is an effect of those edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unmask.canvas import Canvas
from unmask.decide.pause import may_pause
from unmask.run import command
from unmask.run.alignment import align
from unmask.run.timeline import Node, Timeline


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
    changed: dict[int, int]  # cell id on the second branch → how many passes after that moment its word was written
    only_first: list[int]  # cell ids of words that only the first branch has
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
        one_head, two_head = (timeline.get_head(name) for name in names)
        found = compare_branches(one_head, two_head, timeline.about.get("ends", ()))
        row |= {"one": names[0], "two": names[1], "since": found.since, "edits": found.edits}
        row |= {"changed": [[cell, since] for cell, since in found.changed.items()]}
        row |= {"only_one": found.only_first, "only_two": found.only_second}
    return row


def compare_branches(first: Node, second: Node, ends: Sequence[int] = ()) -> Comparison:
    """Compare two branches at their newest moments, word by word: what only moved is the same. Of different words in
    the same place, those of the second branch are `changed`; the rest of a longer passage is on its branch alone."""
    fork = first.common_ancestor(second)
    texts = _text(first.canvas, ends), _text(second.canvas, ends)
    places = align(*texts)
    canvases = _canvases(second, fork)
    changed: dict[int, int] = {}
    only: tuple[list[int], list[int]] = ([], [])
    begin = 0  # of the words of the first branch that come next
    for place, cells in _passages(places, len(texts[0])):
        lost = first.canvas.ids[begin:place].tolist()
        here = second.canvas.ids[cells].tolist()
        for name in here[: len(lost)]:
            may_pause()
            changed[name] = _passes_until_written(canvases, name)
        only[0].extend(lost[len(here) :])
        only[1].extend(here[len(lost) :])
        begin = place + 1
    edits = (_edits(first, fork), _edits(second, fork))
    return Comparison(fork.at, changed, *only, edits)


def _text(canvas: Canvas, ends: Sequence[int]) -> list[int]:
    """The tokens up to the end of the text, -1 where a cell is open."""
    ended = np.flatnonzero(canvas.answer & ~canvas.open & np.isin(canvas.tokens, ends))
    stop = int(ended[0]) + 1 if ended.size else len(canvas)
    return [int(token) for token in np.where(canvas.open, -1, canvas.tokens)[:stop]]


def _passages(places: Sequence[int], length: int) -> Iterator[tuple[int, list[int]]]:
    """Each word that both texts have, by its place in the first, with the other words before it in the second."""
    others: list[int] = []
    for cell, place in enumerate([*places, length]):
        if place < 0:
            others.append(cell)
        else:
            yield place, others
            others = []


def _canvases(node: Node, fork: Node) -> list[Canvas]:
    """The canvas at the fork and after every pass since, each with the edits made before the next pass."""
    rows = [fork.canvas]
    for one in node.path(after=fork.at):
        if one.frame is None:
            rows[-1] = one.canvas
        else:
            rows.append(one.canvas)
    return rows


def _passes_until_written(rows: list[Canvas], name: int) -> int:
    """How many passes were made when a cell got the word with which it ends."""
    last = _token(rows[-1], name)
    passes = len(rows) - 1
    while passes and _token(rows[passes - 1], name) == last:
        passes -= 1
    return passes


def _token(canvas: Canvas, name: int) -> int | None:
    """The token of a cell, -1 if it is open, None if it is not there."""
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
