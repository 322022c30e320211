"""Measures of runs whose every number is known, and goals that compare them."""

from __future__ import annotations

import pytest

from unmask.errors import InvalidRequest
from unmask.inference.decode import timelines
from unmask.inference.measures import MEASURES, Goal, compared, measure
from unmask.models import load
from unmask.run.command import Pin
from unmask.run.spec import RunSpec


def test_the_measures_of_a_run_from_the_left() -> None:
    oracle = load("permutations:4")
    spec = RunSpec("", "permutations:4", 4, changes={"policy": "left_to_right", "passes": 4, "temperature": 1.0})
    *_, timeline = timelines(oracle, spec, watched=True)
    found = measure(oracle, timeline.head, "", chance=True)
    assert {*MEASURES} <= {*found}
    counted = {name: found[name] for name in ("looks", "words", "together", "typed", "right", "replaced", "pinned")}
    assert counted == {
        "looks": 4, "words": 4, "together": 1, "typed": 1.0, "right": 1, "replaced": 0, "pinned": 0,
    }  # fmt: skip
    assert found["chance"] == pytest.approx(1.0) and found["faults"] is None
    assert len(found["tokens"]) == 4 and sorted(found["text"].split()) == ["1", "2", "3", "4"]


def test_an_edit_leads_to_its_moment_and_is_measured() -> None:
    oracle = load("permutations:4")
    spec = RunSpec("", "permutations:4", 4, changes={"policy": "left_to_right", "passes": 4})
    for moment in (1, 3):
        *_, timeline = timelines(oracle, spec, edits=[(moment, Pin((3,), (0,)))])
        path = timeline.head.path()
        assert [node.at for node in path if node.edit is not None] == [moment]
        assert measure(oracle, timeline.head, "")["pinned"] == 1
        assert int(timeline.head.canvas.tokens[3]) == 0 and timeline.head.state.done


def test_the_chance_of_a_large_world_is_not_counted() -> None:
    oracle = load("permutations:8")
    *_, timeline = timelines(oracle, RunSpec("", "permutations:8", 8, changes={"passes": 8}))
    assert measure(oracle, timeline.head, "", chance=True)["chance"] is None


OWN = {"looks": 5, "first": 0.5, "faults": None, "tokens": [1, 2, 3, 4]}
OTHER = {"looks": 30, "tokens": [1, 2, 9, 4]}


@pytest.mark.parametrize(
    "text, holds",
    [
        ("looks < 10", True),
        ("looks = 5", True),
        ("looks >= 5.5", False),
        ("first <= 0.5", True),
        ("twin.looks > 3 * looks", True),
        ("twin.looks > 6 * looks", False),
        ("2*looks<twin.looks", True),
        ("alike(twin) = 0.75", True),
        ("alike(twin) < 1", True),
        ("faults = 0", False),  # nothing is known of it
        ("faults < 100", False),
    ],
)
def test_a_goal_compares_two_terms(text: str, holds: bool) -> None:
    assert Goal(text).holds(OWN, {"twin": OTHER}) is holds


def test_what_a_goal_compares_with() -> None:
    assert Goal("twin.looks > 3 * looks").runs == {"twin"} and Goal("alike(one) = two.looks").runs == {"one", "two"}
    assert compared([Goal("alike(twin) > 0"), Goal("looks > 0")], OWN, {"twin": OTHER}) == {"alike(twin)": 0.75}
    assert Goal("alike(twin) > 0").values({"tokens": [1]}, {"twin": OTHER})[0] is None  # of another length


@pytest.mark.parametrize(
    "text", ["", "looks", "looks <", "looks << 3", "luck > 1", "one.luck > 1", "alike > 1", "a" * 999]
)
def test_a_goal_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        Goal(text)


def test_a_run_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="there is no run 'other'"):
        Goal("other.looks > 1").holds(OWN, {})
