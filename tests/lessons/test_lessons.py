"""The course: every file is read, every script starts, and a broken one is named with its line."""

import shutil
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from unmask.__main__ import main
from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models import load
from unmask.run.plan import plan_run
from unmask.ui.course import routes
from unmask.ui.lessons import ASKS, FOLDER, Lesson, languages, lessons, own_lessons, parts, read, words
from unmask.ui.lessons.lesson_run import Runs

ALL = [(language, lesson) for language in languages() for lesson in lessons(language)]


@pytest.mark.parametrize("language, lesson", ALL, ids=[f"{a}-{b.name}" for a, b in ALL])
def test_a_lesson_predicts_plays_checks_and_says_why(language: str, lesson: Lesson) -> None:
    kinds = [block.kind for block in lesson.blocks]
    assert lesson.claim.endswith(".") and {"predict", "play", "check", "why", "text"} <= {*kinds}
    assert kinds.index("predict") < kinds.index("check")
    for order in lesson.specs:
        model = load(order.model)
        assert order.start(model.card, model.tokenizer).canvas.open.any()


@pytest.mark.parametrize("language", languages())
def test_every_language_has_the_same_lessons_with_the_same_scripts(language: str) -> None:
    english = lessons("en")
    there = lessons(language)
    assert len(english) >= 12 and [b.name[:2] for b in there] == [a.name[:2] for a in english]
    assert [lesson.language for lesson in there] == [language] * len(there)  # none is missing today
    assert words(language).keys() == words("en").keys() and all(words(language).values())
    assert [lesson.specs for lesson in there] == [lesson.specs for lesson in english]
    for one, other in zip(there, english, strict=True):
        assert [goals(runs) for runs in (one.runs, *one.also)] == [goals(runs) for runs in (other.runs, *other.also)]


def goals(runs: Runs) -> list[object]:
    return [(name, run.spec, run.pin, [goal.text for goal in run.goals.values()]) for name, run in runs.items()]


FRONT = "---\nruns:\n  one:\n    prompt: '1'\n    model: toy\n    goals: {It ends: looks > 0}\n---\n"


def changed(old: str, new: str) -> str:
    """The beginning of a lesson with a mistake in its runs."""
    assert old in FRONT
    return FRONT.replace(old, new)


