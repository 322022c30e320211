"""A preview is the beginning of the run that an edit starts: the same passes, computed once, with nothing recorded."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import ref

import numpy
import pytest
import torch

from tests.live.stage import Stage, do
from tests.live.test_device import Slow
from tests.models.forge import FAMILIES
from tests.support import begin
from tests.until import LONG, until
from unmask.errors import InvalidRequest
from unmask.live.foreseen import Foreseen, ForeseenPass, Origin
from unmask.live.preview import QUEUE, Preview
from unmask.live.scheduled_edits import ScheduledEdits
from unmask.live.session import Session
from unmask.models import ModelInput, load
from unmask.models.toy import Toy
from unmask.run.command import Pin, Play, Step
from unmask.run.event import Stepped
from unmask.run.state import State
from unmask.run.timeline import Node

PIN = Pin((9,), (3,))


class Counting(Toy):
    """A toy that counts its forwards."""

    def __init__(self, **more: Any) -> None:
        super().__init__(seed=6)
        self.has_carry = bool(more.pop("carries", False))
        self.forwards = 0

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        self.forwards += len(model_inputs)
        found = super().logits(model_inputs)
        carried = [0.0 if one.carry is None else one.carry for one in model_inputs]
        return [numpy.roll(table, int(carry), 1) for table, carry in zip(found, carried, strict=True)]

    def make_carry(self, model_input: ModelInput, logits: torch.Tensor) -> float | None:
        return (model_input.carry or 0.0) + 1.0 if self.has_carry else None


def preview_of(session: Session) -> Preview:
    return Preview(session.denoiser, session.device, session.client.visitor, session.client.group)


async def edited(preview: Preview, node: Node, pin: Pin) -> Node:
    return await preview.edited(node, (pin,), node)


async def foreseen(preview: Preview, node: Node, most: int = 99) -> list[Node]:
    """The moments of the passes that follow."""
    found: list[Node] = []
    while len(found) < most and (nodes := await preview.next(found[-1] if found else node)):
        found += nodes
    preview.close()
    return found


STATES = {
    "plain": begin(),
    "drawn": begin(temperature=0.8, seed=5),
    "erases": begin("remask", passes=12),
    "remembers": begin("backtrack", passes=12),
    "ruled": begin(constraint={"kind": "regex", "pattern": "( |1|2)*1( |1|2){8}"}),
}


@pytest.mark.parametrize("name", STATES)
async def test_a_run_takes_over_what_was_foreseen(stage: Stage, name: str) -> None:
    """The chosen run has the passes of the preview, token for token, and computes none of them again."""
    model = Counting()
    session = stage.open(STATES[name], model)
    await do(session, Play())
    cell = int(session.head.frame.cells[0]) if session.head.frame is not None else 9
    pin = Pin((cell,), (1,))
    preview = preview_of(session)
    found = await foreseen(preview, await edited(preview, session.head.ancestor(2), pin))
    assert found and found[-1].state.done
    before = model.forwards
    await chosen(session, pin)
    assert model.forwards == before
    path = session.head.path(after=3)
    assert len(path) == len(found) and all(a.state.same(b.state) for a, b in zip(path, found, strict=True))
    assert all(a.frame.same(b.frame) for a, b in zip(path, found, strict=True) if a.frame and b.frame)
    # and it is what a server without previews comes to
    alone = stage.open(STATES[name], Counting())
    await do(alone, Play())
    await chosen(alone, pin)
    assert alone.state.canvas.same(session.state.canvas)
    assert len(stage.of(session, Stepped)) == len(stage.of(alone, Stepped))


@pytest.mark.parametrize("cache", ["prefix", "dual"])
async def test_a_hub_model_with_caches_goes_on_from_its_preview(stage: Stage, tmp_path: Path, cache: str) -> None:
    """Keys and values that a pass keeps belong to the run: a preview must neither use another's nor leave its own."""
    folder = str(FAMILIES["LLaDA-8B"](tmp_path).folder)
    state = begin(cells=24, block=8, passes=24)
    model, plain = (load(folder, engine="onnx", device="cpu", cache=cache) for _ in range(2))
    session, alone = stage.open(state, model), stage.open(state, plain)
    await do(session, Play())
    await do(alone, Play())
    assert alone.state.canvas.same(session.state.canvas)
    pin = Pin((12,), (1,))
    preview = preview_of(session)
    found = await foreseen(preview, await edited(preview, session.head.ancestor(2), pin))
    await chosen(session, pin)
    await chosen(alone, pin)
    assert found[-1].state.canvas.same(session.state.canvas)
    assert alone.state.canvas.same(session.state.canvas)


