"""A word that a rule wants is put before the prompt as well, where the model was trained to be asked for words."""

from dataclasses import replace

import pytest

from unmask.models import load
from unmask.models.toy import Toy
from unmask.run.spec import RunSpec
from unmask.run.word_request import wanted_words, with_word_request

KITE = {"kind": "contains", "text": "kite"}
CARD = replace(Toy().card, word_titles=("Story",))


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        ({}, []),
        (KITE, ["kite"]),
        ({"kind": "contains", "text": "two words"}, []),
        ({"kind": "contains", "text": ""}, []),
        ({"kind": "avoids", "text": "kite"}, []),
        ({"kind": "every", "of": [KITE, {"kind": "length"}, {"kind": "contains", "text": "mill"}]}, ["kite", "mill"]),
    ],
)  # fmt: skip
def test_single_words_are_wanted(constraint: dict[str, object], words: list[str]) -> None:
    assert wanted_words(constraint) == words


def test_only_a_prompt_of_a_kind_that_was_trained_so_gets_the_line() -> None:
    assert with_word_request("Story: Mia ran.", CARD, KITE) == "Words: kite\nStory: Mia ran."
    for prompt in ("Recipe: soup", "Mia ran.", "Story: Mia had a [MASK:4].", "Words: sun\nStory: Mia ran."):
        assert with_word_request(prompt, CARD, KITE) == prompt
    assert with_word_request("Story: Mia ran.", Toy().card, KITE) == "Story: Mia ran."
    assert with_word_request("Story: Mia ran.", CARD, {}) == "Story: Mia ran."
    four = {"kind": "every", "of": [{"kind": "contains", "text": word} for word in ("sun", "sea", "hen", "owl")]}
    assert with_word_request("Story: Mia ran.", CARD, four) == "Words: sun, sea, hen\nStory: Mia ran."  # as trained


@pytest.mark.parametrize("model", ["denoiser", "fast", "twin"])
def test_a_run_of_the_pair_begins_with_it(model: str) -> None:
    denoiser = load(model)
    spec = RunSpec("Story: Mia ran.", length=40, changes={"constraint": KITE})
    state = spec.start(denoiser.card, denoiser.tokenizer)
    canvas = state.canvas
    assert denoiser.tokenizer.decode(canvas.tokens[canvas.given].tolist()) == "Words: kite\nStory: Mia ran."
    assert int(canvas.open.sum()) == 40
