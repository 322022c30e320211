"""What models owe the rest is declared, closed and typed: no hook is found by guessing its name."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.models.forge import Forged
from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.models import Denoiser, Family, full_input, get_family, load
from unmask.models.family import family_names
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.toy import Toy, prepare

Forge = Callable[[str], Forged]


def test_a_misspelt_hook_is_an_error_at_import() -> None:
    """A hook was once found by `hasattr`, so a wrong letter silently gave the plain way of reading."""
    wrong: dict[str, Any] = {"adaptor": Toy}
    with pytest.raises(TypeError, match="adaptor"):
        Family(builtin_names=("theirs",), prepare=prepare, **wrong)


def test_a_family_either_has_models_or_opens_checkpoints() -> None:
    with pytest.raises(TypeError, match="either"):
        Family(builtin_names=("theirs",))
    with pytest.raises(TypeError, match="names what it opens"):
        Family(prepare=prepare)


def test_every_file_of_the_room_declares_its_family() -> None:
    assert {"toy", "bundled", "llada", "causal"} <= set(family_names())
    for name in family_names():
        assert isinstance(get_family(name), Family)


@pytest.mark.parametrize("what", ["toy", "denoiser", "twin", "LLaDA-8B"])
def test_a_model_without_its_weights_travels(forged: Forge, what: str) -> None:
    denoiser = load(str(forged(what).folder), number="fp32", device="cpu") if "-" in what else load(what)
    model = denoiser.info
    again = pickle.loads(pickle.dumps(model))
    assert again.card == model.card and again.tokenizer.encode("1 2") == model.tokenizer.encode("1 2")
    assert len(pickle.dumps(model)) < 2**20  # no weights went along


def test_what_a_denoiser_does_not_need_it_need_not_say() -> None:
    toy: Denoiser = Toy()
    model_input = full_input(blank([[1, 2], 3]))
    assert not toy.has_carry and toy.make_carry(model_input, toy.logits([model_input])[0]) is None
    assert toy.staleness(model_input).size == 0 and toy.background is None
    assert np.array_equal(toy.tokenizer.encode_prompt("1 2"), toy.tokenizer.encode("1 2"))
    with pytest.raises(InvalidRequest, match="no chat template"):
        toy.tokenizer.apply_chat_template([{"role": "user", "content": "1"}])


def test_a_family_without_a_checkpoint_is_refused_with_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(name: str) -> None:
        assert name.endswith(".mine")
        Family(architectures=("Mine*",), checkpoint_spec=lambda config, folder: CheckpointSpec("BertForMaskedLM", {}))

    monkeypatch.setattr("unmask.models.family.importlib.import_module", opened)
    with pytest.raises(TypeError, match=r"dllm/models/mine\.py: a family that loads checkpoints lists at least one"):
        get_family("mine")
