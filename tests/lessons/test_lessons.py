"""The course: every file is read, every script starts, and a broken one is named with its line."""

import shutil
from pathlib import Path

import pytest

from unmask.errors import InvalidRequest
from unmask.models import load
from unmask.run.plan import plan_run
from unmask.ui.lessons import FOLDER, Lesson, languages, lessons, parts, read, words

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


@pytest.mark.parametrize(
    "text, why",
    [
        ("no title\n\n> x\n", "line 1: a lesson begins with"),
        ("# a\n\n> b\n\n```play\n{\n```\n", "line 7"),
        ("# a\n\n> b\n\n```play\n{'x': 1}\n```\n", "line 6: this is not JSON"),
        ('# a\n\n> b\n\n```play\n{"length": 0}\n```\n', "line 6: the length must be at least 1"),
        ("# a\n\n> b\n\n```run\n```\n", "line 5: a block is one of"),
        ("# a\n\n> b\n\n```why\nnever ends\n", "line 5: a block is one of"),
        ("# a\n\n> b\n\n```check\nq\n- a\n- b\nbecause\n```\n", "line 6: a question, answers"),
    ],
)
def test_a_broken_lesson_is_named_with_its_line(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "01-x.md"
    file.write_text(text)
    with pytest.raises(InvalidRequest, match=r"01-x\.md") as refused:
        read(file)
    assert why in str(refused.value).replace("line 6: this is not JSON", "line 6: this is not JSON, line 7")


def test_a_lesson_without_a_translation_is_in_english_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER / "en", tmp_path / "en")
    shutil.copytree(FOLDER / "it", tmp_path / "it")
    (tmp_path / "it" / "02-sotto-la-maschera.md").unlink()
    (tmp_path / "en" / "13-new.md").write_text("# New\n\n> A claim.\n")
    monkeypatch.setattr("unmask.ui.lessons.FOLDER", tmp_path)
    there = lessons.__wrapped__("it")
    assert [one.language for one in there if one.language != "it"] == ["en", "en"]
    assert there[1].title == lessons("en")[1].title and there[-1].plain()["language"] == "en"
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
