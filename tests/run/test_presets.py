"""Presets come from policy files: one that ends with PRESETS brings its own, one without gets an automatic one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from unmask.decide import get_policy, policy_names
from unmask.errors import InvalidRequest
from unmask.run.presets import preset, presets

POLICY = '''"""Write the surest cell."""
from unmask.decide import Choice, View, best

def mine(view: View) -> Choice:
    return Choice(best(view, view.belief.confidence, quota=1))
'''
OWN = """
PRESETS = {
    "mine-slow": {"title": "Mine, slow", "says": "One at a time.", "origin": "me", "per_cell": True},
    "mine-warm": {"title": "Mine, warm", "says": "Warm.", "origin": "me", "settings": {"temperature": 1, "passes": 9}},
}
"""


def put(folder: Path, configure: Callable[..., None], **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    configure(UNMASK_POLICIES=str(folder))


def test_presets_are_named_and_made_for_a_length() -> None:
    with pytest.raises(InvalidRequest, match="no preset 'lada'; there are autoregressive, "):
        preset("lada")
    for each in presets().values():
        settings = each.over(40, seed=3)
        assert settings.seed == 3
        assert settings.passes == (40 if each.per_cell else each.settings["passes"])
    assert preset("llada").over(0).passes == 1


def test_every_policy_is_reached_by_a_preset() -> None:
    assert {p.settings["policy"] for p in presets().values()} == {*policy_names()}
    assert all((p.name == p.settings["policy"]) == (not p.origin) for p in presets().values())


def test_a_policy_without_presets_gets_one_named_like_it(tmp_path: Path, configure: Callable[..., None]) -> None:
    put(tmp_path, configure, mine=POLICY)
    assert preset("mine").title == "Mine" and preset("mine").says == "Write the surest cell."
    assert list(presets()).index("mine") > list(presets()).index("wino")  # published ones come first
    assert preset("mine").over(20).policy == "mine" and preset("mine").over(20).passes == 20


def test_a_policy_brings_its_own_presets(tmp_path: Path, configure: Callable[..., None]) -> None:
    put(tmp_path, configure, mine=POLICY + OWN)
    assert "mine" not in presets()
    assert preset("mine-slow").over(7).passes == 7
    assert (preset("mine-warm").over(7).passes, preset("mine-warm").over(7).temperature) == (9, 1)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ('{"titel": "x"}', "unknown 'titel'; it may have title, plain, says, short, group, origin, per_cell, settings"),
        ('{"title": "x", "says": "y"}', "has no origin"),
        ('{"title": 3, "says": "y", "origin": "z"}', "title must be a text"),
        ('{"title": "x", "says": "y", "origin": "z", "settings": {"policy": "edit"}}', "names a policy"),
        ('{"title": "x", "says": "y", "origin": "z", "settings": {"pases": 3}}', "mine-own.*no setting 'pases'"),
        ('{"title": "x", "says": "y", "origin": "z", "settings": {"options": {"tau": 3}}}', "has no knob 'tau'"),
        ('{"title": "x", "says": "y", "origin": "z", "group": "odd"}', "mine-own.*group must be one of surest, sure"),
        ("7", "must be names with values"),
    ],
)
def test_a_wrong_preset_is_refused_by_name(tmp_path: Path, configure: Callable[..., None], row: str, says: str) -> None:
    put(tmp_path, configure, mine=POLICY + f'PRESETS = {{"mine-own": {row}}}')
    with pytest.raises(InvalidRequest, match=says):
        presets()


def test_a_group_is_one_of_those_in_the_list(tmp_path: Path, configure: Callable[..., None]) -> None:
    put(tmp_path, configure, mine=POLICY + 'group = "sure"\n' + OWN)
    assert preset("mine-slow").group == "sure" and preset("mine-slow").short == preset("mine-slow").says
    (more := tmp_path / "more").mkdir()
    put(more, configure, yours=POLICY.replace("mine", "yours") + 'group = "odd"\n')
    with pytest.raises(InvalidRequest, match="group of the policy 'yours' must be one of surest, sure"):
        presets()


def test_one_name_is_one_preset(tmp_path: Path, configure: Callable[..., None]) -> None:
    put(tmp_path, configure, mine=POLICY + OWN, yours=POLICY.replace("mine", "yours") + OWN)
    with pytest.raises(InvalidRequest, match="'mine' and 'yours' both have a preset 'mine-slow'"):
        presets()


def test_policy_files_are_read_once() -> None:
    assert get_policy("edit") is get_policy("edit") and presets() is presets()
