"""A run is steered while it is written: edits, undo, branches; what cannot be done is refused and harms nothing."""

import threading
from typing import Any

import pytest

from tests.live.stage import TOY, Stage, do, idle, together
from tests.live.test_passes import Gated
from tests.support import begin, ending
from tests.until import until
from unmask.decide.constraint import CompiledConstraint
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.inference.decode import recompute
from unmask.run.command import (
    Ban,
    Boost,
    Command,
    Drop,
    Erase,
    Fork,
    Pause,
    Peek,
    Pin,
    Play,
    Redo,
    Release,
    Rename,
    Revert,
    Seek,
    Step,
    Stretch,
    Switch,
    Tune,
    Undo,
)
from unmask.run.event import (
    Branched,
    Edited,
    Moved,
    Peeked,
    Refusal,
    Snapshot,
    Stepped,
)


async def test_edits_land_between_passes_and_steps_are_counted(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Step(2))
    assert session.end == 2
    await do(session, Pin((6, 7), (1, 2)), Boost(4, 1.0), Step(1))
    assert [type(e).__name__ for e in stage.events[session.id] if isinstance(e, Stepped | Edited)] == [
        *["Stepped"] * 2, *["Edited"] * 2, "Stepped"]  # fmt: skip
    await do(session, Play())
    assert session.state.canvas.tokens[[6, 7]].tolist() == [1, 2]


async def test_a_dragged_slider_does_not_stop_the_run(stage: Stage) -> None:
    """Two tunes in each thought: a pass is thought twice at the most, and the last tune holds."""
    toy = Gated(seed=6)
    session = stage.open(begin("threshold", cells=24, options={"tau": 1.0}), toy)
    session.send(Play())
    sent = 0
    while sent < 2000:
        await until(lambda: toy.began.acquire(blocking=False) or session.state.done)
        if session.state.done:
            break
        for _ in range(2):
            session.send(Tune({"options": {"tau": 1.0 - (sent % 7) / 1000}}))
            sent += 1
        toy.gate.release()
    await idle(session)
    passes = len(stage.of(session, Stepped))
    assert passes >= 20 and sent > passes
    assert len(toy.model_inputs) <= 2 * passes
    assert session.state.settings.options["tau"] == pytest.approx(1.0 - ((sent - 1) % 7) / 1000)
    again = recompute(session.timeline, lambda s: infer(TOY, [s], [True])[0])
    assert all(a.canvas.same(b.canvas) for a, b in zip(session.head.path(), again.head.path(), strict=True))


async def test_tunes_that_wait_together_count_once(stage: Stage) -> None:
    session = stage.open(begin("threshold"))
    await together(session, *(Tune({"options": {"tau": 0.5 + i / 100}}) for i in range(30)), Tune({"temperature": 0.5}))
    (edited,) = stage.of(session, Edited)
    assert edited.edit["changes"] == {"options": {"tau": 0.79}, "temperature": 0.5}


async def test_the_mailbox_is_bounded(stage: Stage) -> None:
    session = stage.open(begin())
    with pytest.raises(InvalidRequest, match="too many commands"):
        for _ in range(2000):
            session.send(Pause())


async def test_a_refusal_harms_nothing(stage: Stage) -> None:
    session = stage.open(begin())
    session.send(Pin((0,), (1,)), ref=7)
    await do(session, Undo(), Seek(9), Step(0), Peek(99), Fork(5), release_all(), Play())
    events = [(e.do, e.ref) for e in stage.of(session, Refusal)]
    assert events == [
        ("pin", 7),
        ("undo", None),
        ("seek", None),
        ("step", None),
        ("peek", None),
        ("fork", None),
        ("release", None),
    ]
    assert session.state.done
    await do(session, Play())
    assert "nothing is open any more" in stage.of(session, Refusal)[-1].why


def release_all() -> Command:
    return Release((6, 7))


async def test_undo_drops_an_edit_or_forks_before_it(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Step(2), Erase((5,)), Pin((6,), (1,)), Undo())
    assert session.end == 3 and not session.state.canvas.pinned.any()
    assert isinstance(stage.events[session.id][-1], Snapshot)
    await do(session, Step(2))
    kept = session.head
    await do(session, Undo())
    (branched,) = stage.of(session, Branched)
    assert (branched.head, branched.left, branched.at) == ("2", "1", 2) and branched.heads == {"1": 5, "2": 2}
    assert session.end == 2 and session.head is kept.ancestor(2) and session.timeline.heads["1"] is kept


