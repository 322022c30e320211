"""A session: steered while it runs, rewound, forked, watched; and nobody else feels what happens to it."""

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from dllm.canvas import Canvas, Refused, blank
from dllm.decide import Choice, named, names
from dllm.decide.constraint import Legal
from dllm.live.audience import Note
from dllm.live.device import Device
from dllm.live.session import Session
from dllm.models import Thought
from dllm.models.toy import Toy
from dllm.run import packed
from dllm.run.command import (
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
    Release,
    Rename,
    Seek,
    Step,
    Stretch,
    Switch,
    Tune,
    Undo,
)
from dllm.run.event import (
    Branched,
    Done,
    Edited,
    Event,
    Moved,
    Opened,
    Peeked,
    Refusal,
    Settled,
    Snapshot,
    Stepped,
    Waiting,
)
from dllm.run.settings import Settings
from dllm.run.state import State, start
from dllm.run.timeline import begun
from dllm.serve.sessions import Sessions
from dllm.think import think
from dllm.think.decode import relived
from tests.live.test_device import Slow
from tests.support import PROMPT, begin, ending

TOY = Toy(seed=6)


class Stage:
    """A device, a table of sessions, and everything that each session told."""

    def __init__(self) -> None:
        self.device, self.table = Device(), Sessions()
        self.events: dict[str, list[Event]] = {}

    def open(self, state: State, toy: Toy = TOY, **more: Any) -> Session:
        session = self.table.open(toy, self.device, begun(toy.card, state), **more)
        self.events[session.id] = [note.event for note in session.notes]
        publish = session.publish
        session.publish = lambda e: (self.events[session.id].append(e), publish(e))[1]  # type: ignore[method-assign]
        return session

    def of(self, session: Session, kind: type[Any]) -> list[Any]:
        return [e for e in self.events[session.id] if isinstance(e, kind)]


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await asyncio.wait_for(stage.table.shut(), 5)
    await asyncio.to_thread(stage.device.close)


