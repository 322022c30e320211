"""Rules on the bundled pair: what used to be spoiled text, by the lists that rules are measured with."""

from collections import Counter
from functools import cache

import pytest

from pair.evaluation.rules import Outcome, Task, attempt, tasks
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.run.spec import RunSpec

EACH = {(task.kind, task.number): task for task in tasks()}


@cache
def denoiser() -> Denoiser:
    return load("denoiser")


def tried(kind: str, number: int) -> Outcome:
    return attempt(denoiser(), EACH[kind, number])


def test_there_are_thirty_of_each_kind_and_half_are_held_out() -> None:
    assert {*Counter(kind for kind, _ in EACH).values()} == {30}
    assert sum(task.held_out for task in EACH.values()) == 3 * 30


def test_the_judge_refuses_what_a_rule_spoiled() -> None:
    """Each of these texts was written under its rule, and keeps it."""
    spoiled: dict[tuple[str, int], str] = {
        ("contains", 0): " Toby thought about it all morning.\nelephant: What colour was the jar?",
        ("avoids", 0): " Every day at the",
        ("choice", 16): "school",
        ("schema", 0): ' {"name": "\\", I\\": 2\\",town\\": we\\", tooday. ", "hour": 4}',
        ("pattern", 0): " One.",
        (
            "gap",
            0,
        ): "Story: Mia lost her grey kite and cried. Mia wanted to hold theDear. In the end Mia found her kite.",
    }
    assert not any(EACH[task].right(text) for task, text in spoiled.items())
    assert EACH["schema", 0].right(' {"name": "Maya", "hour": 4}') and EACH["choice", 16].right(" beach")


def test_a_word_that_must_be_there_is_in_the_story() -> None:
    """The story was written without it, and went on: `elephant: What colour was the jar?`"""
    found = tried("contains", 0)
    assert "an old elephant" in found.text and "\n" not in found.text


def test_an_animal_in_the_place_of_a_thing_is_not_right_and_was_doubted_before_the_run() -> None:
    """The judge took the elephant, which Toby washed and painted, for a jar."""
    found = tried("contains", 0)
    assert not found.right and "“elephant”" in found.doubt


def test_a_story_without_a_word_is_whole() -> None:
    """It stopped in a sentence, so that the word could stand behind its end: `Every day at the`."""
    found = tried("avoids", 0)
    assert found.right and "sighed" not in found.text


def test_json_holds_what_the_text_says() -> None:
    r"""It was valid, and no record: `{"name": "\", I\": 2\",town\": we\", tooday. ", "hour": 4}`."""
    found = tried("schema", 0)
    assert found.text.strip() == '{"name": "Maya", "hour": 4}'
    assert found.passes <= 12  # 19 before; its twin needs as many


@pytest.mark.parametrize("number", [6, 16])
def test_fields_in_another_order_or_fewer_are_those_of_the_whole_record(number: int) -> None:
    """It wrote what usually comes second in a record: `{"name": "Yusuf", "day": "grapes"}`."""
    assert tried("schema", number).right


def test_a_run_aside_is_shown_and_writes_nothing() -> None:
    task = EACH["schema", 6]
    state = RunSpec(task.prompt, length=112, changes={"constraint": dict(task.rule)}).start(
        denoiser().card, denoiser().tokenizer
    )
    passes = list(decode(denoiser(), state))
    aside = [frame for now, frame in passes if now.aside is not None and not now.aside.canvas.open.all()]
    assert aside and not any(frame.cells.size or frame.done for frame in aside)
    shown = denoiser().tokenizer.decode(aside[-1].guess[state.canvas.free].tolist())
    assert shown.startswith(' {"name": "Yusuf", "item": "grapes"') and passes[-1][0].aside is None


def test_a_blank_takes_the_option_that_fits_whatever_its_length() -> None:
    """Only texts of exactly as many tokens as the blank could fill it: `At the school Anna met Ben.`"""
    assert tried("choice", 16).text.strip() == "beach"


@pytest.mark.parametrize("number", [0, 26])
def test_a_pattern_holds_whole_sentences(number: int) -> None:
    """A pattern's texts ended where it first let them: `One.`, `One day she took the box to.`"""
    assert tried("pattern", number).right


def test_a_long_gap_before_an_ending_holds_whole_sentences() -> None:
    """`Mia wanted to hold theDear. Mia said aYes, but and it was on was.. Mia.`"""
    found = tried("gap", 0)
    assert found.right and found.text.endswith(". In the end Mia found her kite.")


@pytest.mark.parametrize("number", [14, 16])
def test_a_gap_that_is_too_long_is_filled_with_fewer_cells(number: int) -> None:
    """`So Squirrel told Duck a funny story about the Soon Squirrel Soon Squirrel and Duck laughed so loud …`"""
    assert tried("gap", number).right


def test_an_unknown_word_stands_where_it_fits_best() -> None:
    """Where it came again it was doubted again, so it took the place of `a`: `Then tiger deer ran past`."""
    assert tried("contains", 12).right


@pytest.mark.parametrize("kind", ["gap", "contains", "avoids", "schema"])
def test_a_text_is_the_same_while_it_is_watched(kind: str) -> None:
    """A gap was filled otherwise on the page: cells of later blocks, inferred only to be shown, were written."""
    task = EACH[kind, 0]
    spec = RunSpec(task.prompt, length=112, changes={"constraint": dict(task.rule)} if task.rule else {})
    state = spec.start(denoiser().card, denoiser().tokenizer)
    texts = [[now.canvas.tokens.tolist() for now, _ in decode(denoiser(), state, watched)] for watched in (False, True)]
    assert texts[0] == texts[1]


def test_a_task_that_is_refused_is_not_right() -> None:
    task = Task("contains", 0, "Story:", {"kind": "contains", "text": "word " * 120}, lambda text: True)
    found = attempt(denoiser(), task)
    assert found.refused and not found.right