async def test_an_exact_undo_brings_back_the_run_with_its_branches(stage: Stage) -> None:
    session = stage.open(begin())
    back = Undo(exact=True)
    await do(session, Step(2), Erase((5,)), Pin((6,), (1,)), back)
    assert session.end == 3 and not session.state.canvas.pinned.any()
    await do(session, Step(2))
    kept = session.timeline
    await do(session, back)  # the passes that followed go with the edit
    assert session.timeline.on == "1" and session.end == 2
    await do(session, Redo())
    assert session.timeline is kept
    await do(session, Fork(1), Step(1), back)
    assert list(session.timeline.heads) == ["1"] and session.timeline is kept
    moved = stage.events[session.id][-1]
    assert isinstance(moved, Moved) and (moved.at, moved.length) == (5, 6)


async def test_a_branch_leaves_the_one_it_came_from_untouched(stage: Stage) -> None:
    session = stage.open(begin("replan", temperature=1.0))
    await do(session, Step(4))
    kept = session.head
    session.send(Pin((8,), (3,)), at=2)  # an edit of the past begins a branch
    await until(lambda: stage.of(session, Edited))
    await do(session, Play())
    assert session.timeline.on == "2" and session.head.ancestor(3).edit == Pin((8,), (3,))
    assert session.state.done and session.state.canvas.tokens[8] == 3
    assert session.timeline.heads["1"] is kept
    await do(session, Switch("1"), Play())
    assert session.state.canvas.tokens.tolist() == ending(TOY, begin("replan", temperature=1.0))


async def test_branches_are_named_and_dropped(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Step(2), Fork(1, "red"), Rename("1", "first"), Switch("first"), Drop("red"), Drop("first"))
    assert list(session.timeline.heads) == ["first"]
    assert [e.heads for e in stage.of(session, Branched)] == [
        {"1": 2, "red": 1},
        {"first": 2, "red": 1},
        {"first": 2, "red": 1},
        {"first": 2},
    ]
    assert "is being written" in stage.of(session, Refusal)[0].why


async def test_there_are_only_so_many_branches(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Step(1), *(Fork(0) for _ in range(64)))
    assert "at most 64 branches" in stage.of(session, Refusal)[-1].why


async def test_a_branch_of_a_playing_run_plays_on_at_its_pace(stage: Stage) -> None:
    session = stage.open(begin(cells=24, passes=24))
    session.send(Play(pace=0.02))
    await until(lambda: session.end >= 3)
    session.send(Pin((8,), (3,)), at=1)
    await until(lambda: stage.of(session, Branched))
    assert session.playing and session._pace.least == 0.02
    await until(lambda: session.state.done)
    assert session.timeline.heads["1"].state.canvas.open.any()


async def test_changes_that_cannot_be_applied_end_nothing(stage: Stage) -> None:
    """Twenty quick changes of options that were no options once raised an error that ended the run in silence."""
    session = stage.open(begin("threshold"))
    bad: list[Any] = [5, "ab", None, [1]]
    for i in range(20):
        session.send(Tune({"options": bad[i % 4]}))
        session.send(Tune({"options": {"tau": 0.7}}))
    await idle(session)
    for one in bad:
        await do(session, Tune({"options": one}))
    assert len(stage.of(session, Refusal)) == len(bad)
    await do(session, Play())
    assert session.state.done


async def test_another_decoder_in_a_run_is_recorded_as_what_it_means(stage: Stage) -> None:
    session = stage.open(begin("threshold"))
    await do(session, Step(1), Tune(preset="llada2"), Play())
    (edited,) = stage.of(session, Edited)
    assert edited.edit["preset"] == "" and edited.edit["changes"]["passes_for"] == "block"
    assert session.head.settings.policy == "block_threshold"


async def test_a_refused_fork_leaves_the_parent_playing(stage: Stage) -> None:
    session = stage.open(begin(cells=24, passes=24))
    session.send(Play(pace=0.01))
    await until(lambda: session.end >= 2)
    session.send(Stretch(5, 5000), at=1)
    await until(lambda: stage.of(session, Refusal))
    assert "sees at most 4096 cells" in stage.of(session, Refusal)[0].why
    await until(lambda: session.state.done)
    assert not stage.of(session, Branched)