async def until(what: Any, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited too long"
        await asyncio.sleep(0.002)


async def idle(session: Session) -> None:
    """Until its mailbox is read and it plays no more."""
    await until(lambda: not session._mailbox and not session.playing)


async def do(session: Session, *commands: Command) -> None:
    for one in commands:
        session.send(one)
        await idle(session)


async def together(session: Session, *commands: Command) -> None:
    for one in commands:
        session.send(one)
    await idle(session)


async def test_a_run_tells_what_it_does(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Play())
    events = stage.events[session.id]
    assert isinstance(events[0], Opened) and isinstance(events[1], Moved) and isinstance(events[-1], Done)
    assert [e.frame.step for e in stage.of(session, Stepped)] == list(range(8))
    assert session.state.canvas.tokens.tolist() == ending(TOY, begin())
    assert stage.of(session, Settled)[-1].cells == 21
    measures = stage.of(session, Done)[0].measures
    assert measures["passes"] == measures["forwards"] == 8 and measures["tokens"] == 16 and not measures["shared"]
    clocks = [e.clock for e in stage.of(session, Stepped)]
    assert clocks == sorted(clocks) and clocks[-1] == pytest.approx(sum(e.thinking for e in stage.of(session, Stepped)))


async def test_sixteen_at_once_end_in_their_solo_tokens(stage: Stage) -> None:
    some = [n for n in names() if n != "uniform"]
    states = [
        begin(
            some[i % len(some)], cells=8 + 3 * (i % 5), seed=i, temperature=0.5 * (i % 3), block=(0, 4)[i % 2], passes=6
        )
        for i in range(16)
    ]
    sessions = [stage.open(s, watched=i % 2 == 0) for i, s in enumerate(states)]
    for session in sessions:
        session.send(Play())
    await until(lambda: all(s.state.done and not s.playing for s in sessions), 30)
    assert [s.state.canvas.tokens.tolist() for s in sessions] == [ending(TOY, s) for s in states]


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
    """200 tunes a second while passes take 10 ms: each pass is thought twice at the most, and the last one holds."""
    toy = Slow(0.01, seed=6)
    session = stage.open(begin("threshold", cells=24, options={"tau": 1.0}), toy)
    session.send(Play())
    sent = 0
    while not session.state.done:
        session.send(Tune({"options": {"tau": 1.0 - (sent % 7) / 1000}}))
        sent += 1
        await asyncio.sleep(0.005)
        assert sent < 2000
    await idle(session)
    passes = len(stage.of(session, Stepped))
    assert passes >= 20 and sent > passes
    assert len(toy.batches) <= 2 * passes
    assert session.state.settings.options["tau"] == pytest.approx(1.0 - ((sent - 1) % 7) / 1000)
    again = relived(session.timeline, lambda s: think(TOY, [s], [True])[0])
    assert all(a.canvas.same(b.canvas) for a, b in zip(session.head.path(), again.head.path(), strict=True))


async def test_tunes_that_wait_together_count_once(stage: Stage) -> None:
    session = stage.open(begin("threshold"))
    await together(session, *(Tune({"options": {"tau": 0.5 + i / 100}}) for i in range(30)), Tune({"temperature": 0.5}))
    (edited,) = stage.of(session, Edited)
    assert edited.edit["changes"] == {"options": {"tau": 0.79}, "temperature": 0.5}


async def test_the_mailbox_is_bounded(stage: Stage) -> None:
    session = stage.open(begin())
    with pytest.raises(Refused, match="too many commands"):
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
    assert session.end == 2 and session.head is kept.back(2) and session.timeline.heads["1"] is kept


async def test_a_branch_leaves_the_one_it_came_from_untouched(stage: Stage) -> None:
    session = stage.open(begin("replan", temperature=1.0))
    await do(session, Step(4))
    kept = session.head
    session.send(Pin((8,), (3,)), at=2)  # an edit of the past begins a branch
    await until(lambda: stage.of(session, Edited))
    await do(session, Play())
    assert session.timeline.on == "2" and session.head.back(3).edit == Pin((8,), (3,))
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
    assert session.playing and session._pace == 0.02
    await until(lambda: session.state.done)
    assert session.timeline.heads["1"].state.canvas.open.any()


async def test_who_comes_late_is_told_how_it_came_to_be(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Step(2), Pin((8,), (3,)), Step(1), Erase((8,)), Play())
    replayed: Canvas | None = None
    for event in session.history():
        match event:
            case Opened(canvas=canvas) | Edited(canvas=canvas):
                replayed = canvas
            case Stepped(frame=frame):
                assert replayed is not None
                replayed = packed.replayed(replayed, frame)
    assert replayed is not None and replayed.same(session.state.canvas)


async def test_a_session_is_rebuilt_from_its_timeline(stage: Stage) -> None:
    session = stage.open(begin(temperature=1.0))
    await do(session, Step(2), Pin((8,), (3,)), Step(1), Fork(1), Step(2))
    again = relived(session.timeline, lambda s: think(TOY, [s], [True])[0])
    other = Sessions().open(TOY, stage.device, again)
    await do(session, Play())
    await do(other, Play())
    assert other.state.canvas.same(session.state.canvas)
    other.close()


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
    assert peeked[-1].about["wrote"]["why"]


async def test_pause_lets_the_pass_in_flight_be_the_last(stage: Stage) -> None:
    session = stage.open(begin(), Slow(0.03))
    session.send(Play())
    await asyncio.sleep(0.01)
    await do(session, Pause())
    assert session.end == 1 and not session.state.done


async def test_a_pace_holds_whatever_is_asked_meanwhile(stage: Stage) -> None:
    """Mail once cut each rest short, so a dragged slider made a slow run race."""
    session = stage.open(begin(cells=24, passes=24))
    session.send(Play(pace=0.1))
    began = time.monotonic()
    while (spent := time.monotonic() - began) < 0.35:
        session.send(Boost(3, spent))
        await asyncio.sleep(0.01)
    assert 3 <= len(stage.of(session, Stepped)) <= 4
    assert len(stage.of(session, Edited)) > 10  # each is done at once, not after the rest
    session.send(Play())  # a new pace counts at once
    await until(lambda: session.state.done, 2)


async def test_slow_stretches_each_pass(stage: Stage) -> None:
    session = stage.open(begin(passes=4), Slow(0.01))
    began = time.monotonic()
    await do(session, Play(slow=4))
    assert time.monotonic() - began > 0.11


async def test_a_pin_that_fills_the_last_cell_ends_the_run(stage: Stage) -> None:
    """A run whose last cell a person filled once played on for ever, and never told that it was done."""
    session = stage.open(begin(cells=2, passes=2), Slow(0.03))
    session.send(Play())
    await asyncio.sleep(0.005)
    session.send(Pin((5, 6), (1, 2)))
    await until(lambda: stage.of(session, Done), 2)
    assert not session.playing and not stage.of(session, Done)[0].failed
    assert stage.of(session, Done)[0].measures["pinned"] == 2


async def test_who_waits_for_a_turn_is_told_sleeps_and_may_leave(stage: Stage) -> None:
    """Mail long read once kept a waiting session spinning; and who waits must be heard before the turn comes."""
    crawling = Slow(1.5)
    busy = stage.open(begin(cells=16, passes=16), crawling)
    busy.send(Play())
    await until(lambda: crawling.batches)
    waiting = [stage.open(begin(cells=8 + i, passes=2)) for i in range(2)]
    for session in waiting:
        session.send(Play())
    await until(lambda: all(stage.of(s, Waiting) for s in waiting), 5)
    assert sorted(stage.of(s, Waiting)[0].place for s in waiting) == [1, 2]
    calls = 0
    real = waiting[0]._handle_all

    async def counted() -> None:
        nonlocal calls
        calls += 1
        await real()

    waiting[0]._handle_all = counted  # type: ignore[method-assign]
    await asyncio.sleep(0.1)
    assert calls <= 2
    await do(waiting[0], Pause())
    assert stage.of(waiting[0], Moved)[-1].playing is False and waiting[0].end == 0
    await until(lambda: waiting[1].state.done, 10)


async def test_a_run_that_rests_is_in_nobodys_way(stage: Stage) -> None:
    """Four runs at a pace of a minute a pass once held all four seats, and others waited for more than 25 seconds."""
    resting = [stage.open(begin(cells=16, passes=16)) for _ in range(8)]
    for session in resting:
        session.send(Play(pace=60.0))
    await until(lambda: all(stage.of(s, Stepped) for s in resting))
    other = stage.open(begin(cells=8, passes=4))
    other.send(Play())
    await until(lambda: other.state.done, 2)


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


async def test_closing_frees_the_lane_within_a_pass(stage: Stage) -> None:
    toy = Slow(0.03)
    sessions = [stage.open(begin(passes=16), toy) for _ in range(4)]
    for session in sessions:
        session.send(Play())
    await until(lambda: all(s.end for s in sessions))
    for session in sessions:
        stage.table.close(session)
    thought = len(toy.batches)
    await until(lambda: not stage.table._tasks, 2)
    assert len(toy.batches) <= thought + 4
    assert not stage.device._requests and not stage.table.alive


class Sick(Toy):
    """Falls ill at the third pass, in one of several ways; canvases without token 13 stay well."""

    def __init__(self, how: str) -> None:
        super().__init__(seed=6)
        self.how = how

    def logits(self, thoughts: Sequence[Thought]) -> list[torch.Tensor]:
        logits = super().logits(thoughts)
        for i, thought in enumerate(thoughts):
            if (thought.tokens == 13).any() and thought.open.sum() < 13:
                if self.how == "raises":
                    raise RuntimeError("out of memory")
                logits[i] = logits[i] * 0 + float(self.how)
        return logits


@pytest.mark.parametrize("how", ["raises", "nan", "inf", "-inf"])
async def test_a_failing_model_ends_its_run_and_nobody_elses(stage: Stage, how: str) -> None:
    toy = Sick(how)
    states = [begin(seed=i, prompt=[13, 2, 3] if i == 1 else [1, 2, 3], bans=(13,), temperature=1.0) for i in range(4)]
    sessions = [stage.open(s, toy) for s in states]
    for session in sessions:
        session.send(Play())
    await until(lambda: all(stage.of(s, Done) for s in sessions))
    (failed,) = stage.of(sessions[1], Done)
    assert failed.failed.startswith(
        "the model failed: " + ("RuntimeError; the log" if how == "raises" else "the model's numbers")
    )
    assert not sessions[1].state.done and sessions[1].end == 2
    for i in (0, 2, 3):
        assert not stage.of(sessions[i], Done)[0].failed
        assert sessions[i].state.canvas.tokens.tolist() == ending(TOY, states[i])
    await do(sessions[1], Undo(), Pin((5,), (1,)), Peek(6))  # what was there can still be steered and looked at
    assert stage.of(sessions[1], Peeked)


async def test_a_failing_policy_ends_its_run_with_a_sentence(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It once killed the actor without a word."""
    from dllm.run import step as module

    def decide(view: Any, **_: Any) -> Choice:
        raise IndexError("beyond")

    monkeypatch.setattr(module, "named", lambda name: replace(named(name), decide=decide))
    session = stage.open(begin())
    await do(session, Play())
    assert (
        stage.of(session, Done)[0].failed
        == "the policy 'confidence' failed: IndexError; the log of this server says more"
    )


async def test_a_slow_reader_finds_one_snapshot_and_costs_nobody(stage: Stage) -> None:
    session = stage.open(begin(cells=100, passes=100))
    asleep, awake = session.subscribe(), session.subscribe()
    seen: list[Note] = []

    async def read() -> None:
        while True:
            seen.append(await awake.get())

    reader = asyncio.ensure_future(read())
    await do(session, Play())
    await until(lambda: bool(seen) and isinstance(seen[-1].event, Done))
    reader.cancel()
    assert [n.n for n in seen] == list(range(2, session.number + 1))
    assert len(asleep._notes) <= asleep.room and asleep.behind_since is not None
    first = await asleep.get()
    assert isinstance(first.event, Snapshot)
    later = [await asleep.get() for _ in range(len(asleep._notes))]
    assert [n.n for n in later] == list(range(first.n + 1, session.number + 1))


async def test_who_comes_back_gets_the_rest_or_a_snapshot(stage: Stage) -> None:
    session = stage.open(begin(cells=100, passes=100))
    await do(session, Step(10))
    back = session.subscribe(after=4)
    assert [(await back.get()).n for _ in range(session.number - 4)] == list(range(5, session.number + 1))
    assert not session.subscribe(after=session.number)._notes
    await do(session, Play())
    (note,) = session.subscribe(after=4)._notes
    assert isinstance(note.event, Snapshot) and note.n == session.number
    assert note.event.canvas.same(session.state.canvas)


async def test_long_unwatched_sessions_expire_and_a_full_place_makes_room(stage: Stage) -> None:
    stage.table.most, stage.table.idle = 3, 100.0
    watched, playing, old = (stage.open(begin(cells=24, passes=24), Slow(0.01)) for _ in range(3))
    watched.subscribe()
    playing.send(Play(pace=1.0))
    await until(lambda: playing.playing)
    new = stage.open(begin())
    assert old.closed and new.id in stage.table.alive and not watched.closed and not playing.closed
    new.subscribe()
    with pytest.raises(Refused, match="this place is full"):
        stage.open(begin())
    playing.touched -= 200
    stage.table.expire()
    assert playing.closed and not watched.closed
    with pytest.raises(Refused, match="this session is over"):
        stage.table.find(playing.id)


async def test_timelines_too_large_together_make_room_too(stage: Stage) -> None:
    here, left = (stage.open(begin(cells=24, passes=24)) for _ in range(2))
    here.subscribe()
    for session in (here, left):
        await do(session, Step(20))
    stage.table.room = here.weight + left.weight - 1
    stage.open(begin())
    assert left.closed and not here.closed
    stage.table.room = here.weight // 2
    with pytest.raises(Refused, match="this place is full"):
        stage.open(begin())
    assert not here.closed


async def test_a_timeline_is_bounded(stage: Stage, configure: Callable[..., None]) -> None:
    configure(UNMASK_MOMENTS="6")
    session = stage.open(begin(passes=16))
    await do(session, Play())
    assert "at most 6 moments" in stage.of(session, Done)[0].failed
    await do(session, Ban(3))
    assert "at most 6 moments" in stage.of(session, Refusal)[0].why


def weight(thing: Any, seen: set[int]) -> int:
    """Bytes that are reachable, each thing once."""
    if id(thing) in seen or isinstance(thing, type | Toy | Device) or callable(thing):
        return 0
    seen.add(id(thing))
    size = sys.getsizeof(thing)
    if isinstance(thing, np.ndarray):
        return size + (weight(thing.base, seen) if thing.base is not None else 0)
    if isinstance(thing, torch.Tensor):
        return size + thing.element_size() * thing.nelement()
    if isinstance(thing, dict):
        return size + sum(weight(k, seen) + weight(v, seen) for k, v in thing.items())
    if isinstance(thing, list | tuple | set | frozenset) or type(thing).__name__ == "deque":
        return size + sum(weight(x, seen) for x in thing)
    return size + (weight(vars(thing), seen) if hasattr(thing, "__dict__") else 0)


@pytest.mark.parametrize("policy", ["confidence", "replan", "stable"])
async def test_a_long_session_stays_small(stage: Stage, policy: str) -> None:
    wide = Toy(words=4096, mask=4095)
    state = start(blank([PROMPT, 123]), Settings(policy, passes=64))
    session = stage.open(state, wide)
    session.subscribe()
    await do(session, Play())
    parts = (list(session.timeline.nodes()), session.notes, session.subscribers, session.belief, session.client.recall)
    seen: set[int] = set()
    total = sum(weight(p, seen) for p in parts)
    frames = [m.frame for m in session.head.path() if m.frame]
    assert len(frames) >= 60 and all(f.top_ids.shape == (128, 5) for f in frames)
    assert 100_000 < total < 5_000_000
    kept = weight(list(session.timeline.nodes()), set())
    assert 0.5 < session.weight / kept < 1.5, (session.weight, kept)


async def test_a_constraint_is_prepared_beside_the_loop_and_not_in_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tuning a run to a large schema once stopped everybody's runs for as long as its automaton took."""
    threads: list[int] = []
    prepare = Legal.of

    def watched(*given: Any) -> Legal:
        threads.append(threading.get_ident())
        return prepare(*given)

    monkeypatch.setattr(Legal, "of", watched)
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
