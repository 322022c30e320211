"""The plans name what the lessons have, and the example of a lesson of one's own is one that is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.serve.process import ROOT
from unmask.inference.measures import MEASURES
from unmask.ui.lessons import lessons, read
from unmask.ui.lessons.check import check, check_also

PLANS = (ROOT / "docs" / "teaching.md").read_text()
OWN = (ROOT / "docs" / "lessons.md").read_text()
PAGE = {"Class", "Run", "Beat the schedule", "Show the answers", "Which word comes here?", "Many prompts", "Claims"}


def rows(heading: str) -> list[list[str]]:
    part = PLANS.split(f"## {heading}")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:3] != "|--"]


@pytest.mark.parametrize("heading, minutes", [("45 minutes", 45), ("90 minutes", 90)])
def test_a_plan_names_runs_that_its_lesson_has(heading: str, minutes: int) -> None:
    course = lessons("en")
    plan = [row for row in rows(heading) if len(row) == 3 and row[0].isdigit()]
    times = [int(row[0]) for row in plan]
    assert times == sorted(times) and times[0] == 0 and times[-1] < minutes and len(plan) > 7
    for _, what, where in plan:
        named = re.findall(r"\*([^*]+)\*", what)
        if found := re.match(r"lesson (\d+)", where):
            buttons = {run.button for run in course[int(found[1]) - 1].runs.values()}
            assert {*named} <= buttons | PAGE, (what, buttons)
            assert {*named} & (buttons | PAGE), what
        else:
            assert {*named} <= PAGE, what


def test_the_page_for_pupils_is_one_page_and_asks_what_the_lessons_ask() -> None:
    text = (ROOT / "docs" / "pupils.md").read_text()
    assert len(text.splitlines()) < 45
    assert [int(n) for n in re.findall(r"^\| (\d+)\. ", text, re.MULTILINE)] == [1, 2, 3, 4, 5, 12, 13]


def test_every_measure_is_written_down() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", OWN, re.MULTILINE))
    assert table == {**MEASURES}


def test_the_example_of_a_lesson_is_true(tmp_path: Path) -> None:
    example = OWN.split("````markdown\n")[1].split("\n````\n")[0]
    (tmp_path / "mine.md").write_text(example)
    lesson = read(tmp_path / "mine.md")
    assert [block.kind for block in lesson.blocks] == ["text", "predict", "play", "check", "why"]
    assert [str(miss) for miss in check(lesson)] == [] and check_also(lesson) == [[]]
