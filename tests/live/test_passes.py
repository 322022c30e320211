"""The next thought begins before anybody hears of the last one; and all that a run promises stays as it was."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.live.stage import Stage, do, idle
from tests.support import begin, ending
from tests.until import LONG, soon, until
from unmask.decide import Choice, get_policy
from unmask.inference import infer
from unmask.inference.decode import recompute
from unmask.live.scheduled_edits import ScheduledEdits
from unmask.live.session import Session
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Pause, Pin, Play, Step
from unmask.run.event import Done, Edited, Stepped


class Gated(Toy):
    """Each thought waits until the test lets one through."""

    def __init__(self, seed: int = 6) -> None:
        super().__init__(seed=seed)
        self.fails = False
        self.model_inputs: list[list[int]] = []  # tokens of each thought that has begun
        self.began, self.gate = threading.Semaphore(0), threading.Semaphore(0)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        self.model_inputs += [t.tokens.tolist() for t in model_inputs]
        self.began.release()
        assert self.gate.acquire(timeout=LONG)
        if self.fails:
            raise RuntimeError("a kernel was lost")
        return super().logits(model_inputs)

    def open_up(self) -> None:
        """From now on nothing waits."""
        self.gate.release(10_000)


@pytest.fixture
async def toy(stage: Stage) -> AsyncIterator[Gated]:
    toy = Gated()
    yield toy
    toy.open_up()


async def thinking(toy: Gated, many: int) -> None:
    await until(lambda: len(toy.model_inputs) == many)


async def one_ahead(session: Session, toy: Gated) -> None:
    """Play until the lane thinks of the second pass while nobody has heard of the first: the loop does nothing
    meanwhile, since this very thread is its own."""
    session.send(Play())
    await thinking(toy, 1)
    assert toy.began.acquire(timeout=LONG)
    toy.gate.release()
    assert toy.began.acquire(timeout=LONG)


def same_again(session: Session) -> bool:
    """Whether its passes and edits, done once more in order without any session, lead to the same canvas."""
    again = recompute(session.timeline, lambda s: infer(Toy(seed=6), [s], [True])[0])
    return again.head.canvas.same(session.state.canvas)


async def test_a_frame_reaches_its_audience_while_the_next_pass_is_thought(stage: Stage, toy: Gated) -> None:
    session = stage.open(begin(), toy)
    audience = session.subscribe()
    session.send(Play())
    for n in range(1, 8):
        await thinking(toy, n)
        toy.gate.release()
        await thinking(toy, n + 1)  # it is begun, and it waits at the gate
        await until(lambda n=n: session.end == n)  # type: ignore[misc]
        event: Any = None
        while not isinstance(event, Stepped):
            event = (await asyncio.wait_for(audience.get(), LONG)).event
        assert event.at == n and len(toy.model_inputs) == n + 1
    toy.open_up()
    await idle(session)
    assert session.state.canvas.tokens.tolist() == ending(Toy(seed=6), begin())
    assert len(toy.model_inputs) == 8  # each once, and none behind the last


async def test_a_lane_waits_for_nothing_that_hears_of_its_thoughts(stage: Stage, toy: Gated) -> None:
    """A loop that was packing frames for three hundred readers once kept the device waiting meanwhile."""
    session = stage.open(begin(), toy)
    await one_ahead(session, toy)
    assert session.end == 0
    toy.gate.release()
    soon(lambda: not stage.device._running and not stage.device._requests)
    assert len(toy.model_inputs) == 2  # one ahead, and no further
    toy.open_up()
    await idle(session)
    assert session.state.canvas.tokens.tolist() == ending(Toy(seed=6), begin()) and len(toy.model_inputs) == 8


async def test_an_edit_discards_the_thought_that_runs_ahead(stage: Stage, toy: Gated) -> None:
    session = stage.open(begin(), toy)
    session.send(Play())
    await thinking(toy, 1)
    toy.gate.release()
    await until(lambda: session.end == 1)
    await thinking(toy, 2)
    session.send(Pin((12,), (3,)))  # the second pass is being thought
    toy.open_up()
    await idle(session)
    kinds = [type(e) for e in stage.events[session.id] if isinstance(e, Stepped | Edited)]
    assert kinds[:3] == [Stepped, Edited, Stepped]
    assert toy.model_inputs[1][12] != 3 == toy.model_inputs[2][12]
    assert session.state.canvas.tokens[12] == 3 and same_again(session)


async def test_an_edit_between_a_thought_and_its_step_lands_before_both(stage: Stage, toy: Gated) -> None:
    """The lane has stepped and thinks on, nobody has heard of it, and an edit comes: it was first."""
    session = stage.open(begin(), toy)
    await one_ahead(session, toy)
    session.send(Pin((12,), (3,)))
    toy.open_up()
    await idle(session)
    kinds = [type(e) for e in stage.events[session.id] if isinstance(e, Stepped | Edited)]
    assert kinds[:2] == [Edited, Stepped] and len(kinds) == session.end
    assert session.state.canvas.tokens[12] == 3 and same_again(session)


async def test_what_was_thought_ahead_of_a_pause_is_not_thought_again(stage: Stage, toy: Gated) -> None:
    session = stage.open(begin(), toy)
    await one_ahead(session, toy)
    session.send(Pause())  # before anybody has heard of the first pass
    await idle(session)
    toy.gate.release()
    await until(lambda: not stage.device._running)
    assert session.end == 1 and not stage.device._requests and len(toy.model_inputs) == 2
    toy.open_up()
    await do(session, Play())
    assert len(toy.model_inputs) == 8 and session.state.canvas.tokens.tolist() == ending(Toy(seed=6), begin())


async def test_a_run_that_stops_leaves_no_request_behind(stage: Stage, toy: Gated) -> None:
    """Its next thought waits for another's when it is paused, or closed."""
    for stop in (lambda s: s.send(Pause()), stage.table.close):
        session, other = stage.open(begin(), toy), stage.open(begin(cells=9), other_toy := Gated(1))
        session.send(Play())
        await until(lambda: toy.began.acquire(blocking=False))
        other.send(Play())
        await until(lambda: stage.device.waiting == 1)
        toy.gate.release()
        await until(lambda s=session: s.end == 1)  # type: ignore[misc]
        await until(lambda: other_toy.began.acquire(blocking=False))
        await until(lambda: stage.device.waiting == 1)
        stop(session)
        await until(lambda: not stage.device.waiting)
        model_inputs = len(toy.model_inputs)
        other_toy.open_up()
        await idle(other)
        assert session.end == 1 and len(toy.model_inputs) == model_inputs
        stage.table.close(session)


