"""What models owe the rest is declared, closed and typed: no hook is found by guessing its name."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.models.forge import Forged
from unmask.canvas import blank
from unmask.errors import Refused
from unmask.models import Denoiser, Family, everything, family, load, names
from unmask.models.toy import Toy, read

Forge = Callable[[str], Forged]


def test_a_misspelt_hook_is_an_error_at_import() -> None:
    """A hook was once found by `hasattr`, so a wrong letter silently gave the plain way of reading."""
    wrong: dict[str, Any] = {"adaptor": Toy}
    with pytest.raises(TypeError, match="adaptor"):
        Family(offers=("theirs",), read=read, **wrong)


def test_a_family_either_has_models_or_opens_checkpoints() -> None:
    with pytest.raises(TypeError, match="either"):
        Family(offers=("theirs",))
    with pytest.raises(TypeError, match="names what it opens"):
        Family(read=read)


def test_every_file_of_the_room_declares_its_family() -> None:
    assert {"toy", "bundled", "llada", "causal"} <= set(names())
    for name in names():
        assert isinstance(family(name), Family)


@pytest.mark.parametrize("what", ["toy", "denoiser", "twin", "LLaDA-8B"])
def test_a_model_without_its_weights_travels(forged: Forge, what: str) -> None:
    denoiser = load(str(forged(what).folder), number="fp32", device="cpu") if "-" in what else load(what)
    model = denoiser.model
    again = pickle.loads(pickle.dumps(model))
    assert again.card == model.card and again.speller.encode("1 2") == model.speller.encode("1 2")
    assert len(pickle.dumps(model)) < 2**20  # no weights went along


def test_what_a_denoiser_does_not_need_it_need_not_say() -> None:
    toy: Denoiser = Toy()
    thought = everything(blank([[1, 2], 3]))
    assert not toy.reflects and toy.reflect(thought, toy.logits([thought])[0]) is None
    assert toy.staleness(thought).size == 0 and toy.background is None
    assert np.array_equal(toy.speller.begin("1 2"), toy.speller.encode("1 2"))
    with pytest.raises(Refused, match="not taught conversations"):
        toy.speller.converse([{"role": "user", "content": "1"}])
