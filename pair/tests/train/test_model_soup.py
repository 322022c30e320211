"""The mean of two networks is between them, and nothing of other shapes is mixed."""

import sys
from pathlib import Path

import pytest
import torch

from pair.train import model_soup
from pair.train.ship import ship, unpacked
from pair.train.tokenizer import load_tokenizer, marks
from unmask.models.transformer import Transformer, TransformerConfig

SHIPPED = Path("assets/models/tokenizer.json")


def network(seed: int, width: int = 32) -> Transformer:
    torch.manual_seed(seed)
    return Transformer(TransformerConfig(load_tokenizer(SHIPPED).get_vocab_size(), width, 1, 2, 64, True))


def test_the_mean_is_as_near_to_each_as_was_asked() -> None:
    one, other = (network(seed).state_dict()["embedding.weight"].clone() for seed in (0, 1))
    found = model_soup.mean(network(0), network(1), 0.25).state_dict()["embedding.weight"]
    assert torch.allclose(found, 0.25 * one + 0.75 * other, atol=1e-6)


def test_networks_of_different_shapes_have_none() -> None:
    with pytest.raises(ValueError, match="no mean"):
        model_soup.mean(network(0), network(0, 64))


def test_the_command_writes_a_model_that_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in (0, 1):
        ship(network(seed), tmp_path / str(seed) / "twin", "twin", "8", marks(load_tokenizer(SHIPPED)))
        (tmp_path / str(seed) / "tokenizer.json").write_bytes(SHIPPED.read_bytes())
    folders = [str(tmp_path / name / "twin") for name in ("0", "1", "mean")]
    monkeypatch.setattr(sys, "argv", ["mean", *folders, "--share", "0.5"])
    model_soup.main()
    found, ends = (unpacked(Path(folder)).state_dict()["embedding.weight"] for folder in folders[::-1][:2])
    assert not torch.equal(found, ends) and (tmp_path / "mean" / "tokenizer.json").exists()
