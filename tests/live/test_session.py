"""A session plays, pauses, rests, fails and ends; and nobody else feels what happens to it."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.live.stage import TOY, Stage, do, idle
from tests.live.test_device import Slow
from tests.support import begin, ending
from tests.until import until
from unmask.decide import Choice, get_policy, policy_names
from unmask.inference import infer
from unmask.inference.decode import recompute
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import (
    Boost,
    Fork,
    Pause,
    Peek,
    Pin,
    Play,
    Step,
    Undo,
)
from unmask.run.event import (
    Done,
    Edited,
    Moved,
    Opened,
    Peeked,
    Settled,
    Stepped,
    Waiting,
)
from unmask.serve.sessions import Sessions


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
    some = [n for n in policy_names() if n != "uniform"]
    states = [
        begin(
            some[i % len(some)], cells=8 + 3 * (i % 5), seed=i, temperature=0.5 * (i % 3), block=(0, 4)[i % 2], passes=6
        )
        for i in range(16)
    ]
    sessions = [stage.open(s, watched=i % 2 == 0) for i, s in enumerate(states)]
    for session in sessions:
        session.send(Play())
    await until(lambda: all(s.state.done and not s.playing for s in sessions))
    assert [s.state.canvas.tokens.tolist() for s in sessions] == [ending(TOY, s) for s in states]


async def test_a_session_is_rebuilt_from_its_timeline(stage: Stage) -> None:
    session = stage.open(begin(temperature=1.0))
    await do(session, Step(2), Pin((8,), (3,)), Step(1), Fork(1), Step(2))
    again = recompute(session.timeline, lambda s: infer(TOY, [s], [True])[0])
    other = Sessions().open(TOY, stage.device, again)
    await do(session, Play())
    await do(other, Play())
    assert other.state.canvas.same(session.state.canvas)
    other.close()


async def test_pause_lets_the_pass_in_flight_be_the_last(stage: Stage) -> None:
    toy = Slow()
    session = stage.open(begin(), toy)
    session.send(Play())
    await until(lambda: toy.batches)
    session.send(Pause())
    toy.go_on.set()
    await until(lambda: session.end)
    await idle(session)
    assert session.end == 1 and not session.state.done


async def test_a_pace_holds_whatever_is_asked_meanwhile(stage: Stage) -> None:
    """Mail once cut each rest short, so a dragged slider made a slow run race."""
    session = stage.open(begin(cells=24, passes=24))
    session.send(Play(pace=0.25))
    await until(lambda: stage.of(session, Stepped))
    began = time.monotonic()
    while len(stage.of(session, Stepped)) < 4:
        edited = len(stage.of(session, Edited))
        session.send(Boost(3, edited / 100))
        await until(lambda edited=edited: len(stage.of(session, Edited)) > edited)
    assert time.monotonic() - began > 0.6  # three times a quarter of a second, whatever was asked
    assert len(stage.of(session, Edited)) > 10  # each is done at once, not after the rest
    session.send(Play(pace=60.0))
    await until(lambda: session._pace.least == 60.0)
    session.send(Play())  # a new pace counts at once
    await until(lambda: session.state.done)


async def test_slow_stretches_each_pass(stage: Stage) -> None:
    session = stage.open(begin(passes=4), Slow(0.01))
    began = time.monotonic()
    await do(session, Play(slow=4))
    assert time.monotonic() - began > 0.11


async def test_a_pin_that_fills_the_last_cell_ends_the_run(stage: Stage) -> None:
    """A run whose last cell a person filled once played on for ever, and never told that it was done."""
    toy = Slow()
    session = stage.open(begin(cells=2, passes=2), toy)
    session.send(Play())
    await until(lambda: toy.batches)
    session.send(Pin((5, 6), (1, 2)))
    toy.go_on.set()
    await until(lambda: stage.of(session, Done))
    assert not session.playing and not stage.of(session, Done)[0].failed
    assert stage.of(session, Done)[0].measures["pinned"] == 2


async def test_who_waits_for_a_turn_is_told_sleeps_and_may_leave(stage: Stage) -> None:
    """Mail long read once kept a waiting session spinning; and who waits must be heard before the turn comes."""
    crawling = Slow()
    busy = stage.open(begin(cells=16, passes=16), crawling)
    busy.send(Play())
    await until(lambda: crawling.batches)
    waiting = [stage.open(begin(cells=8 + i, passes=2)) for i in range(2)]
    for session in waiting:
        session.send(Play())
    await until(lambda: all(stage.of(s, Waiting) for s in waiting))
    assert sorted(stage.of(s, Waiting)[0].place for s in waiting) == [1, 2]
    calls = 0
    real = waiting[0]._handle_all

    async def counted() -> None:
        nonlocal calls
        calls += 1
        await real()

    waiting[0]._handle_all = counted  # type: ignore[method-assign]
    for _ in range(1000):  # rounds of the loop, in each of which it could have looked
        await asyncio.sleep(0)
    assert calls <= 2
    await do(waiting[0], Pause())
    crawling.go_on.set()
    assert stage.of(waiting[0], Moved)[-1].playing is False and waiting[0].end == 0
    await until(lambda: waiting[1].state.done)


async def test_a_run_that_rests_is_in_nobodys_way(stage: Stage) -> None:
    """Four runs at a pace of a minute a pass once held all four seats, and others waited for more than 25 seconds."""
    resting = [stage.open(begin(cells=16, passes=16)) for _ in range(8)]
    for session in resting:
        session.send(Play(pace=60.0))
    await until(lambda: all(stage.of(s, Stepped) for s in resting))
    other = stage.open(begin(cells=8, passes=4))
    other.send(Play())
    await until(lambda: other.state.done, 30)


async def test_closing_frees_the_lane_within_a_pass(stage: Stage) -> None:
    toy = Slow(0.03)
    sessions = [stage.open(begin(passes=16), toy) for _ in range(4)]
    for session in sessions:
        session.send(Play())
    await until(lambda: all(s.end for s in sessions))
    for session in sessions:
        stage.table.close(session)
    model_input = len(toy.batches)
    await until(lambda: not stage.table._tasks)
    assert len(toy.batches) <= model_input + 4
    assert not stage.device._requests and not stage.table.alive


class Sick(Toy):
    """Falls ill at the third pass, in one of several ways; canvases without token 13 stay well."""

    def __init__(self, how: str) -> None:
        super().__init__(seed=6)
        self.how = how

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        logits = super().logits(model_inputs)
        for i, model_input in enumerate(model_inputs):
            if (model_input.tokens == 13).any() and model_input.open.sum() < 13:
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
        "the model failed: " + ("RuntimeError; the log" if how == "raises" else "the model's logits")
    )
    assert not sessions[1].state.done and sessions[1].end == 2
    for i in (0, 2, 3):
        assert not stage.of(sessions[i], Done)[0].failed
        assert sessions[i].state.canvas.tokens.tolist() == ending(TOY, states[i])
    await do(sessions[1], Undo(), Pin((5,), (1,)), Peek(6))  # what was there can still be steered and looked at
    assert stage.of(sessions[1], Peeked)


async def test_a_failing_policy_ends_its_run_with_a_sentence(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It once killed the actor without a word."""
    from unmask.run import step as module

    def decide(view: Any, **_: Any) -> Choice:
        raise IndexError("beyond")

    monkeypatch.setattr(module, "get_policy", lambda name: replace(get_policy(name), decide=decide))
    session = stage.open(begin())
    await do(session, Play())
    assert (
        stage.of(session, Done)[0].failed
        == "the policy 'confidence' failed: IndexError; the log of this server says more"
    )
