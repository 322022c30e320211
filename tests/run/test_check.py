"""Checks: what each of the package finds, what it must not, and how a check that misbehaves ends."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.inference import checker_of
from unmask.run.check import CheckFailed, check_names, get_check, own_check, require_checks
from unmask.run.check_sentence import check_sentences
from unmask.run.settings import Settings

WRONG = [
    ("sums", "", "8 + 9 = 18", "18", "8 + 9 is 17"),
    ("sums", "", "2 + 3 * 4 = 20", "20", "2 + 3 * 4 is 14"),
    ("repeats", "", "A dog ran home. It was late. A dog ran home.", "A dog ran home.", "there already"),
    ("names", "Mia had a kite.", " It flew. Then Tobias smiled at it.", "Tobias", "nobody has introduced Tobias"),
    ("names", "Mia had a kite.", " It flew. Tobias smiled.", "Tobias", "nobody has introduced Tobias"),
    ("quotes", "", 'She said "come here.\nHe did.', '"come here.', "not closed"),
    ("quotes", "", "She said “come here.\nHe did.", "“come here.", "not closed"),
    ("python", "", "def f(n):\n    return (n +\n", "return (n +", "Python cannot read"),
    ("json", "", '{"a": 1, "b" 2}', "2}", "not JSON"),
    ("rhyme", "", "The cat sat on the mat\nand saw a dog", "dog", "dog does not rhyme with mat"),
    ("facts", "User: 86 + 4\nAssistant:", " 86 + 4 = 80", "86 + 4 = 80", "is not 86 + 4 = 90"),
]  # fmt: skip
RIGHT = [
    ("sums", "", "8 + 9 = 17, 2 * 3 + 4 = 10, 10 - 4 - 3 = 3; 8 + 9 = 1░"),
    ("repeats", "", "Yes. A dog ran home. Yes. It was late."),
    ("names", "Mia had a kite.", " Mia ran. The kite flew. You need one, Mia. Toby saw it. Mia told Toby."),
    ("quotes", "", 'She said "come here".\n"Yes," he said.\n"""A docstring'),
    ("python", "", "def f(n):\n    return n + 1\n"),
    ("python", "", "Code is what the bells say."),
    ("json", "Give me JSON: {", '{"a": [1, 2]} and more'),
    ("json", "", "no braces here"),
    ("rhyme", "", "The cat sat on the mat\nand looked at a bat\nso late\nat the gate"),
    ("facts", "User: 86 + 4\nAssistant:", " 86 + 4 = 90"),
    ("facts", "Nothing that the judge knows", " 1 + 1 = 3"),
]  # fmt: skip


def found(name: str, prompt: str, answer: str, **options: object) -> list[tuple[str, str]]:
    text = prompt + answer
    return [(text[a:b], why) for a, b, why in get_check(name).findings(text, len(prompt), options)]


@pytest.mark.parametrize(("name", "prompt", "answer", "place", "why"), WRONG)
def test_a_check_names_the_place_and_the_reason(name: str, prompt: str, answer: str, place: str, why: str) -> None:
    (first,) = found(name, prompt, answer)
    assert first[0] == place and why in first[1]


@pytest.mark.parametrize(("name", "prompt", "answer"), RIGHT)
def test_a_check_finds_nothing_in_a_good_or_unfinished_text(name: str, prompt: str, answer: str) -> None:
    assert found(name, prompt, answer) == []


def test_json_fits_a_schema() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n", "who"]}
    places = found("json", "", '{"n": 12}', schema=schema)
    assert places == [('{"n": 12}', "who is missing"), ("12", "n is out of its range")]


def test_tests_run_only_with_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "tests" not in check_names()
    with pytest.raises(InvalidRequest, match="UNMASK_RUN_CODE"):
        get_check("tests")
    monkeypatch.setenv("UNMASK_RUN_CODE", "1")
    config.cache_clear()
    try:
        assert "tests" in check_names()
        program = "def twice(n):\n    return n + 2\n"
        assert found("tests", "", program, asserts="assert twice(2) == 4\nassert twice(3) == 6") == [
            ("return n + 2", "it does not hold: assert twice(3) == 6")
        ]
        assert found("tests", "", program, asserts="assert twice(2) == 4") == []
    finally:
        monkeypatch.undo()
        config.cache_clear()


def test_a_file_in_a_folder_is_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lower.py").write_text('"""No capitals."""\ndef check(text):\n    yield 0, 1, "a capital"\n')
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    monkeypatch.setenv("UNMASK_CHECKS", str(tmp_path))
    config.cache_clear()
    try:
        assert get_check("lower").says == "No capitals" and found("lower", "", "Ab") == [("A", "a capital")]
        with pytest.raises(InvalidRequest, match="no function 'check'"):
            get_check("empty")
        with pytest.raises(InvalidRequest, match="ZeroDivisionError"):
            get_check("broken")
    finally:
        monkeypatch.undo()
        config.cache_clear()


def test_the_check_of_the_guide_is_one(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "checks.md").read_text()
    code = guide.split("```python shout\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    assert own_check(names["check"]).findings("He said no, NEVER and OK.", 0, {}) == [(12, 17, "NEVER shouts")]
    listed = set(re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE)) - {f.name for f in fields(Settings)}
    assert listed - {"tests"} == set(check_names())


def test_a_check_that_misbehaves_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker_of, "SECONDS", 0.05)

    def raises(text: str) -> list[tuple[int, int, str]]:
        raise SystemExit(3)

    def hangs(text: str) -> list[tuple[int, int, str]]:
        import threading

        threading.Event().wait(30)
        return []

    def beyond(text: str) -> list[tuple[int, int, str]]:
        return [(0, 99, "far")]

    def shapeless(text: str) -> list[object]:
        return ["no"]

    for find, why in (
        (raises, "SystemExit"),
        (hangs, "took too long"),
        (beyond, "0 to 99"),
        (shapeless, "not a start"),
    ):
        with pytest.raises(CheckFailed, match=why):
            own_check(find).findings("abc", 0, {}, checker_of.limited)  # type: ignore[arg-type] # as somebody may write it


def test_settings_name_checks_and_their_options() -> None:
    require_checks(Settings(checks=("json", "sums"), check_options={"json": {"schema": {}}}))
    for changes, why in (
        ({"checks": ("nothing",)}, "no check 'nothing'"),
        ({"checks": ("sums",), "check_options": {"json": {}}}, "not among the checks"),
        ({"checks": ("sums",), "check_options": {"sums": {"x": 1}}}, "has no option 'x'"),
        ({"checks": ("sums",), "check_options": {"sums": 1}}, "names with values"),
    ):
        with pytest.raises(InvalidRequest, match=why):
            require_checks(Settings(**changes))  # type: ignore[arg-type]


def test_the_sentence_says_how_often_and_why_it_ended() -> None:
    assert check_sentences(()) == "The checks found nothing."
    rows = [(1, "sums", "a", "reopened"), (2, "sums", "b", "reopened"), (3, "sums", "b", "stands")]
    assert check_sentences(rows) == (
        "Reopened twice: 1 place is mended. Found again and again, or not the model's to change, so it stays: b. "
        "Nothing else was found."
    )
    assert "All rounds were used, so this stays: c." in check_sentences([(3, "sums", "c", "left")])
    assert check_sentences([(3, "x", "the check 'x' failed: E", "failed")]).endswith("failed: E; it was left out.")
