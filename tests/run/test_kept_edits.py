"""A change at an earlier moment keeps what a person changed after it; each of the changes can be taken back alone."""

from collections.abc import Sequence

import pytest

from tests.support import begin
from unmask.errors import InvalidRequest
from unmask.inference.decode import nodes
from unmask.models.toy import Toy
from unmask.run.command import Ban, Boost, Edit, Erase, Pin, Release, Stretch, Tune
from unmask.run.edit import Steering
from unmask.run.kept_edits import edits_again, reverted
from unmask.run.timeline import Node, Timeline, new_timeline

TOY = Toy(seed=6)
STEERING = Steering(TOY.card, TOY.tokenizer)


def grown(timeline: Timeline, passes: int = 99) -> Timeline:
    for node, _ in zip(nodes(TOY, timeline.head), range(passes), strict=False):
        timeline = timeline.append(node)
    return timeline


def edited(timeline: Timeline, *edits: Edit) -> Timeline:
    for edit in edits:
        edit = STEERING.resolved(timeline.head.state, edit)
        timeline = timeline.append(timeline.head.child(STEERING.after(timeline.head.state, (edit,)), edit=edit))
    return timeline


def changed(timeline: Timeline, at: int, *new: Edit) -> Timeline:
    """What a message with `keep` does: a branch from an earlier moment, written to its end."""
    edits = edits_again(STEERING, timeline.head, timeline.head.ancestor(at), new)
    return grown(edited(timeline.fork(at), *edits))


def without(timeline: Timeline, at: int) -> Timeline:
    name, base, edits = reverted(STEERING, timeline, at)
    return timeline.switch(name) if name else grown(edited(timeline.fork(base.at), *edits))


@pytest.fixture
def timeline() -> Timeline:
    return grown(new_timeline(TOY.card, begin(cells=12, passes=6)))


def standing(timeline: Timeline, cells: Sequence[int]) -> list[int]:
    return timeline.head.canvas.tokens[list(cells)].tolist()


def edit_moments(head: Node) -> list[int]:
    return [node.at for node in head.path() if node.edit is not None]


def test_a_second_change_at_an_earlier_look_keeps_the_first(timeline: Timeline) -> None:
    """*pink* → *blue*, then *Toby* → *Grandma*: pink was back, since the new branch began before blue was set."""
    timeline = changed(timeline, 4, Pin((9,), (7,)))
    timeline = changed(timeline, 1, Pin((6,), (8,)))
    assert standing(timeline, (6, 9)) == [8, 7]
    assert [node.edit for node in timeline.head.path() if node.edit] == [Pin((9,), (7,)), Pin((6,), (8,))]


def test_the_same_word_changed_again_is_replaced_whole(timeline: Timeline) -> None:
    timeline = changed(timeline, 2, Pin((9, 10), (7, 8)))
    timeline = changed(timeline, 1, Pin((9,), (5,)))
    assert standing(timeline, (9,)) == [5] and not timeline.head.canvas.pinned[10]


def test_three_changes_are_taken_back_in_another_order(timeline: Timeline) -> None:
    first = timeline.head.canvas.tokens.tolist()
    for at, cell in ((4, 9), (1, 6), (3, 12)):
        timeline = changed(timeline, at, Pin((cell,), (7,)))
    assert standing(timeline, (6, 9, 12)) == [7, 7, 7]
    for cells in ((6, 12), (12,), ()):  # 9, then 6, then 12
        gone = next(n.at for n in timeline.head.path() if isinstance(n.edit, Pin) and n.edit.cells[0] not in cells)
        timeline = without(timeline, gone)
        pinned = timeline.head.canvas.pinned.nonzero()[0].tolist()
        assert pinned == [*cells]
    assert timeline.on == "1" and timeline.head.canvas.tokens.tolist() == first


def test_the_last_change_taken_back_is_the_run_before_it_not_another_one(timeline: Timeline) -> None:
    """Taken back by itself or by undo, it is the same text: blue stays set at the look at which it was set first."""
    before = changed(timeline, 4, Pin((9,), (7,)))
    after = changed(before, 1, Pin((6,), (8,)))
    last = edit_moments(after.head)[-1]
    assert without(after, last).head is before.head


