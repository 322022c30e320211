"""What is offered instead of a prompt that the pair does not know was tried with the weights that ship."""

import json

import pytest

from pair.evaluation.offers import ASKS, answer, asks, right
from unmask.inference.offers import FILE, RIGHT
from unmask.models import load
from unmask.pair.offers import KINDS
from unmask.run.judge import judge


def test_every_kind_was_tried_over_a_hundred_prompts_with_the_weights_that_ship() -> None:
    """Adding small numbers was offered, and 17 + 25 came out as 32."""
    tried = json.loads(FILE.read_text())
    assert tried["weights"] == [load("denoiser").card.weights, load("twin").card.weights]
    assert set(tried["kinds"]) == set(ASKS) == set(KINDS)
    assert all(count["of"] >= 90 for count in tried["kinds"].values()), tried["kinds"]


@pytest.mark.parametrize("kind", KINDS)
def test_offers_of_each_kind_come_out_right(kind: str) -> None:
    """The first three of the hundred; the script tries all."""
    denoiser = load("denoiser")
    made = [found[0] for ask in asks(kind)[:3] if (found := [o for o in judge().offers(ask) if o.kind == kind])]
    assert made and sum(right(kind, one.prompt, answer(denoiser, one.prompt, one.length)) for one in made) >= 2
    assert RIGHT >= 0.9
