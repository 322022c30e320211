"""A gap has the length that the model wants: it grows, it shrinks, it ends, and everything can be lived once more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.until import until
from unmask.canvas import Canvas, blank
from unmask.decide import policy_names
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.inference.decode import decode, nodes, recompute
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Erase, Play, Stretch, Undo
from unmask.run.free_length import free_resize
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.run.step import EXTRA_PASSES, step
from unmask.run.timeline import Node, Timeline, new_timeline

EXPAND, SKIP, END = 40, 41, 42


class Elastic(Toy):
    """A toy with words of length: `wants` is added to their logits."""

    def __init__(
        self, expand: float = -50.0, skip: float = -50.0, end: float = -50.0, spoken: bool = True, seed: int = 0
    ) -> None:
        super().__init__(seed=seed)
        self.wants = {EXPAND: expand, SKIP: skip, END: end}
        self.card = replace(self.card, expand=EXPAND if spoken else None, skips=(SKIP,), ends=(END,))

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        rows = super().logits(model_inputs)
        for x in rows:
            for token, more in self.wants.items():
                x[:, token] += more
        return rows


def gap(cells: int = 4, **changes: object) -> State:
    settings = {"policy": "threshold", "options": {"tau": 1.0}, "passes": 60, "room": 12} | changes
    return start(blank([[1, 2, 3], cells, [4, 5]]), Settings().with_changes(settings))


def lived(model: Toy, state: State) -> tuple[Timeline, Canvas]:
    timeline = new_timeline(model.card, state)
    for node in nodes(model, timeline.head):
        timeline = timeline.append(node)
    return timeline, timeline.head.canvas


def test_a_model_that_asks_for_room_gets_two_cells_for_one_and_no_more_than_it_may() -> None:
    timeline, canvas = lived(Elastic(expand=60), gap())
    assert canvas.answer.sum() == 12 and not np.isin(canvas.tokens, [EXPAND]).any()
    first = [node for node in timeline.head.path() if node.by_model][:2]
    assert [(n.edit.at - m.edit.at, n.edit.by) for n, m in zip(first, [first[0]] * 2, strict=True)] == [
        (0, 2),
        (-1, -1),
    ]  # type: ignore[union-attr]
    assert canvas.tokens[:3].tolist() == [1, 2, 3] and canvas.tokens[-2:].tolist() == [4, 5]


def test_a_cell_too_many_vanishes_and_one_stays() -> None:
    _, canvas = lived(Elastic(skip=60), gap(9))
    assert canvas.answer.sum() == 1
    _, canvas = lived(Elastic(skip=60), gap(9, room=0))
    assert canvas.answer.sum() == 9  # a length that is not free stays


def test_an_end_is_one_too_many_only_where_fixed_text_follows() -> None:
    _, canvas = lived(Elastic(end=60, spoken=False), gap(6))
    assert canvas.answer.sum() == 1
    open_ended = replace(gap(), canvas=blank([[1, 2, 3], 6]))
    _, canvas = lived(Elastic(end=60), open_ended)
    assert canvas.tokens[3:].tolist() == [END] * 6


def test_without_such_words_a_gap_grows_while_its_end_is_far_and_nothing_sure_stands_there() -> None:
    timeline, canvas = lived(Elastic(spoken=False, seed=3), gap(3))
    grown = [node.edit for node in timeline.head.path() if node.by_model]
    assert grown and all(isinstance(edit, Stretch) and edit.by > 0 for edit in grown) and canvas.answer.sum() == 9
    _, canvas = lived(Elastic(spoken=False, end=60), gap(8))
    assert canvas.answer.sum() == 1  # all of it would rather end


@pytest.mark.parametrize("policy", sorted(set(policy_names()) - {"self_speculate", "uniform"}))
@pytest.mark.parametrize("spoken", [True, False])
def test_every_run_of_free_length_ends_and_is_lived_once_more_alike(policy: str, spoken: bool) -> None:
    """Whatever the decoder: within its room, with prompt and fixed text kept, and the same run from its edits alone."""
    model = Elastic(expand=3, skip=3, end=2, spoken=spoken)
    timeline, canvas = lived(model, gap(5, policy=policy, options={}, passes=24))
    assert timeline.head.state.done and 1 <= canvas.answer.sum() <= 12
    assert timeline.head.at < (EXTRA_PASSES + 8) * 12  # at the worst, with what changes its length
    assert canvas.tokens[canvas.given].tolist() == [1, 2, 3, 4, 5]
    again = recompute(timeline, lambda state: infer(model, [state])[0])
    for one, two in zip(timeline.head.path(), again.head.path(), strict=True):
        assert one.canvas.same(two.canvas) and (one.frame is None) == (two.frame is None)
    (state, _) = list(decode(model, gap(5, policy=policy, options={}, passes=24)))[-1]
    assert state.canvas.same(canvas)


async def test_a_session_grows_its_gap_tells_it_as_an_edit_and_undoes_only_what_a_person_did() -> None:
    model, device = Elastic(expand=60), Device()
    session = Session(model, device, new_timeline(model.card, gap()))
    task = asyncio.ensure_future(session.run())
    session.send(Play())
    await until(lambda: session.state.done and not session.playing)
    wanted, canvas = lived(model, gap())
    assert session.state.canvas.same(canvas) and session.end == wanted.head.at
    assert [n.edit for n in session.head.path()] == [n.edit for n in wanted.head.path()]
    session.send(Undo())
    session.send(Erase((3,)))
    await until(lambda: isinstance(session.head.edit, Erase))
    assert any(getattr(note.event, "why", "") == "there is nothing to undo" for note in session.notes)
    session.send(Stretch(4, 1, own=True))
    await until(lambda: any("leave it out" in getattr(note.event, "why", "") for note in session.notes))
    session.close()
    await task
    device.close()


def test_a_rule_keeps_the_length_and_an_order_says_the_room() -> None:
    model = Elastic(expand=60)
    rule = {"kind": "avoids", "text": "7"}
    _, canvas = lived(model, gap(constraint=rule, options={"tau": 0.9}))
    assert canvas.answer.sum() == 4
    assert RunSpec(changes={"room": 9}).settings(model.card, 4).room == 9
    with pytest.raises(InvalidRequest, match="room must be a whole number"):
        Settings().with_changes({"room": 1.5})


def test_nothing_is_asked_for_when_the_plan_is_over() -> None:
    model = Elastic(expand=60)
    state = replace(gap(), step=60)
    after, frame = step(state, infer(model, [state])[0])
    assert free_resize(model.card, after, frame) is None and EXPAND not in frame.tokens
    assert Node(after).by_model is False