def test_what_was_erased_does_not_come_back_where_it_was_not_written_yet(timeline: Timeline) -> None:
    cell = timeline.head.path()[-1].frame.cells.tolist()[0]  # type: ignore[union-attr]
    [token] = standing(timeline, (cell,))
    timeline = grown(edited(timeline, Erase((cell,), differently=True)))
    assert standing(timeline, (cell,)) != [token]
    timeline = changed(timeline, 1, Pin((6,), (8,)))
    assert (
        standing(timeline, (cell,)) != [token] and (timeline.head.canvas.ids[cell], token) in timeline.head.state.avoid
    )


def test_an_erased_or_released_word_is_not_set_again(timeline: Timeline) -> None:
    timeline = edited(timeline, Pin((9, 10), (7, 8)), Erase((9,)), Release((10,)))
    timeline = changed(grown(timeline), 1, Pin((6,), (8,)))
    assert timeline.head.canvas.pinned.nonzero()[0].tolist() == [6]


def test_a_word_that_was_erased_and_is_set_now_is_one_change(timeline: Timeline) -> None:
    timeline = grown(edited(timeline, Erase((9,), differently=True)))
    timeline = changed(timeline, 1, Pin((9,), (7,)))
    assert [node.edit for node in timeline.head.path() if node.edit] == [Pin((9,), (7,))]


def test_a_longer_word_has_cells_of_its_own_and_a_shorter_one_leaves_none(timeline: Timeline) -> None:
    """A word of three tokens was written over the two words after it, at every look that it was set again."""
    state = timeline.head.state
    longer = STEERING.after(state, (Pin((8, 9, 10), (40, 41, 42), 2),)).canvas
    assert longer.tokens.tolist() == [*state.canvas.tokens[:8], 40, 41, 42, *state.canvas.tokens[9:]]
    shorter = STEERING.after(state, (Pin((8,), (40,), -2),)).canvas
    assert shorter.tokens.tolist() == [*state.canvas.tokens[:8], 40, *state.canvas.tokens[11:]]
    timeline = changed(timeline, 4, Pin((8, 9, 10), (40, 41, 42), 2))
    timeline = changed(timeline, 1, Pin((12,), (7,)))
    assert len(timeline.head.canvas) == 19 and standing(timeline, (8, 9, 10, 14)) == [40, 41, 42, 7]
    assert [node.edit for node in timeline.head.path() if node.edit] == [
        Pin((8, 9, 10), (40, 41, 42), 2),
        Pin((14,), (7,)),
    ]
    timeline = without(timeline, edit_moments(timeline.head)[0])
    assert len(timeline.head.canvas) == 17 and standing(timeline, (12,)) == [7]
    timeline = changed(changed(timeline, 1, Pin((8, 9, 10), (40, 41, 42), 2)), 1, Pin((8,), (5,)))
    assert len(timeline.head.canvas) == 17 and standing(timeline, (8,)) == [5]  # the longer word is replaced whole


def test_inserted_cells_are_inserted_again_with_the_word_in_them(timeline: Timeline) -> None:
    timeline = edited(timeline, Stretch(8, 2), Pin((8, 12), (7, 9)))
    timeline = changed(timeline, 1, Pin((7,), (3,)), Pin((8,), (4,)))
    assert len(timeline.head.canvas) == 19 and standing(timeline, (7, 8, 10, 12)) == [3, 7, 4, 9]


def test_removed_cells_are_removed_again(timeline: Timeline) -> None:
    timeline = edited(timeline, Stretch(8, -2))
    timeline = changed(timeline, 1, Pin((10,), (4,)))
    assert len(timeline.head.canvas) == 15 and standing(timeline, (8,)) == [4]
    timeline = changed(timeline.switch("1"), 1, Pin((8,), (4,)))  # one of them is wanted again
    assert len(timeline.head.canvas) == 16 and standing(timeline, (8,)) == [4]


def test_bans_boosts_and_settings_hold_from_there(timeline: Timeline) -> None:
    timeline = edited(timeline, Ban(7), Boost(4, 2.0), Tune({"temperature": 0.5}))
    timeline = changed(timeline, 1, Pin((6,), (8,)))
    settings = timeline.head.settings
    assert settings.bans == (7,) and dict(settings.boosts) == {4: 2.0} and settings.temperature == 0.5
    with pytest.raises(InvalidRequest, match="lift the ban first"):
        changed(timeline, 1, Pin((9,), (7,)))


def test_only_a_persons_edit_can_be_taken_back(timeline: Timeline) -> None:
    for at in (0, 1):
        with pytest.raises(InvalidRequest, match="no edit of a person"):
            reverted(STEERING, timeline, at)
