"""Decisions are exact where the posterior is known, cost what they say, and refuse what cannot be wanted."""

from __future__ import annotations

from math import log
from typing import Any

import pytest

import unmask
from unmask.errors import InvalidRequest
from unmask.features.decisions.question import certainty
from unmask.models import Denoiser, load
from unmask.models.interface import Table
from unmask.models.oracle import Oracle


def choice(*options: str, **more: Any) -> dict[str, Any]:
    return {"type": "choice", "criteria": dict.fromkeys(options), **more}


class Counted(Denoiser):
    """A model that counts its forwards."""

    def __init__(self, inner: Denoiser) -> None:
        self.inner, self.card, self.tokenizer, self.forwards = inner, inner.card, inner.tokenizer, 0
        self.numpy_logits = inner.numpy_logits

    def logits(self, model_inputs: Any) -> list[Table]:
        self.forwards += len(model_inputs)
        return self.inner.logits(model_inputs)


def posterior(world: str, state: str, options: list[list[str]]) -> list[float]:
    """The share of each option among the world's texts that begin with the state."""
    oracle = load(world)
    assert isinstance(oracle, Oracle)
    texts = [[oracle.tokenizer.words[t] for t in text] for text in oracle.texts.tolist()]
    start = state.split()
    found = [sum(text[: len(start) + len(one)] == start + one for text in texts) for one in options]
    return [count / sum(found) for count in found]


@pytest.mark.parametrize("world", ["permutations:5", "balanced:6", "smallsums", "sudoku4"])
def test_beliefs_are_the_exact_posterior(world: str) -> None:
    oracle = load(world)
    assert isinstance(oracle, Oracle)
    words = oracle.tokenizer.words
    for text in oracle.texts.tolist()[:: len(oracle.texts) // 6]:
        for known in range(len(text)):
            state = " ".join(words[t] for t in text[:known])
            if not state:
                continue
            options = [word for word in words[:-2] if word != "="] if world == "smallsums" else list(words[:-2])
            if words[text[known]] not in options:
                continue
            found = unmask.ask(state, {"next": choice(*options)}, world)
            exact = posterior(world, state, [[one] for one in options])
            assert found.forwards == 1
            assert list(found["next"].values()) == pytest.approx(exact, abs=1e-6)


def test_options_of_several_tokens_are_scored_whole_and_are_exact_too() -> None:
    options = ["= 0 4", "= 0 6", "= 1 2", "= 0 9"]
    found = unmask.ask("3 + 1", {"sum": choice(*options)}, "smallsums")
    assert found["sum"]["= 0 4"] == pytest.approx(1, abs=1e-6)
    shares = unmask.ask("3", {"rest": choice("+ 1 = 0 4", "+ 9 = 1 2", "+ 2 = 0 9")}, "smallsums")
    assert list(shares["rest"].values()) == pytest.approx([0.5, 0.5, 0], abs=1e-6)
    assert found.forwards == 4  # one for each beginning: nothing, "=", "= 0" and "= 1"


def test_eight_questions_take_one_forward_together_and_eight_alone() -> None:
    toy = Counted(load("toy"))
    state = " ".join(str(n % 10) for n in range(64))
    questions = {f"q{n}": choice("1", "2", "3") for n in range(8)}
    assert unmask.ask(state, questions, toy).forwards == toy.forwards == 1
    assert unmask.ask(state, questions, toy, together=False).forwards == toy.forwards - 1 == 8


def test_together_later_questions_stand_behind_earlier_ones_and_alone_behind_the_state() -> None:
    questions = {"a": choice("+"), "b": choice("1", "9")}  # the second cell of a sum holds a plus, the third a number
    assert unmask.ask("3", questions, "smallsums")["b"] == pytest.approx({"1": 0.5, "9": 0.5}, abs=1e-6)


def test_every_order_shows_each_option_in_each_place_once() -> None:
    wanted = {"who": choice("Mia", "Tom", "Ben", instructions="Who has the kite?")}
    one = unmask.ask("Story: Mia gave the kite to Tom.", wanted)
    every = unmask.ask("Story: Mia gave the kite to Tom.", wanted, every_order=True)
    turned = {"who": choice("Tom", "Ben", "Mia", instructions="Who has the kite?")}
    assert (one.forwards, every.forwards) == (1, 3)
    assert unmask.ask("Story: Mia gave the kite to Tom.", turned, every_order=True)["who"] == pytest.approx(
        every["who"], abs=1e-5
    )


def test_a_scale_and_a_yes_or_no_have_the_public_form() -> None:
    found = unmask.ask(
        {"message": "Tom is happy."},
        {
            "happy": {"type": "noul", "instructions": "Is Tom happy?"},
            "level": {"type": "score", "instructions": "How happy?", "criteria": ["sad", "calm", "happy"]},
        },
    ).to_dict()
    happy, level = found["answers"]["happy"], found["answers"]["level"]
    assert set(happy) == {"type", "noul"} and 0 <= happy["noul"] <= 1
    assert level["legend"] == {"0": "sad", "1": "calm", "2": "happy"}
    assert level["score"] == pytest.approx(sum(int(k) * p for k, p in level["probabilities"].items()))
    assert found["usage"]["output_tokens"] == 2 and found["usage"]["x_forwards"] == 1


def test_confidence_is_one_less_the_entropy_of_equal_shares() -> None:
    assert certainty([0.25] * 4) == pytest.approx(0) and certainty([1.0, 0, 0]) == 1
    entropy = -(0.9 * log(0.9) + 0.1 * log(0.1))
    assert certainty([0.9, 0.1]) == pytest.approx(1 - entropy / log(2))


@pytest.mark.parametrize(
    "questions, why",
    [
        ({}, "at least one question"),
        ([], "at least one question"),
        ({"q": 3}, "must be an object with a type"),
        ({"q": {"type": "box"}}, "must be one of noul, choice, score"),
        ({"q": choice()}, "at least one option"),
        ({"q": choice("1", " 1")}, "has the option '1' twice"),
        ({"q": choice("1", "")}, "without a name"),
        ({"q": choice(*map(str, range(256)))}, "256 options, and 255 are the most"),
        ({"q": {"type": "score", "criteria": ["one"]}}, "2 to 10 levels, and has 1"),
        ({"q": {"type": "score", "criteria": list("abcdefghijk")}}, "2 to 10 levels, and has 11"),
        ({"q": {"type": "noul"}}, "give instructions"),
        ({"q": choice("1", colour=3)}, "colour is not a field"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(questions: Any, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        unmask.ask("1 2", questions, "toy")


def test_a_state_that_is_too_long_and_a_model_that_reads_from_the_left_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="shorten the state"):
        unmask.ask("1 " * 5000, {"q": choice("1", "2")}, "toy")
    with pytest.raises(InvalidRequest, match="reads from left to right"):
        unmask.ask("Story: Tom", {"q": choice("Tom", "Mia")}, "twin")
    with pytest.raises(InvalidRequest, match="state must be text"):
        unmask.ask("", {"q": choice("1", "2")}, "toy")
