"""A run taken along as a script is the same run, edits and all; a published decoder says how its authors call it."""

from typing import Any

import numpy as np
import pytest

from tests.serve.test_connection import called
from unmask.features.exports.python_script import CALLS, script
from unmask.inference.decode import nodes
from unmask.models import load
from unmask.run.command import Ban, Boost, Edit, Erase, Pin, Stretch, Tune
from unmask.run.edit import apply
from unmask.run.presets import presets
from unmask.run.spec import RunSpec
from unmask.run.timeline import Timeline, new_timeline
from unmask.serve.runtime import Runtime

EDITS: list[Edit] = [
    Pin((8,), (7,)),
    Ban(11),
    Boost(5, 2.0),
    Erase((2,)),
    Stretch(4, 2),
    Tune({"policy": "margin", "passes": 5}),
]


def make_timeline(model: str, edits: list[Edit], **row: Any) -> Timeline:
    denoiser = load(model)
    spec = RunSpec.from_dict({"prompt": "3 ___ 1 [MASK:8]", "model": model, "seed": 4} | row)
    timeline = new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer), spec.prompt)
    waiting = list(edits)
    while not timeline.head.state.done:
        timeline = timeline.append(next(nodes(denoiser, timeline.head)))
        if waiting:
            edit = waiting.pop(0)
            head = timeline.head
            timeline = timeline.append(head.child(apply(head.state, edit, denoiser.card.words), edit=edit))
    return timeline


def ended(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(text, "script", "exec"), names)
    return names["state"]


@pytest.mark.parametrize(
    "row",
    [
        {"preset": "llada"},
        {"preset": "dream", "changes": {"temperature": 1.0, "top_k": 9}},
        {"preset": "remdm"},
        {"preset": "compatible"},
        {"changes": {"constraint": {"kind": "avoids", "text": "7"}, "guidance": 1.0}},
        {"own_from": 2},
    ],
)
def test_a_script_runs_the_run_again(row: dict[str, Any]) -> None:
    for edits in ([], EDITS if "changes" not in row else EDITS[1:4]):
        timeline = make_timeline("toy", edits, **row)
        state = ended(script(timeline, "toy"))
        assert state.canvas.same(timeline.head.canvas) and state.settings == timeline.head.settings
        assert np.array_equal(state.canvas.ids, timeline.head.canvas.ids)


def test_of_a_run_that_is_not_over_it_makes_the_passes_there_are() -> None:
    denoiser = load("toy")
    spec = RunSpec("1 2", model="toy", length=12)
    timeline = new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer))
    for node, _ in zip(nodes(denoiser, timeline.head), range(3), strict=False):
        timeline = timeline.append(node)
    state = ended(script(timeline, "toy"))
    assert state.canvas.same(timeline.head.canvas) and state.step == 3 and not state.done


@pytest.mark.parametrize("preset", presets())
def test_the_authors_call_stands_where_the_decoder_is_theirs(preset: str) -> None:
    denoiser = load("toy")
    spec = RunSpec("1 2", model="toy", length=64, preset=preset)
    text = script(new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer)), "toy")
    if preset in CALLS:
        assert CALLS[preset].splitlines()[0] in text and "{" not in text.split("As its authors call it")[1]
    else:
        assert "As its authors call it" not in text


def test_every_call_belongs_to_a_preset() -> None:
    assert set(CALLS) <= set(presets())


async def test_the_socket_gives_the_script_to_whoever_watches() -> None:
    async with called(Runtime()) as caller:
        await caller.open(play=True)
        done = await caller.hear("done")
        caller.say("script")
        text = (await caller.hear("script"))["text"]
        assert 'load("toy")' in text or "load('toy')" in text
        state = ended(text)
        assert load("toy").tokenizer.decode(state.canvas.tokens[state.canvas.answer].tolist()) == done["text"]
