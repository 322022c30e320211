"""Every encoder of transformers with a head for masked words opens as a denoiser and equals transformers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.models.forge_encoders import ENCODERS, LETTERS, SPECIALS, WORDS, forged
from unmask.canvas import blank
from unmask.canvas.text import encode_at
from unmask.errors import UNKNOWN_TEXT, InvalidRequest
from unmask.models import ModelInput, load
from unmask.models.hub.tokenizer import load_tokenizer
from unmask.run.spec import RunSpec

TOLERANCE = 1e-5


def canvas(cells: int) -> ModelInput:
    """Letters, every third cell open."""
    tokens = np.random.default_rng(0).integers(5, WORDS, cells)
    still_open = np.arange(cells) % 3 == 0
    return ModelInput(tokens, still_open, np.flatnonzero(still_open), np.arange(cells))


def expected(model: Any, model_input: ModelInput) -> torch.Tensor:
    ids = np.where(model_input.open, 4, model_input.tokens)
    with torch.no_grad():
        logits = model(torch.tensor([[0, *ids, 2]])).logits[0]
    return torch.softmax(logits[model_input.rows + 1].float(), -1)


GRAPHS = [
    name for name in ENCODERS if name.partition("ForM")[0] in ("Bert", "Roberta", "XLMRoberta", "Camembert", "Esm")
]


@pytest.mark.parametrize("name", [*ENCODERS, *(f"{name} on transformers" for name in GRAPHS)])
def test_probabilities_equal_those_of_transformers_up_to_the_last_cell(name: str, tmp_path: Path) -> None:
    name, _, engine = name.partition(" on ")
    model, longest = forged(name, tmp_path), ENCODERS[name][1]
    denoiser = load(str(tmp_path), engine=engine)
    assert denoiser.card.longest == longest and denoiser.numpy_logits == (name in GRAPHS and not engine)
    for cells in (12, longest):
        found = torch.softmax(torch.as_tensor(denoiser.logits([canvas(cells)])[0]).float(), -1)
        assert float((found - expected(model, canvas(cells))).abs().max()) <= TOLERANCE
    if not any(word in name for word in ("Deberta", "rotary")):  # these have relative positions
        with pytest.raises((IndexError, RuntimeError)):  # one cell more has no position
            denoiser.logits([canvas(longest + 1)])


@pytest.mark.parametrize("name", ENCODERS)
def test_special_tokens_are_never_proposed_and_a_text_has_no_end(name: str, tmp_path: Path) -> None:
    forged(name, tmp_path)
    card = load(str(tmp_path)).card
    assert card.never[0] == SPECIALS["<mask>"] and {*card.never} == {*SPECIALS.values()}
    assert card.ends == ()


def test_debertas_published_head_is_told_by_its_weights(tmp_path: Path) -> None:
    model = forged("DebertaV2ForMaskedLM", tmp_path, legacy=False)
    weights = load_file(tmp_path / "model.safetensors")
    weights["mask_predictions.dense.weight"] = torch.zeros(32, 32)  # of pretraining, as the published files have it
    save_file(weights, tmp_path / "model.safetensors")
    config = json.loads((tmp_path / "config.json").read_text())
    del config["legacy"], config["architectures"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = torch.softmax(load(str(tmp_path)).logits([canvas(12)])[0].float(), -1)
    assert float((found - expected(model, canvas(12))).abs().max()) <= TOLERANCE


def test_a_list_of_letters_is_a_tokenizer(tmp_path: Path) -> None:
    forged("EsmForMaskedLM rotary", tmp_path, pad_token_id=1, mask_token_id=24)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / file).unlink()
    words = ["<cls>", "<pad>", "<eos>", "<unk>", *LETTERS, "<mask>"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    tokenizer = load(str(tmp_path)).tokenizer
    assert tokenizer.encode("MKT") == [words.index(letter) for letter in "MKT"]
    assert tokenizer.decode([4, 5]) == "AC"


def test_what_a_vocabulary_cannot_spell_is_named(tmp_path: Path) -> None:
    forged("RobertaForMaskedLM", tmp_path)
    denoiser = load(str(tmp_path))
    with pytest.raises(InvalidRequest, match="no token for 'e', 'v', 'q'; it has A, C, D") as refused:
        RunSpec("evq").canvas(denoiser.card, denoiser.tokenizer)
    assert (refused.value.field, refused.value.code) == ("prompt", UNKNOWN_TEXT)
    with pytest.raises(InvalidRequest, match="'h', 'y', 'i', 's', 't' and others"):
        denoiser.tokenizer.encode("Why is the sky blue?")
    assert denoiser.tokenizer.encode("<unk>") == [SPECIALS["<unk>"]]  # named on purpose


def test_spaces_and_line_ends_are_dropped_where_no_token_has_them(tmp_path: Path) -> None:
    forged("RobertaForMaskedLM", tmp_path)
    denoiser = load(str(tmp_path))
    plain = RunSpec("EVQL[MASK:2]VE").parts(denoiser.card, denoiser.tokenizer)
    assert RunSpec("EV QL\n [MASK:2] V E ").parts(denoiser.card, denoiser.tokenizer) == plain
    assert not denoiser.tokenizer.spaced and not denoiser.card.spaced


def test_a_letter_is_pinned_without_a_space_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    forged("RobertaForMaskedLM", tmp_path)
    denoiser = load(str(tmp_path))
    given = RunSpec("EVQL", length=4).canvas(denoiser.card, denoiser.tokenizer)
    assert encode_at(given, 5, "W", denoiser.tokenizer) == denoiser.tokenizer.encode("W") == [5 + LETTERS.index("W")]
    with pytest.raises(InvalidRequest, match="no token for 'x'"):
        encode_at(given, 5, "x", denoiser.tokenizer)


def test_a_chinese_word_is_pinned_without_a_space(tmp_path: Path) -> None:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"我们看见天空"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    tokenizer = load_tokenizer(tmp_path, len(words), {})
    tokens = tokenizer.encode("我们")
    assert [tokenizer.piece(token) for token in tokens] == ["我", "们"]
    canvas = blank([tokens, 3])
    assert encode_at(canvas, 2, "天空", tokenizer) == tokenizer.encode("天空")
    with pytest.raises(InvalidRequest, match="no token for '蓝'"):
        tokenizer.encode("蓝")


def test_a_spec_is_fitted_to_a_model(tmp_path: Path) -> None:
    forged("RobertaForMaskedLM", tmp_path)
    denoiser = load(str(tmp_path))
    args = denoiser.card, denoiser.tokenizer
    assert RunSpec("EVQL", length=112).fitted(*args) == RunSpec("EVQL", length=32)
    assert RunSpec("Story: a bird", length=112).fitted(*args, prompt_optional=True) == RunSpec(length=36)
    assert RunSpec("E" * 90, length=112).fitted(*args, prompt_optional=True) == RunSpec(length=36)
    with pytest.raises(InvalidRequest, match="no token for"):
        RunSpec("Story: a bird").fitted(*args)
    with pytest.raises(InvalidRequest, match="at most 36"):
        RunSpec("E" * 90).fitted(*args).canvas(*args)