async def chosen(session: Session, pin: Pin) -> None:
    session.send(pin, 1, 2)
    await do(session, Play())


async def test_a_run_goes_on_where_a_preview_was_left(stage: Stage) -> None:
    model = Counting()
    session = stage.open(begin(), model)
    await do(session, Play())
    preview = preview_of(session)
    await foreseen(preview, await edited(preview, session.head.ancestor(2), PIN), most=2)
    before = model.forwards
    await chosen(session, PIN)
    passes = sum(node.frame is not None for node in session.head.path(after=3))
    assert model.forwards - before in (passes - 2, passes - 3)  # the one that was asked for ahead may have begun
    clocks = [node.times[2] for node in session.head.path(after=3)]
    assert clocks == sorted(clocks) and clocks[0] > session.head.ancestor(2).times[2]


async def test_what_a_model_carries_is_taken_over_too(stage: Stage) -> None:
    """Equal texts are not enough where a model carries something from pass to pass: the past must be the same."""
    model, plain = Counting(carries=True), Counting(carries=True)
    session = stage.open(begin(), model)
    await do(session, Play())
    preview = preview_of(session)
    found = await foreseen(preview, await edited(preview, session.head.ancestor(2), PIN), most=3)
    assert len(found) == 3
    await chosen(session, PIN)
    alone = stage.open(begin(), plain)
    await do(alone, Play())
    await chosen(alone, PIN)
    assert session.state.canvas.same(alone.state.canvas)
    other = Node(found[0].parent.state)  # type: ignore[union-attr] # the same text, without a past
    known = session.device.foreseen
    assert known.find(Origin(session.client.visitor, ref(model), True, other)) is None
    assert known.find(Origin(session.client.visitor, ref(model), True, found[0].parent)) is not None  # type: ignore[arg-type]


async def test_a_preview_records_nothing(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Play())
    before = session.number, session.timeline, session.weight, session.stats(), session.client.clock
    preview = preview_of(session)
    await foreseen(preview, await edited(preview, session.head.ancestor(2), PIN))
    assert (session.number, session.timeline, session.weight, session.stats(), session.client.clock) == before
    with pytest.raises(InvalidRequest, match="nothing to undo"):
        session._versions.back(session._version())


async def test_the_second_visit_costs_nothing(stage: Stage) -> None:
    model = Counting()
    session = stage.open(begin(), model)
    await do(session, Play())
    for _ in range(2):
        preview, before = preview_of(session), model.forwards
        found = await foreseen(preview, await edited(preview, session.head.ancestor(2), PIN))
    assert found[-1].state.done and model.forwards == before and len(session.device.foreseen) == len(found)


async def test_another_visitor_gets_nothing_of_it(stage: Stage) -> None:
    model = Counting()
    for visitor in ("a", "b"):
        session = stage.open(begin(), model, visitor=visitor)
        await do(session, Play())
        preview, before = preview_of(session), model.forwards
        found = await foreseen(preview, await edited(preview, session.head.ancestor(2), PIN))
        assert model.forwards - before == len(found)


async def test_it_waits_for_every_run_and_then_has_its_turn(stage: Stage) -> None:
    """Not one forward of a preview while anybody's run goes on."""
    slow = Slow(0.01)
    order: list[str] = []
    plain = stage.device._infer_batch

    def watched(model: Any, states: Sequence[State], *more: Any) -> Any:
        order.append(str(states[0].settings.seed))
        return plain(model, states, *more)

    stage.device._infer_batch = watched
    session = stage.open(begin(seed=1), slow)
    await do(session, Play())
    other = stage.open(begin(seed=2, passes=12, cells=24), slow)
    order.clear()
    other.send(Play())
    preview = preview_of(session)
    node = await edited(preview, session.head.ancestor(2), PIN)
    await until(lambda: "2" in order)
    found = await foreseen(preview, node)
    assert found[-1].state.done
    assert "".join(order).strip("1") == "2" * order.count("2") and order.count("2") == 12


