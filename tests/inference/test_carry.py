"""A model that wants to see its last thought again: whoever goes back gets the same carry as whoever never left."""

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.until import until
from unmask.canvas import blank
from unmask.inference import infer
from unmask.inference.decode import decode, recompute
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Boost, Fork, Play, Step, Undo
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.timeline import Timeline, new_timeline

BEGIN = start(blank([[1, 2], 16]), Settings(policy="entropy", passes=12))


class Haunted(Toy):
    """A toy whose logits depend on what it thought last."""

    has_carry = True

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[np.ndarray]:
        logits = super().logits(model_inputs)
        return [x if t.carry is None else x + t.carry[: x.shape[1]] for x, t in zip(logits, model_inputs, strict=True)]

    def make_carry(self, model_input: ModelInput, logits: np.ndarray) -> Any:
        return np.sin(logits.sum(0))


async def settled(session: Session) -> None:
    await until(lambda: not session._mailbox and not session.playing)


async def run(*commands: Any, timeline: Timeline | None = None) -> Session:
    device, toy = Device(), Haunted(seed=5)
    session = Session(toy, device, timeline or new_timeline(toy.card, BEGIN))
    task = asyncio.ensure_future(session.run())
    for command in commands:
        session.send(command)
        await settled(session)
    session.close()
    await task
    device.close()
    return session


async def test_a_branch_from_an_earlier_moment_goes_on_as_the_one_it_left_did() -> None:
    session = await run(Play(), Fork(5), Play())
    one, two = session.timeline.heads["1"], session.head
    assert two.canvas.same(one.canvas) and session.timeline.on == "2"
    assert all(a.frame.same(b.frame) for a, b in zip(one.path(after=0), two.path(after=0), strict=True))


async def test_a_run_lived_again_sees_what_it_believed() -> None:
    session = await run(Play())
    toy = Haunted(seed=5)
    again = recompute(session.timeline, lambda s: infer(toy, [s], [True])[0])
    assert again.head.canvas.same(session.head.canvas)


async def test_an_edit_that_is_undone_leaves_no_trace_in_the_carry() -> None:
    straight = await run(Play())
    undone = await run(Step(4), Boost(7, 50.0), Undo(), Play())
    assert undone.state.canvas.same(straight.state.canvas)


async def test_a_run_that_is_taken_up_from_its_timeline_goes_on_as_if_it_had_never_stopped() -> None:
    straight, half = await run(Play()), await run(Step(5))
    resumed = await run(Play(), timeline=half.timeline)
    assert resumed.state.canvas.same(straight.state.canvas)


async def test_the_carry_matters_at_all() -> None:
    haunted = await run(Play())
    *_, (state, _) = decode(Toy(seed=5), BEGIN)
    assert not state.canvas.same(haunted.state.canvas)


def test_a_loop_goes_on_from_any_state_that_it_gave() -> None:
    """Once the states of the loop had lost the carry, and an approximate cache was another after a rewind."""
    toy = Haunted(seed=5)
    states = [state for state, _ in decode(toy, BEGIN)]
    for state in states[2:-1:3]:
        *_, (last, _) = decode(toy, state)
        assert last.canvas.same(states[-1].canvas)