@pytest.mark.parametrize(
    "text, why",
    [
        ("# no runs\n\n> x\n", "line 1: a lesson begins with '---'"),
        ("---\nruns: [\n---\n# a\n\n> b\n", "line 2: this is not YAML"),
        ("---\nother: 1\n---\n", "'runs:' and under it at least one run"),
        (changed("prompt", "promt"), "run 'one': 'promt' is not a field"),
        (changed("    goals: {It ends: looks > 0}\n", ""), "run 'one': a run has fields, and at least one goal"),
        (changed("looks > 0", "looks > nothing"), "run 'one': 'nothing' is not a measure"),
        (changed("looks > 0", "looks are few"), "run 'one': a goal compares two measures"),
        (changed("looks > 0", "looks > two.looks"), "compares with 'two', which is no run before it"),
        (changed("model: toy", "length: 0"), "run 'one': the length must be at least 1"),
        (changed("model: toy", "pin: {cell: 1}"), "a pin has three fields"),
        (changed("  one:", "  twin:"), "a run's name is one word of letters, and not 'twin'"),
        (FRONT + "no title\n\n> x\n", "line 8: after its runs come '# title'"),
        (FRONT + "# a\n\n> b\n\n```play\ntwo\n```\n", "line 13: there is no run 'two'; there are one"),
        (FRONT + "# a\n\n> b\n", "each run is played once, in the order of the runs: one, not none"),
        (FRONT + "# a\n\n> b\n\n```run\n```\n", "line 12: a block is one of"),
        (FRONT + "# a\n\n> b\n\n```why\nnever ends\n", "line 12: a block is one of"),
        (FRONT + "# a\n\n> b\n\n```check\nq\n- a\n  x\n+ b\n```\n", "line 13: a question of one line"),
        (FRONT + "# a\n\n> b\n\n```check\nq\n- a\n  {two.looks}\n+ b\n  x\n```\n", "names no run of this lesson"),
        (FRONT + "# a\n\n> b\n\n```check\nq\n- a\n  {one.luck}\n+ b\n  x\n```\n", "'luck' is no measure"),
    ],
)
def test_a_broken_lesson_is_named_with_what_is_wrong(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "01-x.md"
    file.write_text(text)
    with pytest.raises(InvalidRequest, match=r"01-x\.md") as refused:
        read(file)
    assert why in str(refused.value)


WHOLE = FRONT + "# a\n\n> b.\n\n```play\none\n```\n"


def test_lessons_of_ones_own_are_in_a_folder_and_a_mistake_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNMASK_LESSONS", str(tmp_path))
    config.cache_clear()
    assert [*own_lessons()] == []
    (tmp_path / "mine.md").write_text(WHOLE)
    (tmp_path / "wrong.md").write_text("# a\n")
    with TestClient(Starlette(routes=routes())) as client:
        course = client.get("/unmask/lessons/en.json").json()
    assert [row["name"] for row in course["lessons"]][-1] == "mine" and len(course["lessons"]) == len(lessons("en")) + 1
    assert course["wrong"] == ["wrong.md, line 1: a lesson begins with '---', its runs in YAML, and '---'"]
    config.cache_clear()


def test_the_command_checks_a_file_and_says_what_is_not_true(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.md"
    file.write_text(WHOLE)
    assert main(["lessons", "--check", str(file)]) == 0
    assert capsys.readouterr().out == "mine: true; shown on 0 of 0 other prompts\n"
    file.write_text(WHOLE.replace("looks > 0", "looks > 9000"))
    assert main(["lessons", "--check", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("mine: run 'one': “It ends” is not true: looks > 9000, and it is")
    assert lines[1].startswith("mine: not true")
    file.write_text("# a\n")
    assert main(["lessons", "--check", str(file)]) == 2
    assert main(["lessons"]) == 0 and "Two words can each be likely" in capsys.readouterr().out
    assert main(["lessons", "--language", "xx"]) == 2


@pytest.mark.parametrize("lesson", lessons("en"), ids=[one.name for one in lessons("en")])
def test_every_wrong_answer_has_a_reply_of_its_own_and_every_run_a_goal(lesson: Lesson) -> None:
    for block in lesson.blocks:
        if block.kind in ASKS:
            replies = block.fields["replies"]
            assert len(set(replies)) == len(block.fields["answers"]) == len(replies)
    assert all(run.goals for run in lesson.runs.values()) and len(lesson.also) >= 3


def test_a_lesson_without_a_translation_is_in_english_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER / "en", tmp_path / "en")
    shutil.copytree(FOLDER / "it", tmp_path / "it")
    (tmp_path / "it" / "02-sotto-la-maschera.md").unlink()
    (tmp_path / "en" / "99-new.md").write_text(WHOLE.replace("# a", "# New"))
    monkeypatch.setattr("unmask.ui.lessons.FOLDER", tmp_path)
    there = lessons.__wrapped__("it")
    assert [one.language for one in there if one.language != "it"] == ["en", "en"]
    assert there[1].title == lessons("en")[1].title and there[-1].to_dict()["language"] == "en"
    assert "inglese" in words.__wrapped__("it")["untranslated"]


def test_prose_is_cut_into_parts_and_never_into_markup() -> None:
    found = parts("with [16 passes](passes 1 64) and *care*, [so](https://a.b/c) <b>x</b>")
    assert found[1] == {"handle": "passes", "unit": " passes", "value": 16.0, "low": 1.0, "high": 64.0}
    assert found[3] == {"text": "care", "strong": True} and found[5] == {"text": "so", "link": "https://a.b/c"}
    assert found[6] == {"text": " <b>x</b>"}


@pytest.mark.parametrize("lesson", lessons("en"), ids=[one.name for one in lessons("en")])
def test_a_run_has_as_many_passes_as_its_lesson_says(lesson: Lesson) -> None:
    """Two passes were once three: in blocks of 32, 96 cells take one each at least."""
    for order in lesson.specs:
        model = load(order.model)
        state = order.start(model.card, model.tokenizer)
        cells = int(state.canvas.open.sum())
        if "passes" in order.changes:
            assert plan_run(state).passes == min(order.changes["passes"], cells), order
