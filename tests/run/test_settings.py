"""Every setting is checked at the door, and says in a sentence what it wants."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.run.settings import Settings
from unmask.run.state import start

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"policy": "treshold"}, "no policy 'treshold'; there are ancestral, backtrack"),
    ({"policy": []}, "no policy"),
    ({"options": {"tao": 1}}, "'confidence' has no knob 'tao'; it has none"),
    ({"policy": "threshold", "options": {"tau": 7}}, "tau of 'threshold' must be a number from 0.5 to 1"),
    ({"policy": "threshold", "options": {"tau": "high"}}, "tau of 'threshold' must be a number"),
    ({"policy": "backtrack", "options": {"n": 1.5}}, "n of 'backtrack' must be a whole number"),
    ({"options": 3}, "options must be names with values"),
    ({"passes": 0}, "passes must be a whole number from 1 to 4096, not 0"),
    ({"passes": -3}, "passes must be"),
    ({"passes": 1_000_000}, "passes must be"),
    ({"passes": 2.5}, "passes must be a whole number"),
    ({"passes": True}, "passes must be"),
    ({"passes": "8"}, "passes must be"),
    ({"temperature": float("nan")}, "temperature must be"),
    ({"temperature": None}, "temperature must be"),
    ({"top_p": 1.1}, "top_p must be a number from 0 to 1"),
    ({"schedule": "lineal"}, "schedule must be one of linear, cosine"),
    ({"schedule": "drawn"}, "needs a list of shares"),
    ({"schedule": "drawn", "shares": (0.0,)}, "not all zero"),
    ({"schedule": "drawn", "shares": (1e308,) * 20}, "shares"),
    ({"schedule": "drawn", "shares": (float("inf"), 1.0)}, "shares"),
    ({"shares": "abc"}, "shares must be a list"),
    ({"shares": ["a"]}, "shares must be numbers from 0"),
    ({"bans": 3}, "bans must be a list"),
    ({"bans": [-1]}, "bans must be whole numbers from 0"),
    ({"bans": [1.5]}, "bans must be whole numbers"),
    ({"bans": [None]}, "bans must be whole numbers"),
    ({"bans": [float("inf")]}, "bans must be whole numbers"),
    ({"bans": range(5000)}, "bans has 5000 items; 4096 are possible"),
    ({"boosts": {"a": 1}}, "a boosted token is a whole number from 0 on, not 'a'"),
    ({"boosts": {3: float("nan")}}, "boosts must be numbers from -100 to 100"),
    ({"boosts": {3: 1e300}}, "boosts must be numbers from -100 to 100"),
    ({"boosts": {3: "much"}}, "boosts must be numbers"),
    ({"boosts": [1]}, "boosts must be names with values"),
    ({"end": "never"}, "end must be one of allow, penalise, forbid, stop"),
    ({"precision": {}}, "precision must be one of"),
    ({"seed": -1}, "seed must be"),
    ({"noise": 5}, "no setting 'noise'"),
    ({"heat": 1}, "no setting 'heat'; there are bans, bend"),
]


@pytest.mark.parametrize(("changes", "says"), WRONG, ids=[str(c)[:40] for c, _ in WRONG])
def test_a_wrong_setting_is_a_sentence(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        Settings().with_changes(changes)
    assert says in str(refused.value)
    assert refused.value.field in {*changes, "options", "shares"}


def test_settings_come_back_from_json() -> None:
    settings = Settings("edit", {"tau": 0.8}, shares=(1, 2), bans=(9, 3, 9), boosts={7: -2}, temperature_end=0.1)
    plain = {k: v for k, v in json.loads(json.dumps(settings.to_dict())).items() if k != "noise"}
    assert Settings().with_changes(plain) == settings
    assert settings.bans == (3, 9) and settings.options["post"] == 16


def test_one_knob_may_move_alone_and_another_policy_starts_with_its_own() -> None:
    settings = Settings("edit", {"tau": 0.8}).with_changes({"options": {"post": 3}})
    assert dict(settings.options) == {"tau": 0.8, "tau_edit": 0.5, "post": 3}
    assert dict(settings.with_changes({"policy": "threshold"}).options) == {"tau": 0.9}


def test_settings_cannot_be_changed_in_place() -> None:
    settings = Settings(boosts={1: 2.0})
    with pytest.raises(TypeError):
        settings.boosts[1] = 3.0  # type: ignore[index]
    with pytest.raises(AttributeError):
        settings.passes = 3  # type: ignore[misc]


@given(
    st.dictionaries(
        st.sampled_from([f.name for f in fields(Settings)]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=5,
        ),
        max_size=3,
    )
)
def test_any_junk_is_taken_or_refused(changes: dict[str, Any]) -> None:
    try:
        Settings().with_changes(changes)
    except InvalidRequest as refused:
        assert str(refused)


def test_a_drawn_temperature_holds_part_by_part() -> None:
    settings = Settings(passes=8, heats=(0.0, 0.5, 1.0, 2.0))
    state = start(blank([[0], 8]), settings)
    row = [replace(state, step=step).temperature for step in (0, 1, 2, 5, 7, 20)]
    assert row == [0.0, 0.0, 0.5, 1.0, 2.0, 2.0]
    assert settings.to_dict()["heats"] == [0.0, 0.5, 1.0, 2.0] and settings.with_changes({"heats": []}).heats == ()
    for wrong in ([-0.1], [6.0]):
        with pytest.raises(InvalidRequest, match="heats must be"):
            Settings().with_changes({"heats": wrong})
