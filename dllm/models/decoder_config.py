"""Llama and its kin as an `Architecture`, with the names of the weights in transformers' classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unmask.errors import Unsupported
from unmask.models.architecture import Architecture, Part, read_activation
from unmask.models.rotary import read_rotation

Config = Mapping[str, Any]
DECODERS = tuple(f"{one}ForCausalLM" for one in ("Llama", "Qwen2", "Qwen3", "Mistral", "Ministral3"))
_KV_HEADS = {"Qwen2ForCausalLM": 32, "Qwen3ForCausalLM": 32, "MistralForCausalLM": 8, "Ministral3ForCausalLM": 8}
_HEAD_WIDTH = {"Qwen3ForCausalLM": 128, "Ministral3ForCausalLM": 128}
_MINISTRAL_ROPE = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 16.0, "original_max_position_embeddings": 16384}
_MINISTRAL_ROPE |= {"mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}


def read_decoder(native: str, config: Config) -> Architecture:
    """Llama and its kin; the defaults are those of transformers' config classes."""
    ministral = native.startswith("Ministral3")
    width, heads = int(config["hidden_size"]), int(config["num_attention_heads"])
    kv_heads = int(config.get("num_key_value_heads", _KV_HEADS.get(native)) or heads)
    head_width = int(config.get("head_dim", _HEAD_WIDTH.get(native)) or width // heads)
    if heads % kv_heads or head_width % 2:
        raise ValueError(f"{heads} heads of {head_width} numbers do not share {kv_heads} keys and values")
    _refuse_windows(native, config)
    made = Architecture(
        layers=int(config["num_hidden_layers"]),
        width=width,
        ffn_width=int(config["intermediate_size"]),
        heads=heads,
        kv_heads=kv_heads,
        head_width=head_width,
        vocab_size=int(config["vocab_size"]),
        causal=config.get("is_causal", True) is not False,
        activation=read_activation(str(config.get("hidden_act", "silu"))),
        epsilon=float(config.get("rms_norm_eps", 1e-5 if ministral else 1e-6)),
        rotation=read_rotation(config, head_width, _MINISTRAL_ROPE if ministral else None),
    )
    biased = set("qkv") if native.startswith("Qwen2") else set[str]()
    if native.startswith(("Llama", "Qwen3")) and config.get("attention_bias"):
        biased = set("qkvo")
    if native.startswith("Llama") and config.get("mlp_bias"):
        biased |= {"gate", "up", "down"}
    table, query, key = (made.vocab_size, width), heads * head_width, kv_heads * head_width
    parts = {"embedding": Part("model.embed_tokens.weight", table), "head": Part("lm_head.weight", table)}
    parts["last_norm"] = Part("model.norm.weight", (width,))
    matrices = {"q": (query, width), "k": (key, width), "v": (key, width), "o": (width, query)}
    matrices |= {"gate": (made.ffn_width, width), "up": (made.ffn_width, width), "down": (width, made.ffn_width)}
    for at in range(made.layers):
        ours, theirs = f"layers.{at}.", f"model.layers.{at}."
        parts[ours + "attention_norm"] = Part(theirs + "input_layernorm.weight", (width,))
        parts[ours + "ffn_norm"] = Part(theirs + "post_attention_layernorm.weight", (width,))
        for role, shape in matrices.items():
            name = f"{theirs}{'self_attn' if role in 'qkvo' else 'mlp'}.{role}_proj."
            parts[ours + role] = Part(name + "weight", shape)
            if role in biased:
                parts[f"{ours}{role}.bias"] = Part(name + "bias", shape[:1])
        for role in ("q_norm", "k_norm") if native.startswith("Qwen3") else ():
            parts[ours + role] = Part(f"{theirs}self_attn.{role}.weight", (head_width,))
    return replace(made, parts=parts)


def _refuse_windows(native: str, config: Config) -> None:
    """Raises `Unsupported` for a decoder of which some layers see only the tokens nearby."""
    window = config.get("sliding_window", 4096 if native.startswith("Mistral") else None)
    if native.startswith("Llama") or (native.startswith("Qwen") and not config.get("use_sliding_window")):
        window = None
    if native.startswith("Qwen") and window:
        kinds, first = config.get("layer_types"), int(config.get("max_window_layers", 28))
        narrow = "sliding_attention" in kinds if kinds else first < int(config["num_hidden_layers"])
        window = window if narrow else None
    if window and int(window) < int(config.get("max_position_embeddings") or 2**31):
        raise Unsupported("layers that see only the tokens nearby are not known here")
