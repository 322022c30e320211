"""A model that wants to see its last thought again: whoever goes back gets the same carry as whoever never left."""

import asyncio
from collections.abc import Sequence
from typing import Any

import torch

from dllm.canvas import blank
from dllm.live.device import Device
from dllm.live.session import Session
from dllm.models import Thought
from dllm.models.toy import Toy
from dllm.run.command import Boost, Fork, Play, Step, Undo
from dllm.run.settings import Settings
from dllm.run.state import start
from dllm.think.decode import decode

BEGIN = start(blank([[1, 2], 16]), Settings(policy="entropy", passes=12))


class Haunted(Toy):
    """A toy whose logits depend on what it thought last."""

    reflects = True

    def logits(self, thoughts: Sequence[Thought]) -> list[torch.Tensor]:
        told = super().logits(thoughts)
        return [x if t.carry is None else x + t.carry[: x.shape[1]] for x, t in zip(told, thoughts, strict=True)]

    def reflect(self, thought: Thought, logits: torch.Tensor) -> Any:
        return torch.sin(logits.double().sum(0))


async def settled(session: Session) -> None:
    while session._mailbox or session.playing:
        await asyncio.sleep(0.001)


async def run(*commands: Any) -> tuple[Session, list[Session]]:
    device, born = Device(), []
    session = Session(Haunted(seed=5), device, BEGIN, adopt=born.append)
    task = asyncio.ensure_future(session.run())
    for command in commands:
        session.send(command)
        await settled(session)
    tasks = [asyncio.ensure_future(s.run()) for s in born]
    for s in born:
        s.send(Play())
        await settled(s)
    for s in (session, *born):
        s.close()
    await asyncio.gather(task, *tasks)
    device.close()
    return session, born


async def test_a_fork_from_an_earlier_moment_goes_on_as_its_parent_did() -> None:
    parent, (child,) = await run(Play(), Fork(5))
    assert child.state.canvas.same(parent.state.canvas)
    assert all(a.frame.same(b.frame) for a, b in zip(parent.moments[1:], child.moments[1:], strict=True))


async def test_an_edit_that_is_undone_leaves_no_trace_in_the_carry() -> None:
    straight, _ = await run(Play())
    undone, _ = await run(Step(4), Boost(7, 50.0), Undo(), Play())
    assert undone.state.canvas.same(straight.state.canvas)


async def test_the_carry_matters_at_all() -> None:
    haunted, _ = await run(Play())
    *_, (state, _) = decode(Toy(seed=5), BEGIN)
    assert not state.canvas.same(haunted.state.canvas)
