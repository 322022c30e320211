"""The record of a network is that of transformers' class: its weights, its rotations, and refusals by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from tests.models.forge import SHAPE, Forged
from unmask.errors import InvalidRequest, Unsupported
from unmask.models import hub
from unmask.models.architecture import Architecture
from unmask.models.checkpoint_weights import CheckpointWeights, TensorFiles
from unmask.models.describe import describe, native_parts
from unmask.models.hub import source
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.rotary import read_rotation

Forge = Callable[[str], Forged]
DENSE = ["LLaDA-8B", "Dream-v0", "SDAR-4B", "Fast_dLLM_v2", "Stable-DiffCoder-8B", "Qwen3-0.6B-diffusion-mdlm"]
DENSE += ["Qwen3-0.6B-diffusion-bd3lm", "WeDLM-8B", "Nemotron-3B"]
SCALINGS: list[dict[str, Any]] = [
    {"rope_type": "default"},
    {"type": "linear", "factor": 4.0},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    {"rope_type": "yarn", "factor": 4.0},
    {"rope_type": "yarn", "factor": 16.0, "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 0.8},
    {"rope_type": "yarn", "factor": 4.0, "truncate": False, "attention_factor": 1.2},
]


def described(folder: Path, kind: str = "") -> tuple[Architecture, TensorFiles]:
    found = source.locate(str(folder), lambda _: None)
    files = TensorFiles(sorted(folder.glob("*.safetensors")))
    return describe(hub._checkpoint_spec(kind, found, {}), files.shapes, folder.name), files


@pytest.mark.parametrize("name", DENSE)
def test_each_weight_of_a_file_has_one_role(forged: Forge, name: str) -> None:
    made = forged(name)
    architecture, files = described(made.folder)
    weights, native = CheckpointWeights(files.read, architecture.parts), dict(made.native.named_parameters())
    assert architecture.parameters == sum(p.numel() for p in native.values())
    assert np.array_equal(weights["layers.1.down"], native["model.layers.1.mlp.down_proj.weight"])
    assert np.array_equal(weights["layers.0.o"], native["model.layers.0.self_attn.o_proj.weight"])
    assert np.array_equal(weights["head"], native["lm_head.weight"])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_weight_is_read_from_its_rows_of_a_fused_one(tmp_path: Path, dtype: torch.dtype) -> None:
    fused = torch.randn(12, 4).to(dtype)
    save_file({"other": torch.ones(3), "fused": fused}, tmp_path / "model.safetensors")
    files = TensorFiles([tmp_path / "model.safetensors"])
    spec = CheckpointSpec("", {}, splits={"fused": ("a", "b")})
    parts = native_parts(spec, files.shapes, {"a": (8, 4), "b": (4, 4)})
    assert np.array_equal(files.read(parts["a"]), fused[:8].float())
    assert np.array_equal(files.read(parts["b"]), fused[8:].float())


@pytest.mark.parametrize("scaling", SCALINGS, ids=str)
def test_rotations_are_those_of_transformers(scaling: dict[str, Any]) -> None:
    fields = SHAPE | {"head_dim": 64, "rope_theta": 5e5, "max_position_embeddings": 4096}
    config = transformers.LlamaConfig(**fields, rope_scaling=dict(scaling))
    network = transformers.models.llama.modeling_llama.LlamaRotaryEmbedding(config)
    ours = read_rotation(fields | {"rope_scaling": scaling}, 64)
    assert np.allclose(ours.angles, network.inv_freq, rtol=3e-7, atol=0)
    assert ours.scale == pytest.approx(network.attention_scaling)


def test_a_network_that_cannot_be_expressed_is_refused_by_name(forged: Forge) -> None:
    with pytest.raises(Unsupported, match="'longrope' is not known here"):
        read_rotation({"rope_scaling": {"rope_type": "longrope", "factor": 4.0}}, 64)
    with pytest.raises(Unsupported, match="lacks its field 'factor'"):
        read_rotation({"rope_scaling": {"rope_type": "linear"}}, 64)
    with pytest.raises(Unsupported, match="Qwen3MoeForCausalLM"):
        described(forged("LLaDA-MoE").folder)
    for more, what in (({"hidden_act": "xielu"}, "'xielu'"), ({"partial_rotary_factor": 0.5}, "part of each head")):
        with pytest.raises(Unsupported, match=what):
            describe(CheckpointSpec("LlamaForCausalLM", SHAPE | more), {}, "x")
    windows = {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 1}
    with pytest.raises(Unsupported, match="tokens nearby"):
        describe(CheckpointSpec("Qwen3ForCausalLM", SHAPE | windows), {}, "x")
    for fields, what in (
        ({"hidden_size": None}, "int()"),
        ({"num_hidden_layers": 10**9}, "1000000000 layers"),
        ({"num_attention_heads": 0}, "division"),
        ({"num_key_value_heads": 3}, "do not share 3 keys"),
    ):
        with pytest.raises(InvalidRequest, match=f"lacks or garbles a field of LlamaForCausalLM: .*{re.escape(what)}"):
            describe(CheckpointSpec("LlamaForCausalLM", SHAPE | fields), {}, "x")


def test_wrong_weights_are_refused_in_a_sentence(folder: Path) -> None:
    file = folder / "model.safetensors"
    whole = load_file(file)
    norm, down = "model.transformer.ln_f.weight", "model.transformer.blocks.1.ff_out.weight"
    for changed, sentence in (
        ({k: v for k, v in whole.items() if k != norm}, "do not fit LlamaForCausalLM: missing model.norm.weight"),
        (whole | {"extra.weight": torch.ones(2)}, "unknown extra.weight"),
        (whole | {down: torch.ones(32, 63)}, "of another shape model.layers.1.mlp.down_proj.weight"),
    ):
        save_file(changed, file)
        with pytest.raises(InvalidRequest, match=sentence):
            described(folder)
    save_file(whole | {down: torch.full((32, 64), float("nan"))}, file)
    architecture, files = described(folder)
    with pytest.raises(InvalidRequest, match=r"blocks\.1\.ff_out\.weight .* NaN or infinite"):
        CheckpointWeights(files.read, architecture.parts)["layers.1.down"]
