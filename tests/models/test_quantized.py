"""Weights in eight and four bits: how near they stay, what they weigh, and that no weight of an expert is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

from tests.models.forge import WORDS, Forged
from unmask.errors import InvalidRequest
from unmask.models import load
from unmask.models.hub import hardware
from unmask.models.hub.quantized import Linear, QuantizedWeight
from unmask.models.interface import ModelInput

Forge = Callable[[str], Forged]
EXPERTS = ("LLaDA2.0-mini", "LLaDA-MoE", "diffusiongemma", "SDAR-30B-A3B", "RND1-Base")


@pytest.mark.parametrize(("bits", "steps"), [(8, 254), (4, 15)])
def test_a_weight_is_within_half_a_step_of_what_it_was(bits: int, steps: int) -> None:
    torch.manual_seed(0)
    weight = torch.randn(3, 8, 128)
    packed = QuantizedWeight(weight, bits)
    assert packed.dequantize().shape == weight.shape and torch.equal(packed[1], packed.dequantize()[1])
    if bits == 8:
        step = 2 * weight.abs().amax(-1, keepdim=True) / steps
    else:
        groups = weight.unflatten(-1, (2, 64))
        step = ((groups.amax(-1) - groups.amin(-1)) / steps)[..., None].expand_as(groups).flatten(-2)
    assert ((packed.dequantize() - weight).abs() <= 0.501 * step).all()


def test_a_row_of_zeros_stays_one() -> None:
    for bits in (8, 4):
        assert not QuantizedWeight(torch.zeros(1, 2, 64), bits).dequantize().any()


def test_a_linear_layer_keeps_its_bias() -> None:
    torch.manual_seed(0)
    plain = torch.nn.Linear(64, 8)
    x = torch.randn(5, 64)
    assert (Linear(QuantizedWeight(plain.weight, 8), plain.bias)(x) - plain(x)).abs().max() < 0.05


@pytest.mark.parametrize("number", ["int8", "int4"])
@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0", "bert-base", "ModernBERT-base", "Nemotron-3B", *EXPERTS])
def test_a_model_opens_in_fewer_bits_and_says_nearly_the_same(forged: Forge, name: str, number: str) -> None:
    """Mixtures of experts kept nine tenths of their weights in sixteen bits, and LLaDA2 did not open at all."""
    folder = str(forged(name).folder)
    model_input = ModelInput(
        np.arange(3, 35), np.arange(32) >= 16, np.arange(16, 32), np.arange(32), origin=16, block=(16, 32)
    )
    rows, sizes = [], []
    for kind in ("bf16", number):
        denoiser = load(folder, number=kind, device="cpu", engine="transformers")
        assert denoiser.card.number == kind and "the same twice" in denoiser.card.tested
        rows.append(denoiser.logits([model_input])[0].float().flatten())
        sizes.append(denoiser.card.size)
    alike = float(torch.corrcoef(torch.stack(rows))[0, 1])
    assert alike > (0.99 if number == "int8" else 0.75), alike  # groups of 16 and 32 random numbers: the hardest case
    assert sizes[1] < (0.7 if number == "int8" else 0.6) * sizes[0]


@pytest.mark.parametrize("name", EXPERTS)
def test_every_expert_is_packed_and_shared_weights_once(forged: Forge, name: str) -> None:
    made = forged(name)
    network = load(str(made.folder), number="int8", device="cpu").network.model  # type: ignore[attr-defined]
    left = [n for n, p in network.named_parameters() if ".experts." in n and p.dim() == 3]
    assert not left and not [n for n, p in network.named_parameters() if p.is_meta]
    packed = {id(m): m for m in network.modules() if isinstance(m, QuantizedWeight)}
    experts = [m for m in packed.values() if len(m.shape) == 3]
    theirs = {id(p): p.numel() for n, p in made.native.named_parameters() if ".experts." in n}
    assert sum(m.numbers.numel() for m in experts) == sum(theirs.values())


def test_memory_is_counted_as_packed_weights_weigh(forged: Forge) -> None:
    folder = forged("LLaDA2.0-mini").folder
    with safe_open(folder / "model.safetensors", "pt") as weights:
        numbers = sum(int(np.prod(weights.get_slice(k).get_shape())) for k in weights.keys())  # noqa: SIM118
    whole = hardware.unquantized_parameters(json.loads((folder / "config.json").read_text()))
    assert whole == 2 * WORDS * 32
    size = load(str(folder), number="int8", device="cpu").card.size
    # scales of very short rows
    assert hardware.required_bytes(numbers, "int8", whole, overhead=0) == pytest.approx(size, rel=0.15)
    gemma = hardware.required_bytes(26e9, "int4", 0.74e9)
    # the one fits a card of 24 GB, the other does not
    assert gemma < 18e9 < 24e9 < hardware.required_bytes(26e9, "int8", 0.74e9)


def test_a_network_of_our_own_is_not_packed_and_says_so_first(forged: Forge, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be quantized: load it with number=bf16"):
        load(str(forged("mdlm-owt").folder), number="int8", device="cpu")
