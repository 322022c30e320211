"""Two branches are compared by cell and by pass, and what differs is the cone of the edits between them."""

import numpy as np

from tests.support import begin
from unmask.inference.decode import nodes
from unmask.models.toy import Toy
from unmask.run.command import Pin
from unmask.run.compare import compare_branches, list_branches
from unmask.run.edit import apply
from unmask.run.timeline import Timeline, new_timeline

TOY = Toy(seed=6)


def grown(timeline: Timeline, passes: int = 99) -> Timeline:
    for node, _ in zip(nodes(TOY, timeline.head), range(passes), strict=False):
        timeline = timeline.append(node)
    return timeline


def forked(timeline: Timeline, at: int, edit: Pin) -> Timeline:
    timeline = timeline.fork(at)
    head = timeline.head
    return timeline.append(head.child(apply(head.state, edit, TOY.card.words), edit=edit))


def test_the_tree_says_where_each_branch_begins() -> None:
    timeline = grown(new_timeline(TOY.card, begin(cells=12, passes=6)))
    timeline = grown(forked(timeline, 3, Pin((9,), (7,))))
    timeline = timeline.switch("2").fork(2)  # before branch 2 began: it goes on from what both share
    rows = [(b.name, b.left, b.since) for b in list_branches(timeline)]
    assert rows == [("1", "", 0), ("2", "1", 3), ("3", "1", 2)]
    assert [b.end for b in list_branches(timeline)] == [6, timeline.heads["2"].at, 2]


def test_what_differs_is_counted_from_the_pass_at_which_it_began() -> None:
    timeline = grown(new_timeline(TOY.card, begin(cells=12, passes=6)))
    open_cell = int(np.flatnonzero(timeline.head.ancestor(2).canvas.open)[-1])
    timeline = grown(forked(timeline, 2, Pin((open_cell,), (7,))))
    one, two = timeline.heads["1"], timeline.heads["2"]
    found = compare_branches(one, two)
    assert found.since == 2 and found.edits[0] == []
    assert found.edits[1] == [{"at": 3, "passes": 0, "do": "pin", "cells": [open_cell], "tokens": [7]}]
    differ = {int(c) for c in np.flatnonzero(one.canvas.tokens != two.canvas.tokens)}
    assert set(found.changed) == differ and found.changed[open_cell] == 0
    for name, since in found.changed.items():
        for passes in range(since, 5):  # from then on for good
            a, b = one.ancestor(min(one.at, 2 + passes)).canvas, two.ancestor(min(two.at, 3 + passes)).canvas
            assert (a.open[name], a.tokens[name]) != (b.open[name], b.tokens[name])
        if since:
            a, b = one.ancestor(2 + since - 1).canvas, two.ancestor(3 + since - 1).canvas
            assert (a.open[name] and b.open[name]) or a.tokens[name] == b.tokens[name]


def test_without_an_edit_two_branches_are_the_same() -> None:
    timeline = grown(new_timeline(TOY.card, begin(cells=12, passes=6, temperature=1.0)))
    timeline = grown(timeline.fork(2))
    found = compare_branches(timeline.heads["1"], timeline.heads["2"])
    assert found.changed == {} and found.only_first == found.only_second == [] and found.edits == ([], [])
