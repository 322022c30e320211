"""The guide to policies is true: its policies run and keep the laws, its tables name what there is."""

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tests.decide.test_policies import SHAPES, opening
from tests.support import begin, lawful, run
from unmask.belief import Belief
from unmask.canvas import Canvas
from unmask.decide import Choice, Needs, View, get_policy, policy_names
from unmask.decide.policy_metadata import DECLARATIONS, IN_A_PRESET
from unmask.models.toy import Toy
from unmask.run.presets import preset

GUIDE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text()
POLICIES = dict(re.findall(r"```python (\w+)\n(.*?)```", GUIDE, re.S))
TOY = Toy(seed=3)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, configure: Callable[..., None]) -> None:
    for name, text in POLICIES.items():
        (tmp_path / f"{name}.py").write_text(text)
    configure(UNMASK_POLICIES=str(tmp_path))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_policies_of_the_guide_keep_the_laws(policy: str, shape: str) -> None:
    assert policy in policy_names()
    state = opening(policy, shape)
    for after, frame in run(TOY, state, watched=True):
        if get_policy(policy).resizes:
            keeps_fixed_text(state.canvas, after.canvas)
        else:
            lawful(state.canvas, after.canvas)
        assert frame.why
        state = after
    assert state.done


def keeps_fixed_text(before: Canvas, after: Canvas) -> None:
    fixed = [canvas.given | canvas.pinned for canvas in (before, after)]
    assert before.tokens[fixed[0]].tolist() == after.tokens[fixed[1]].tolist()
    assert before.ids[fixed[0]].tolist() == after.ids[fixed[1]].tolist()


def test_one_inserts_one_asks_and_one_says_which_word() -> None:
    start = begin("more_room", cells=12, options={"torn": 1.0, "most": 3})
    assert len(run(TOY, start)[-1][0].canvas) == len(start.canvas) + 3
    costs = [frame.cost for _, frame in run(TOY, begin("look_ahead", cells=4, options={"tries": 4}))]
    assert costs == [1, 5] * 4
    passes = run(TOY, begin("no_echo", cells=48, passes=48, boosts={8: 6.0}))
    second = [frame for _, frame in passes if any("would repeat" in words for words, _, _ in frame.why)]
    assert second and all(8 not in frame.tokens for frame in second)


def test_the_second_policy_takes_back_and_says_why() -> None:
    frames = [frame for _, frame in run(TOY, begin("second_look", cells=32, options={"doubt": 0.9, "which": "first"}))]
    erased = [frame for frame in frames if frame.erased.size]
    assert erased and all("now given only {}" in " ".join(w for w, _, _ in f.why) for f in erased)
    assert get_policy("second_look").revises and not get_policy("wide").revises


def test_their_presets_are_reached_by_name() -> None:
    assert preset("wide").over(8).policy == "wide"
    assert preset("second-look").over(40).block == 16 and preset("second-look").over(40).passes == 40


@pytest.mark.parametrize(("heading", "kind"), [("View", View), ("Choice", Choice), ("Needs", Needs)])
def test_a_table_names_every_field(heading: str, kind: Any) -> None:
    table = GUIDE.split(f"| `{heading}` |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.M) == [f.name for f in fields(kind)]


def test_what_the_guide_calls_a_declaration_is_one() -> None:
    table = GUIDE.split("| name | says |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.M) == list(DECLARATIONS)
    assert all(f"`{name}`" in GUIDE for name in IN_A_PRESET)
    assert {*re.findall(r"belief\.(\w+)", GUIDE)} <= {f.name for f in fields(Belief)}
