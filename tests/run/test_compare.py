"""Two branches are compared by cell and by pass, and what differs is an effect of the edits between them."""

import numpy as np

from tests.support import begin
from unmask.inference.decode import nodes
from unmask.models.toy import Toy
from unmask.run.alignment import align
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
    places = align(one.canvas.tokens.tolist(), two.canvas.tokens.tolist())
    differ = {cell for cell, place in enumerate(places) if place < 0}
    assert {*found.changed, *found.only_second} == differ and open_cell in differ
    for name, since in found.changed.items():
        tokens = [two.ancestor(min(two.at, 3 + passes)).canvas.tokens[name] for passes in range(5)]
        assert {*tokens[since:]} == {two.canvas.tokens[name]} and (not since or tokens[since - 1] != tokens[since])


def test_a_longer_word_changes_itself_and_not_what_it_moved() -> None:
    """*jar* → *bicycle*, of three tokens: 59 cells differed, for the words after it had only moved."""
    timeline = grown(new_timeline(TOY.card, begin(cells=12, passes=6)))
    tokens = timeline.head.canvas.tokens[5:].tolist()
    longer = [*tokens[:2], 40, 41, 42, *tokens[3:-2]]
    timeline = forked(timeline, 1, Pin(tuple(range(5, 17)), tuple(longer)))
    found = compare_branches(timeline.heads["1"], timeline.heads["2"])
    assert list(found.changed) == [7] and found.only_second == [8, 9] and found.only_first == [15, 16]
    ended = compare_branches(timeline.heads["1"], timeline.heads["2"], ends=[longer[-1]])
    assert ended.only_second == [8, 9]


def test_without_an_edit_two_branches_are_the_same() -> None:
    timeline = grown(new_timeline(TOY.card, begin(cells=12, passes=6, temperature=1.0)))
    timeline = grown(timeline.fork(2))
    found = compare_branches(timeline.heads["1"], timeline.heads["2"])
    assert found.changed == {} and found.only_first == found.only_second == [] and found.edits == ([], [])
