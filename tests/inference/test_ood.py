"""How much a prompt surprises a model: a causal one by its own reading, one that sees both sides by hiding parts."""

import numpy as np
import pytest

from unmask.inference.ood import (
    MAX_TOKENS,
    has_known_title,
    ood_threshold,
    prompt_surprisal,
    text_before_blank,
    unfamiliar_note,
    weak_kind,
)
from unmask.models import load
from unmask.models.toy import Toy


def test_only_what_stands_before_a_blank_is_read() -> None:
    assert text_before_blank("Tom had ___ eggs") == "Tom had"
    assert text_before_blank("Sort: 3 1\n") == "Sort: 3 1"
    assert text_before_blank("[MASK:4] eggs") == ""


def test_nothing_is_said_of_nothing() -> None:
    assert prompt_surprisal(Toy(), "") is None
    assert prompt_surprisal(Toy(), "[MASK:4] 1 2") is None


def test_one_that_sees_both_sides_is_asked_about_every_token() -> None:
    found = prompt_surprisal(Toy(), "1 2 3 4 5 6")
    assert found is not None and 0 < found < 30
    assert prompt_surprisal(Toy(), " ".join(map(str, np.arange(300) % 50))) is not None  # cut, not refused
    assert Toy().card.longest > MAX_TOKENS


def test_weights_that_nobody_measured_have_no_limit() -> None:
    assert ood_threshold(Toy().card) is None


@pytest.mark.parametrize("text", ["Story: Lily had a red kite.", "Sort: 26 82 90 62 23 31\n"])
def test_what_the_twin_was_trained_on_surprises_it_less_than_what_it_was_not(text: str) -> None:
    twin = load("twin")
    known, other = prompt_surprisal(twin, text), prompt_surprisal(twin, "What is the capital of France?")
    assert known is not None and other is not None and known < other


def test_a_note_is_made_for_an_unfamiliar_prompt_alone() -> None:
    denoiser = load("denoiser")
    assert "small stories" in unfamiliar_note(denoiser, "import numpy as np")
    assert unfamiliar_note(denoiser, "Story: Lily had a red kite.") == unfamiliar_note(denoiser, "") == ""
    assert unfamiliar_note(Toy(), "import numpy as np") == ""


def test_a_kind_that_is_written_badly_is_named() -> None:
    denoiser = load("denoiser")
    prompt = "tale: There was once a king."
    assert weak_kind(denoiser.card, prompt) == "Tale" and "“Tale:”" in unfamiliar_note(denoiser, prompt)
    others = ("Story: Lily had a tale: a long one.", "Tale", "")
    assert not any(weak_kind(denoiser.card, other) for other in others) and not weak_kind(Toy().card, prompt)


@pytest.mark.parametrize(
    "prompt", ["Sort these: 9 4 7 1", "Summarize this text: A cat sat.", "Sort 5 3 9 1", "Story about a dog: Rex ran."]
)
def test_a_title_that_only_begins_like_one_of_training_is_declined(prompt: str) -> None:
    """They surprise the model little, since it knows the first word: they ran, and came out wrong without a remark."""
    denoiser = load("denoiser")
    surprisal, limit = prompt_surprisal(denoiser, prompt), ood_threshold(denoiser.card)
    assert surprisal and limit and surprisal < limit
    assert "unlike the model's training texts" in unfamiliar_note(denoiser, prompt)


@pytest.mark.parametrize(
    "prompt",
    ["Story: Ben", "Sum, answer first: 3 + 4", "Words: brown\nStory:", "Recipe", "Story : Ben", "[MASK:4] ran.", ""],
)
def test_a_title_of_training_is_known_also_by_itself_and_before_a_blank(prompt: str) -> None:
    assert has_known_title(load("denoiser").card, prompt) and has_known_title(Toy().card, prompt)