async def test_a_failure_ahead_that_nobody_waits_for_is_not_complained_of(stage: Stage, toy: Gated) -> None:
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    session = stage.open(begin(), toy)
    await one_ahead(session, toy)
    session.send(Pause())
    await idle(session)
    toy.fails = True
    toy.open_up()
    ahead = session._passes.ahead
    assert ahead is not None
    await until(ahead.future.done)
    del ahead
    stage.table.close(session)
    await do(stage.open(begin()), Play())  # the lane has something else on its mind
    gc.collect()
    assert session.end == 1 and not complaints


async def test_a_rest_a_count_and_an_edit_that_is_due_hold_the_next_thought_back(stage: Stage, toy: Gated) -> None:
    toy.open_up()
    session = stage.open(begin(), toy)
    session.send(Play(pace=60.0))
    await until(lambda: session.end == 1)
    await until(lambda: not stage.device._running)
    assert not stage.device._requests and len(toy.model_inputs) == 1
    await do(session, Pause(), Step(2))
    assert session.end == 3 and len(toy.model_inputs) == 3
    session.scheduled = ScheduledEdits([(5, Pin((12,), (3,)))])
    await do(session, Play())
    assert isinstance(session.head.ancestor(5).edit, Pin) and same_again(session)
    assert len(toy.model_inputs) == sum(node.frame is not None for node in session.head.path())


@pytest.mark.parametrize("failure", [IndexError, SystemExit])
async def test_a_policy_that_fails_on_a_lane_ends_its_run_alone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    from unmask.run import step as module

    def decide(view: Any, **_: Any) -> Choice:
        raise failure("beyond")

    with monkeypatch.context() as patch:
        patch.setattr(module, "get_policy", lambda name: replace(get_policy(name), decide=decide))
        session = stage.open(begin())
        await do(session, Play())
        assert stage.of(session, Done)[0].failed.startswith("the policy 'confidence' failed")
    other = stage.open(begin())
    await do(other, Play())
    assert other.state.done