async def test_a_run_that_comes_waits_for_one_forward_at_most(stage: Stage) -> None:
    slow = Slow(0.02)
    session = stage.open(begin(seed=1), slow)
    await do(session, Play())
    preview = preview_of(session)
    node = await edited(preview, session.head.ancestor(0), PIN)
    running = asyncio.ensure_future(foreseen(preview, node))
    await until(lambda: preview.client.clock > 0)
    other = stage.open(begin(seed=2), slow)
    passes = round(preview.client.clock / 0.02)
    await do(other, Step(4))
    assert round(preview.client.clock / 0.02) - passes <= 1
    await running


async def test_it_is_given_up_when_the_queue_is_long(stage: Stage) -> None:
    slow, stage.device.batch = Slow(), 1
    sessions = [stage.open(begin(seed=n), slow) for n in range(QUEUE + 3)]
    for one in sessions:
        one.send(Play())
    await until(lambda: stage.device.waiting > QUEUE)
    preview = Preview(slow, stage.device, "somebody")
    with pytest.raises(InvalidRequest, match="others need this server"):
        await preview.next(await edited(preview, Node(begin()), PIN))
    assert preview.client.clock == 0
    slow.go_on.set()
    await until(lambda: not any(s.playing for s in sessions))


async def test_what_is_cancelled_leaves_the_queue(stage: Stage) -> None:
    slow = Slow()
    session = stage.open(begin(), slow)
    session.send(Play())
    await until(lambda: bool(slow.batches))
    preview = preview_of(session)
    waiting = asyncio.ensure_future(preview.next(await edited(preview, Node(begin()), PIN)))
    await until(lambda: stage.device.waiting == 1)
    waiting.cancel()
    await until(lambda: stage.device.waiting == 0)
    slow.go_on.set()
    await until(lambda: not session.playing)
    assert len(stage.device.foreseen) == 0 and preview.client.clock == 0


async def test_an_earlier_moment_is_reached_with_its_edits(stage: Stage) -> None:
    """A recording's run is not here: its passes are made again, with the edits that were made between them."""
    model = Counting()
    session = stage.open(begin(), model)
    session.scheduled = ScheduledEdits([(3, Pin((10,), (4,)))])
    await do(session, Play())
    preview = Preview(model, session.device, "somebody")
    node = await preview.reach(Node(begin()), 5, ScheduledEdits([(3, Pin((10,), (4,)))]))
    assert node.at == 5 and node.state.same(session.head.ancestor(5).state)
    with pytest.raises(InvalidRequest, match="the run is over"):
        await preview.reach(node, 99, ScheduledEdits())


async def test_what_is_being_computed_when_a_word_is_chosen_is_waited_for(stage: Stage) -> None:
    """A slow model's look, begun for a preview, once was thrown away by the choice and computed again."""
    slow = Slow(0.01)
    session = stage.open(begin(), slow)
    await do(session, Play())
    preview, forwards = preview_of(session), len(slow.batches)
    slow.seconds = LONG
    running = asyncio.ensure_future(preview.next(await edited(preview, session.head.ancestor(2), PIN)))
    await until(lambda: len(slow.batches) == forwards + 1)
    running.cancel()
    await until(running.done)
    preview.close()
    session.send(PIN, 1, 2)
    session.send(Step())
    await until(lambda: session.end == 3 and session.playing)
    assert len(slow.batches) == forwards + 1
    slow.go_on.set()
    await until(lambda: session.end == 4)
    assert len(slow.batches) == forwards + 1 and not stage.device.foreseen.coming


def test_only_the_newest_are_kept_and_nobody_has_all() -> None:
    made, toy = Foreseen(cells=100, cells_each=60), Toy()

    def origin(visitor: str, step: int, watched: bool = True) -> Origin:
        return Origin(visitor, lambda: toy, watched, Node(replace(begin(), step=step)))

    for step in range(5):
        for visitor in "ab":
            made.add(ForeseenPass(origin(visitor, step), [], None, 0.1, False))  # type: ignore[arg-type]
    assert len(made) * len(begin().canvas) <= 100
    assert made.find(origin("a", 0)) is None
    assert made.find(origin("b", 4)) is not None
    assert made.find(origin("b", 4, False)) is None
    made.clear()
    assert made.find(origin("b", 4)) is None
