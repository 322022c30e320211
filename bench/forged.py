"""A checkpoint of the size of Qwen3-0.6B-diffusion-mdlm with random weights, written to `build/`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from unmask.models.a2d import FAMILY

SPREAD = 0.02  # standard deviation of the weights
LETTERS = "ĠabcdefghijklmnopqrstuvwxyzĊ.,:<>|_ABCDEFGHIJKLMNOPQRSTUVWXYZ01"
TINY = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
TINY |= {"num_key_value_heads": 2, "head_dim": 16, "vocab_size": 512}


def forge(tiny: bool = False) -> Path:
    """The folder of the checkpoint; it is written once. `tiny` is of another size, for tests."""
    folder = Path("build") / ("hub-tiny-mdlm" if tiny else "Qwen3-0.6B-forged-mdlm")
    if (folder / "config.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    shape = FAMILY.checkpoints[0].shape
    assert shape is not None
    sizes = shape.to_hub_config() | {"intermediate_size": shape.ffn_width} | (TINY if tiny else {})
    _write_weights(folder / "model.safetensors", _shapes(sizes))
    vocabulary = {letter: at for at, letter in enumerate(LETTERS)}
    pieces = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": vocabulary, "merges": []}
    tokenizer = {"version": "1.0", "added_tokens": [], "pre_tokenizer": pieces, "decoder": pieces, "model": model}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    config = {"architectures": ["A2DQwen3LMHeadModel"], "model_type": "a2d-qwen3", "mask_token_id": 100} | sizes
    config |= {"max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "torch_dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def _shapes(sizes: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    width, ffn, depth = sizes["hidden_size"], sizes["intermediate_size"], sizes["head_dim"]
    wide, narrow = sizes["num_attention_heads"] * depth, sizes["num_key_value_heads"] * depth
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (sizes["vocab_size"], width)}
    for at in range(sizes["num_hidden_layers"]):
        layer = f"model.layers.{at}."
        matrices = {"q": (wide, width), "k": (narrow, width), "v": (narrow, width), "o": (width, wide)}
        found |= {f"{layer}self_attn.{name}_proj.weight": shape for name, shape in matrices.items()}
        found |= {f"{layer}self_attn.{name}_norm.weight": (depth,) for name in "qk"}
        matrices = {"gate": (ffn, width), "up": (ffn, width), "down": (width, ffn)}
        found |= {f"{layer}mlp.{name}_proj.weight": shape for name, shape in matrices.items()}
        found |= {f"{layer}{name}_layernorm.weight": (width,) for name in ("input", "post_attention")}
    return found | {"model.norm.weight": (width,)}


def _write_weights(file: Path, shapes: dict[str, tuple[int, ...]]) -> None:
    """Random weights in bfloat16, one matrix at a time; gains of norms are near one."""
    head, begin = {}, 0
    for name, shape in shapes.items():
        end = begin + 2 * int(np.prod(shape))
        head[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
        begin = end
    raw, rng = json.dumps(head).encode(), np.random.default_rng(0)
    with file.open("wb") as opened:
        opened.write(len(raw).to_bytes(8, "little") + raw)
        for shape in shapes.values():
            weight = rng.standard_normal(shape, np.float32) * np.float32(SPREAD if shape[1:] else 0.1)
            opened.write(((weight + (not shape[1:])).view(np.uint32) >> 16).astype(np.uint16).tobytes())
