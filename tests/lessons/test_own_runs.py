"""What a lesson says is true of what it plays, on the shipped weights; and on other prompts of its kind."""

from __future__ import annotations

import pytest

from tests.long import mostly_long
from unmask.models.bundled import available_builtins
from unmask.ui.lessons import Lesson, lessons
from unmask.ui.lessons.check import ENOUGH, check, check_also, play

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not {"denoiser", "twin"} <= set(available_builtins()), reason="the pair is not here"),
]
ALL = lessons("en")
each = pytest.mark.parametrize("lesson", ALL, ids=[one.name for one in ALL])
every_third = pytest.mark.parametrize("lesson", mostly_long(ALL, ALL[::3]), ids=[one.name for one in ALL])


@every_third
def test_every_goal_is_met_on_the_lessons_own_runs(lesson: Lesson) -> None:
    assert [str(miss) for miss in check(lesson)] == []


@pytest.mark.long
@each
def test_the_goals_are_met_on_other_prompts(lesson: Lesson) -> None:
    missed = check_also(lesson)
    assert sum(not one for one in missed) >= ENOUGH * len(missed), [str(miss) for one in missed for miss in one]


def test_a_pinned_name_changes_every_place_that_names_the_person() -> None:
    """Lesson 11 says so: the cells that differ are those of the old name."""
    first, _, pinned = (play(run) for run in lessons("en")[10].runs.values())
    name = pinned["text"].split(" asked ")[1].split(".")[0]
    old = first["text"].split(" asked ")[1].split(".")[0]
    assert name == "Matteo" != old
    assert pinned["text"] == first["text"].replace(old, name) and first["text"].count(old) > 2
