"""What is offered instead of a prompt that the pair does not know: only kinds that were tried and come out right."""

import pytest

from unmask.inference.offers import offers
from unmask.models import load
from unmask.models.toy import Toy
from unmask.pair.offers import KINDS


def offered(prompt: str) -> list[str]:
    return [offer.prompt for offer in offers(load("denoiser").card, prompt)]


def test_what_is_right_less_than_nine_times_of_ten_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {kind: {"right": 89 if kind == "sum" else 95, "of": 100} for kind in KINDS}
    weights = [load("denoiser").card.weights]
    monkeypatch.setattr("unmask.inference.offers.tried", lambda: {"weights": weights, "kinds": counts})
    assert offered("What is 40 + 25?") == []
    assert offered("What is 40 - 25?") == ["Less: 40 - 25\n"]
    assert offers(Toy().card, "What is 40 - 25?") == ()  # nobody tried it with other weights


@pytest.mark.parametrize(
    ("prompt", "instead"),
    [
        # a story was declined without one, and a first sentence ran into nonsense as it stood
        ("Write a story about a fox and a rabbit", "Story: Fox and Rabbit"),
        ("A dragon lost his hat.", "Story: Tom had a red hat."),
        ("what's 17 plus 25", "Sum: 17 + 25"),
        ("5 + 12", "User: What is 12 plus 5?\nAssistant:"),
        ("How do I plant a tomato?", "Steps: how to plant a tomato with"),
        ("Write an email to my grandmother", "Letter: Lily writes to Grandma\nDear Grandma,\n"),
        ("Hello, who are you?", "User: Hello, who are you?\nAssistant:"),
        ("order 31, 12, 88 and 47", "User: Sort 31 12 88 47\nAssistant:"),
    ],
)
def test_a_prompt_of_ones_own_leads_to_one_that_works(prompt: str, instead: str) -> None:
    assert any(one.startswith(instead) for one in offered(prompt)), offered(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "Translate 'good morning' into French",  # was offered "Copy: Zoe Liam Bella"
        "What is the capital of Peru?",
        "Explain photosynthesis",
        "What is 12 x 7?",
        "3.5 + 4",
        "120 + 340",
        "Sort the words banana apple cherry plum",
        "def add(a, b):",
        "import numpy as np",
        "",
    ],
)
def test_what_it_cannot_write_has_no_offer(prompt: str) -> None:
    assert offered(prompt) == []