async def test_seek_stands_anywhere_and_play_goes_on_from_the_newest(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Step(3), Seek(1))
    assert stage.of(session, Moved)[-1] == Moved(1, False, 4)
    await do(session, Step(1))
    assert session.end == 4


async def test_peek_at_any_cell_and_pass(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Play(), *(Peek(c, at) for c in (5, 12, 20) for at in (0, 1, 5, -1)))
    peeked = stage.of(session, Peeked)
    assert [(e.cell, e.at) for e in peeked] == [(c, at) for c in (5, 12, 20) for at in (0, 1, 5, 8)]
    for event in peeked:
        assert len(event.about["candidates"]) == (5 if event.at else 0)
        assert len(event.about["guesses"]) == event.at
        shares = event.about["shares"]  # of each pass, in the order of the candidates
        assert [at for at, *_ in shares] == [at for at, *_ in event.about["guesses"]]
        assert not shares or shares[-1][1:] == [share for _, _, share in event.about["candidates"]]
    assert peeked[-1].about["wrote"]["why"]


async def test_peek_at_another_branch_than_the_present_one(stage: Stage) -> None:
    """A raced branch had no candidates in the inspector: only the branch that is written could be asked about."""
    session = stage.open(begin())
    await do(session, Play(), Peek(8, 6), Fork(2), Pin((8,), (3,)), Peek(8, 3), Peek(8, 6, "1"), Peek(8, -1, "1"))
    before, pinned, kept, last = stage.of(session, Peeked)
    assert (before.head, pinned.head, kept.head, last.head) == ("", "", "1", "1")
    assert kept.about == before.about != pinned.about and last.at == 8
    await do(session, Peek(8, 0, "7"))
    assert "there is no branch '7'" in stage.of(session, Refusal)[-1].why


async def test_a_command_that_cannot_be_done_is_refused_and_the_session_lives(stage: Stage) -> None:
    """Quick `tune`s with options that are none once raised TypeError while they were merged: silence for ever."""
    session = stage.open(begin(cells=8, passes=4))
    for options in (5, "ab", None, [1], {"a": 1}):
        for _ in range(4):
            session.send(Tune({"options": options}))
        session.send(Tune({"options": {}}))
    await until(lambda: stage.of(session, Refusal))
    session.send(Play())
    await until(lambda: session.state.done)


async def test_a_constraint_is_prepared_beside_the_loop_and_not_in_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tuning a run to a large schema once stopped everybody's runs for as long as its automaton took."""
    threads: list[int] = []
    prepare = CompiledConstraint.compile

    def watched(*given: Any) -> CompiledConstraint:
        threads.append(threading.get_ident())
        return prepare(*given)

    monkeypatch.setattr(CompiledConstraint, "compile", watched)
    session = stage.open(begin("random", cells=12))
    rule = {"kind": "avoids", "text": "7 1"}
    for command in (Tune({"constraint": rule}), Ban(9), Tune({"temperature": 0.5})):
        session.send(command)
    await until(lambda: len(stage.of(session, Edited)) == 3)
    assert session.state.settings.constraint == rule and session.state.settings.bans == (9,)
    assert len(threads) == 2 and threading.get_ident() not in threads  # for the rule, and for the words left
    session.send(Tune({"constraint": {"kind": "regex", "pattern": "( |1|2)*1( |1|2){12}"}}))
    await until(lambda: bool(stage.of(session, Refusal)))
    assert session.state.settings.constraint == rule


async def test_a_change_keeps_the_later_ones_and_each_is_taken_back_alone(stage: Stage) -> None:
    """One request each, so that one undo takes back one change; the answer is the event of the new word."""
    session = stage.open(begin())
    await do(session, Play())
    first = session.state.canvas.tokens.tolist()
    session.send(Pin((9,), (7,)), 1, 4, keep=True)
    await do(session, Play())
    session.send(Pin((6,), (8,)), 2, 1, keep=True)
    await do(session, Play())
    assert session.state.canvas.tokens[[6, 9]].tolist() == [8, 7]
    answers = [e for e in stage.events[session.id] if isinstance(e, Edited) and e.ref == 2]
    assert [e.edit["cells"] for e in answers] == [[6]]
    both = session.timeline
    await do(session, Revert(2))  # the first of them
    assert session.timeline.on == "4" and not session.state.canvas.pinned[9]
    await do(session, Undo(exact=True))
    assert session.timeline is both
    await do(session, Undo(exact=True), Undo(exact=True))
    assert session.state.canvas.tokens.tolist() == first
