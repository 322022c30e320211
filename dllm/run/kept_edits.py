"""What a person changed after a moment, to be changed again at that moment: a branch from there loses none of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from unmask.canvas import Canvas
from unmask.errors import InvalidRequest
from unmask.run.command import Edit, Erase, Pin, Release, Stretch
from unmask.run.edit import Steering
from unmask.run.state import State
from unmask.run.timeline import Node, Timeline


def edits_again(
    steering: Steering, head: Node, base: Node, new: Sequence[Edit] = (), without: Node | None = None
) -> list[Edit]:
    """The edits for a branch from `base`: those of the present branch after it, but for the node `without`, in the same
    cells; then the new ones, whose cells are those of `base`. A pin that shares a cell with a new one is left out
    whole: its word is replaced."""
    taken = {name for edit in new if isinstance(edit, Pin) for name in _names(base.canvas, _replaced(edit))}
    again = _Again(steering, base.state)
    for node, edit in _lasting(head, base, taken, without):
        again.make((node.parent or base).canvas, node.canvas, edit)
    for edit in new:
        again.make(base.canvas, None, edit)
    return again.edits


def reverted(steering: Steering, timeline: Timeline, at: int) -> tuple[str, Node, list[Edit]]:
    """The present branch without its edit that led to moment `at`: the finished branch that has just the other edits
    (or an empty name), the moment from which a new one goes on, and its edits."""
    node = timeline.head.ancestor(at)
    if node.parent is None or node.edit is None or node.by_model:
        raise InvalidRequest("no edit of a person led to that moment")
    edits = edits_again(steering, timeline.head, node.parent, without=node)
    wanted = steering.after(node.parent.state, edits)
    same = [name for name, head in timeline.heads.items() if head.state.done and same_edits(head.state, wanted)]
    return (same or [""])[-1], node.parent, edits


def same_edits(one: State, two: State) -> bool:
    """Whether two states have the same pins, settings and cells."""

    def edited(state: State) -> tuple[object, ...]:
        canvas = state.canvas
        set_by_hand = canvas.pinned & ~canvas.given
        pins = sorted(zip(canvas.ids[set_by_hand].tolist(), canvas.tokens[set_by_hand].tolist(), strict=True))
        return pins, state.settings, set(state.avoid), canvas.ids.tolist()

    return edited(one) == edited(two)


def _replaced(pin: Pin) -> list[int]:
    """The cells of a pin, by their places before it: without those that it inserts, with those that it removes."""
    last = len(pin.cells) - max(pin.insert, 0)
    return [*pin.cells[:last], *range(pin.cells[-1] + 1, pin.cells[-1] + 1 - min(pin.insert, 0))]


def _names(canvas: Canvas, cells: Sequence[int]) -> list[int]:
    return [int(name) for name in canvas.ids[list(cells)]]


def _lasting(head: Node, base: Node, taken: set[int], without: Node | None) -> Iterator[tuple[Node, Edit]]:
    """A person's edits after `base`, as far as no later one does something else with their cells."""
    nodes = [n for n in head.path(after=base.at) if n.edit is not None and not n.by_model and n is not without]
    pinned, opened = set(taken), set[int]()  # cells of later edits
    found: list[tuple[Node, Edit]] = []
    for node in reversed(nodes):
        canvas, edit = (node.parent or base).canvas, node.edit
        assert edit is not None
        if isinstance(edit, Pin):
            names = _names(node.canvas, edit.cells)
            kept = [(c, t) for c, t, name in zip(edit.cells, edit.tokens, names, strict=True) if name not in opened]
            if kept and not taken & set(names):
                whole = len(kept) == len(names)
                found.append((node, edit if whole else Pin(tuple(c for c, _ in kept), tuple(t for _, t in kept))))
            pinned |= set(names)
        elif isinstance(edit, Erase | Release):
            opened |= set(_names(canvas, edit.cells))
            cells = [c for c, name in zip(edit.cells, _names(canvas, edit.cells), strict=True) if name not in pinned]
            if isinstance(edit, Release):
                found.append((node, Release(tuple(cells))))
            else:
                found.extend((node, one) for one in _passages(cells, node))
        else:
            found.append((node, edit))
    return reversed(found)


def _passages(cells: Sequence[int], node: Node) -> Iterator[Erase]:
    """An erasure, passage by passage, each with the token that must not come back at its beginning."""
    parent = node.parent or node
    avoided = dict(pair for pair in node.state.avoid if pair not in parent.state.avoid)
    for passage in _runs(sorted(cells)):
        token = avoided.get(int(parent.canvas.ids[passage[0]]))
        yield Erase(passage, avoid=() if token is None else (token,))


