"""A timeline is a value: branches share what they share, and nothing that was left behind ever changes."""

import pytest

from tests.support import begin
from unmask.errors import InvalidRequest
from unmask.inference.decode import nodes
from unmask.models.toy import Toy
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.timeline import Timeline, new_timeline

TOY = Toy(seed=5)


def run(passes: int = 4) -> Timeline:
    timeline = new_timeline(TOY.card, begin(), "a prompt")
    for node, _ in zip(nodes(TOY, timeline.head), range(passes), strict=False):
        timeline = timeline.append(node)
    return timeline


def pinned(timeline: Timeline, cell: int, token: int) -> Timeline:
    edit = Pin((cell,), (token,))
    return timeline.append(timeline.head.child(apply(timeline.head.state, edit, 50), edit=edit))


def test_moments_are_counted_from_the_beginning() -> None:
    head = run().head
    assert [node.at for node in head.path()] == [0, 1, 2, 3, 4]
    assert [node.at for node in head.path(after=2)] == [3, 4]
    assert head.ancestor(2) is head.path()[2]
    with pytest.raises(InvalidRequest, match="there is no moment 9: the timeline goes from 0 to 4"):
        head.ancestor(9)


def test_a_fork_is_a_new_head_of_the_same_timeline() -> None:
    timeline = run()
    forked = timeline.fork(2)
    assert (timeline.on, forked.on, list(timeline.heads)) == ("1", "2", ["1"])
    assert forked.heads["1"] is timeline.head and forked.head is timeline.head.ancestor(2)
    longer = pinned(forked, 8, 3)
    assert longer.heads["1"] is timeline.head and longer.head.common_ancestor(timeline.head).at == 2
    assert forked.fork(1).on == "3"


def test_branches_are_named_gone_to_and_dropped() -> None:
    timeline = run().fork(2, "what if").switch("1").rename_head("what if", "red")
    assert list(timeline.heads) == ["1", "red"] and timeline.on == "1"
    assert list(timeline.drop("red").heads) == ["1"]
    with pytest.raises(InvalidRequest, match="is being written"):
        timeline.drop("1")
    with pytest.raises(InvalidRequest, match="there is no branch 'blue'; there are 1, red"):
        timeline.switch("blue")
    with pytest.raises(InvalidRequest, match="there is a branch 'red' already"):
        timeline.fork(0, "red")
    with pytest.raises(InvalidRequest, match="1 to 40 letters"):
        timeline.rename_head("red", " ")


def test_every_moment_is_met_once_and_after_the_one_it_follows() -> None:
    timeline = pinned(pinned(run().fork(2), 8, 3).fork(1), 9, 4)
    met: set[int] = set()
    for node in timeline.nodes():
        assert id(node) not in met and (node.parent is None or id(node.parent) in met)
        met.add(id(node))
    assert len(met) == 5 + 1 + 1


def test_a_moment_keeps_nothing_that_only_the_newest_needs() -> None:
    from dataclasses import replace

    head = run().head
    assert head.child(replace(head.state, carry=object())).state.carry is None
