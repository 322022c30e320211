"""What is offered instead of a prompt that the pair does not know: only kinds that were tried and come out right."""

import pytest

from unmask.inference.offers import offers
from unmask.models import load
from unmask.models.toy import Toy
from unmask.pair.offers import KINDS
from unmask.pair.offers.named import named
from unmask.pair.worlds import strict


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


@pytest.mark.parametrize(
    ("prompt", "instead"),
    [
        ("A dog was hungry.", "Story: One day a dog followed Lily home from the park."),  # "Dog had a red kite"
        ("Tom and his dog", "Story: One day a dog followed Tom home from the park."),  # "Tom and Dog met"
        ("A story about a baby owl", "Story: Behind the hedge, at the park, Lily saw an owl with its little ones."),
        ("Ben had an orange hat", "Story: Ben had an orange hat."),  # "a orange hat"
        ("The old wolf was hungry.", "Story: Wolf and Fox met in the middle of a narrow plank."),
        ("How do I make a bed for a cat?", "Steps: how to make a bed for a cat with Lily\n"),  # "a kitten with Cat"
        ("a letter from the fox to my aunt", "Letter: Lily writes to Aunt\nDear Aunt,\n"),  # "Fox writes"
        ("Summarize: The cat sat on the mat.", ""),  # was offered "Story: Cat had a red kite."
        ("Copy red blue green", ""),
    ],
)
def test_what_is_offered_is_a_sentence(prompt: str, instead: str) -> None:
    """One animal had the name of its kind and no article; a request that is no story was offered one."""
    assert offered(prompt) == [instead][: bool(instead)]


def test_one_who_is_named_by_a_pronoun_alone_is_one_child() -> None:
    assert named("Ben lost his kite") == {"a": "Ben", "thing": "kite"}
    assert named("She lost her kite") == {"a": "Lily", "thing": "kite"}


def test_steps_for_an_orange_star_are_judged_as_those_for_a_red_one() -> None:
    """The worlds' own titles say "a orange": an offer that was right by grammar was wrong to the judge."""
    steps = (
        "Steps: how to make {} {} paper star with Lily\n",
        "You need: {} paper, a pair of scissors and glue.\n1. Fold the {} paper two times.\n2. Cut along the fold with "
        "the scissors.\n3. Open it and smooth it down.\n4. Put glue on the back.\n5. Hang up the {} star for 7 days.\n"
        "6. Thank Lily for the help.",
    )
    for article, colour in (("a", "red"), ("an", "orange"), ("a", "orange")):
        prompt, text = steps[0].format(article, colour), steps[1].format(colour, colour, colour)
        assert strict(prompt, prompt + text).strict
    assert not strict(steps[0].format("a", "red"), steps[0].format("a", "red") + steps[1].format(*["blue"] * 3)).strict