def _runs(cells: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Cells in order, split into those that are neighbours."""
    for _, group in groupby(enumerate(cells), lambda pair: pair[1] - pair[0]):
        yield tuple(cell for _, cell in group)


@dataclass
class _Again:
    """Makes edits of other moments on a state, one after the other, in the cells that have the same ids."""

    steering: Steering
    state: State
    edits: list[Edit] = field(default_factory=list)
    renamed: dict[int, int] = field(default_factory=dict)  # ids of cells that were inserted again

    def make(self, before: Canvas, after: Canvas | None, edit: Edit) -> None:
        """Make an edit that led from one canvas to another."""
        if isinstance(edit, Pin):
            self._pin(before, after, edit)
        elif isinstance(edit, Erase | Release):
            if cells := self._open_or_pinned(before, edit):
                self._do(replace(edit, cells=tuple(cells)))
        elif isinstance(edit, Stretch) and edit.by < 0:
            names = _names(before, range(edit.at, edit.at - edit.by))
            while places := self._there(names):
                first = next(_runs(places))
                self._do(Stretch(first[0], -len(first)))
        elif isinstance(edit, Stretch):
            at = self._gap(before, edit.at)
            self._do(replace(edit, at=at))
            if after is not None:
                self._rename(after.ids[edit.at : edit.at + edit.by].tolist(), at)
        else:
            self._do(edit)

    def _pin(self, before: Canvas, after: Canvas | None, edit: Pin) -> None:
        """Make a pin in the same cells, with as many cells inserted or removed."""
        if not edit.insert:
            before = after or before
            self._insert_missing(before, edit.cells)
            return self._do(Pin(tuple(self._where(_names(before, edit.cells))), edit.tokens))
        own = edit.cells[: len(edit.cells) - max(edit.insert, 0)]
        self._insert_missing(before, own)
        places = self._where(_names(before, own))
        fresh = range(places[-1] + 1, places[-1] + 1 + max(edit.insert, 0))
        gone = self._where(_names(before, _replaced(edit)[len(own) :]))
        insert = edit.insert if gone == [*range(places[-1] + 1, places[-1] + 1 + len(gone))] else 0
        self._do(Pin((*places, *fresh), edit.tokens, insert if fresh else -len(gone) if insert else 0))
        if fresh and after is not None:
            self._rename(_names(after, edit.cells[len(own) :]), fresh[0])

    def _do(self, edit: Edit) -> None:
        edit = self.steering.resolved(self.state, edit)
        self.state = self.steering.after(self.state, (edit,))
        self.edits.append(edit)

    def _open_or_pinned(self, before: Canvas, edit: Erase | Release) -> list[int]:
        """The cells of an edit in which it still changes something."""
        canvas = self.state.canvas
        places = self._there(_names(before, edit.cells))
        if isinstance(edit, Release):
            return [cell for cell in places if canvas.pinned[cell]]
        return places if edit.avoid else [cell for cell in places if not canvas.open[cell]]

    def _insert_missing(self, before: Canvas, cells: Sequence[int]) -> None:
        """Insert the cells that are not there: the model inserted them by itself later, or a person removed them."""
        for cell, name in zip(cells, _names(before, cells), strict=True):
            if not self._where([name]):
                at = self._gap(before, cell)
                self._do(Stretch(at, 1))
                self._rename([name], at)

    def _rename(self, names: Sequence[int], at: int) -> None:
        fresh = self.state.canvas.ids[at : at + len(names)].tolist()
        self.renamed |= dict(zip(names, fresh, strict=True))

    def _gap(self, before: Canvas, at: int) -> int:
        """Where cell `at` of another canvas would be inserted: behind the nearest cell to its left that is there."""
        left = self._where(_names(before, range(at))[::-1])
        return left[0] + 1 if left else 0

    def _where(self, names: Sequence[int]) -> list[int]:
        """The places of cells with these ids, in the order of the ids, as far as they are there."""
        wanted = [self.renamed.get(name, name) for name in names]
        place = dict(zip(self.state.canvas.ids.tolist(), np.arange(len(self.state.canvas)).tolist(), strict=True))
        return [place[name] for name in wanted if name in place]

    def _there(self, names: Sequence[int]) -> list[int]:
        return sorted(self._where(names))
