"""What the page's examples say is so with the weights that ship; where it is not so, the page says that instead."""

from dataclasses import fields
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pair.evaluation.claims import CLAIMS, Pair, Trial, TrialResult, outcome, sides_differ
from unmask.models import load
from unmask.models.bundled import CANVAS
from unmask.run.judge import Verdict
from unmask.ui.examples import FILE, MISSED, WORDS, Example, examples, shapes
from unmask.ui.prompt_templates import RIGHT, SHAPES, working_templates


@cache
def pair() -> Pair:
    return Pair(load("denoiser"), load("twin"))


def trial(example: Example) -> Trial:
    return Trial(**{f.name: getattr(example, f.name) for f in fields(Trial)})


def test_they_were_looked_for_with_the_weights_that_ship() -> None:
    import json

    weights = json.loads(FILE.read_text())["weights"]
    assert weights == {"denoiser": pair().denoiser.card.weights, "twin": pair().twin.card.weights}, "make examples"


@pytest.mark.parametrize("example", examples(), ids=lambda e: e.name)
def test_an_example_shows_what_it_says_or_says_that_it_does_not(example: Example) -> None:
    (claim,) = (one for one in CLAIMS if one.name == example.name)
    assert claim.proof(pair(), trial(example)) == example.proof
    assert example.shows.startswith(MISSED) is (example.proof == "")


def test_the_sides_of_an_example_differ() -> None:
    """A change of mind ended in the twin's own text, word for word. Only the list has one right text."""
    same = [one.name for one in examples() if not sides_differ(pair(), trial(one))]
    assert same == ["list"]


def test_every_claim_has_its_words_and_its_example() -> None:
    assert [e.name for e in examples()] == [claim.name for claim in CLAIMS] == list(WORDS)


@pytest.mark.parametrize("row", shapes(), ids=lambda row: row["shape"])
def test_a_kind_that_is_offered_was_right_nine_times_of_ten_and_its_example_is(row: dict[str, Any]) -> None:
    """Code was offered, every second text of which was wrong, and rows of one's own words to copy, nearly all wrong."""
    assert row["of"] == 100, "make examples"
    if row["right"] < RIGHT * row["of"]:
        assert working_templates([row]) == []
        return
    (kind,) = (one for one in SHAPES if one.shape == row["shape"])
    prompt = kind.template.format(**row["example"])
    assert kind.read(prompt) == row["example"]
    assert outcome(pair().denoiser, Trial(prompt, kind.length, CANVAS["preset"])).verdict.strict
    assert [one["name"] for one in working_templates([row])] == [kind.name]


# more than one text is right; recipes and letters came out the same for every prompt that was tried
FREE = ("story", "chat", "dialogue", "steps")


def test_the_two_sides_write_different_texts_where_more_than_one_is_right() -> None:
    """The page's own openings compared a text with itself: story, recipe, dialogue, letter and steps were the same."""
    prompts = {row["shape"]: row["example"] for row in shapes()}
    kinds = [one for one in SHAPES if one.shape in FREE]
    trials = [Trial(one.template.format(**prompts[one.shape]), one.length, CANVAS["preset"]) for one in kinds]
    same = [one.shape for one, trial in zip(kinds, trials, strict=True) if not sides_differ(pair(), trial)]
    assert same == []


def test_a_prompt_of_another_form_is_not_read() -> None:
    (dialogue,) = (one for one in SHAPES if one.shape == "dialogue")
    lost = "I cannot find my red kite anywhere!"
    blanks = {"one": "Ann", "two": "Bo", "colour": "red", "thing": "kite"}
    assert dialogue.read(f"Dialogue: Ann and Bo\nAnn: {lost}\n") == blanks
    assert dialogue.read(f"Dialogue: Ann and Bo\nBo: {lost}\n") is None
    assert dialogue.read("Story: Ann") is None


def test_a_change_behind_the_end_of_the_text_is_no_change_of_mind() -> None:
    """The page's example of changed words once changed only cells that nobody sees."""
    frame: Any = SimpleNamespace(cells=np.array([1, 2, 5]), was=np.array([7, -1, 7]), erased=np.array([0, 4]))
    shown = np.array([True, True, True, False, False, False])
    found = TrialResult("", Verdict(()), 1, (frame,), False, shown)
    assert found.rewrites == 2  # cell 1 was changed, and cell 0 taken back
