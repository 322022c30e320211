"""BERT, RoBERTa, ESM and ModernBERT as an `Architecture`, with the names of the weights in transformers' classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unmask.errors import Unsupported
from unmask.models.architecture import Architecture, Part, read_activation
from unmask.models.rotary import read_rotation

Config = Mapping[str, Any]
_PREFIXES = {"Bert": "bert.", "Roberta": "roberta.", "XLMRoberta": "roberta.", "Camembert": "roberta.", "Esm": "esm."}
ENCODERS = (*(f"{one}ForMaskedLM" for one in _PREFIXES), "ModernBertForMaskedLM")


def read_encoder(native: str, config: Config) -> Architecture:
    """The defaults are those of transformers' config classes."""
    return _modern(config) if native.startswith("Modern") else _bert(native.removesuffix("ForMaskedLM"), config)


def _sizes(config: Config) -> dict[str, Any]:
    width, heads = int(config["hidden_size"]), int(config["num_attention_heads"])
    if width % heads:
        raise ValueError(f"hidden_size {width} is no multiple of num_attention_heads {heads}")
    return {
        "layers": int(config["num_hidden_layers"]), "width": width, "ffn_width": int(config["intermediate_size"]),
        "heads": heads, "kv_heads": heads, "head_width": width // heads, "vocab_size": int(config["vocab_size"]),
    }  # fmt: skip


def _bert(kind: str, config: Config) -> Architecture:
    esm, after_padding = kind == "Esm", kind != "Bert"
    learned = config.get("position_embedding_type", "absolute")
    if learned not in ("absolute", "rotary" if esm else "absolute"):
        raise Unsupported(f"positions of the type '{learned}' are not known here")
    if config.get("is_decoder") or config.get("is_folding_model"):
        raise Unsupported("an encoder that is used as a decoder is not known here")
    sizes, padding = _sizes(config), config.get("pad_token_id", None if esm else 1)
    activation = "gelu" if esm else read_activation(str(config.get("hidden_act", "gelu")))
    made = Architecture(
        **sizes,
        gates=1,
        activation=activation,
        head_activation=activation if kind == "Bert" else "gelu",
        epsilon=float(config.get("layer_norm_eps", 1e-12)),
        layer_norm=True,
        norms_first=esm,
        embedding_norm=not esm or bool(config.get("emb_layer_norm_before")),
        rotation=read_rotation(config, sizes["head_width"]) if learned == "rotary" else None,
        padding=int(padding) if after_padding and learned == "absolute" else None,
        dropped=int(config["mask_token_id"]) if esm and config.get("token_dropout") else None,
    )
    width, hidden, names = made.width, made.ffn_width, _Names()
    prefix, head = _PREFIXES[kind], "cls.predictions." if kind == "Bert" else "lm_head."
    table, square = (made.vocab_size, width), (width, width)
    names.weight("embedding", prefix + "embeddings.word_embeddings", table)
    if learned == "absolute":
        positions = int(config.get("max_position_embeddings", 1026 if esm else 512))
        names.weight("positions", prefix + "embeddings.position_embeddings", (positions, width))
    if not esm:
        types = int(config.get("type_vocab_size", 2))
        names.weight("token_types", prefix + "embeddings.token_type_embeddings", (types, width))
    if made.embedding_norm:
        names.both("embedding_norm", prefix + f"embeddings.{'layer_norm' if esm else 'LayerNorm'}", (width,))
    for at in range(made.layers):
        layer = f"{prefix}encoder.layer.{at}."
        for role, name in (("q", "query"), ("k", "key"), ("v", "value")):
            names.both(f"layers.{at}.{role}", f"{layer}attention.self.{name}", square)
        names.both(f"layers.{at}.o", layer + "attention.output.dense", square)
        names.both(f"layers.{at}.up", layer + "intermediate.dense", (hidden, width))
        names.both(f"layers.{at}.down", layer + "output.dense", (width, hidden))
        first, second = ("attention.", "") if esm else ("attention.output.", "output.")
        names.both(f"layers.{at}.attention_norm", f"{layer}{first}LayerNorm", (width,))
        names.both(f"layers.{at}.ffn_norm", f"{layer}{second}LayerNorm", (width,))
    if esm:
        names.both("last_norm", prefix + "encoder.emb_layer_norm_after", (width,))
    inner = head + "transform." if kind == "Bert" else head
    names.both("head_dense", inner + "dense", square)
    names.both("head_norm", inner + ("LayerNorm" if kind == "Bert" else "layer_norm"), (width,))
    names.weight("head", head + "decoder", table)
    names.parts["head.bias"] = Part(head + "bias", table[:1])
    return replace(made, parts=names.parts)


def _modern(config: Config) -> Architecture:
    sizes, kinds = _sizes(config), config.get("layer_types")
    every = int(config.get("global_attn_every_n_layers", 3))
    local = (
        [kind == "sliding_attention" for kind in kinds] if kinds else [at % every > 0 for at in range(sizes["layers"])]
    )
    window, rope = int(config.get("local_attention", 128)) // 2, config.get("rope_parameters") or {}
    turns = [
        read_rotation(
            {"rope_theta": config.get(f"{name}_rope_theta", base), "rope_scaling": config.get("rope_scaling")}
            | {"rope_parameters": rope.get(kind), "max_position_embeddings": config.get("max_position_embeddings")},
            sizes["head_width"],
        )
        for name, kind, base in (("global", "full_attention", 160_000.0), ("local", "sliding_attention", 10_000.0))
    ]
    made = Architecture(
        **sizes,
        activation=read_activation(str(config.get("hidden_activation", "gelu"))),
        head_activation=read_activation(str(config.get("classifier_activation", "gelu"))),
        epsilon=float(config.get("norm_eps", 1e-5)),
        layer_norm=True,
        embedding_norm=True,
        rotation=turns[0],
        windows=tuple(window * one for one in local),
        local_rotation=turns[1],
    )
    width, hidden, names = made.width, made.ffn_width, _Names()
    table, square = (made.vocab_size, width), (width, width)
    norm = names.both if config.get("norm_bias") else names.weight
    attention = names.both if config.get("attention_bias") else names.weight
    unit = names.both if config.get("mlp_bias") else names.weight
    names.weight("embedding", "model.embeddings.tok_embeddings", table)
    norm("embedding_norm", "model.embeddings.norm", (width,))
    for at in range(made.layers):
        layer = f"model.layers.{at}."
        if at:
            norm(f"layers.{at}.attention_norm", layer + "attn_norm", (width,))
        norm(f"layers.{at}.ffn_norm", layer + "mlp_norm", (width,))
        for part, role in enumerate("qkv"):
            attention(f"layers.{at}.{role}", layer + "attn.Wqkv", square, part * width)
        attention(f"layers.{at}.o", layer + "attn.Wo", square)
        unit(f"layers.{at}.gate", layer + "mlp.Wi", (hidden, width))
        unit(f"layers.{at}.up", layer + "mlp.Wi", (hidden, width), hidden)
        unit(f"layers.{at}.down", layer + "mlp.Wo", (width, hidden))
    norm("last_norm", "model.final_norm", (width,))
    (names.both if config.get("classifier_bias") else names.weight)("head_dense", "head.dense", square)
    norm("head_norm", "head.norm", (width,))
    (names.both if config.get("decoder_bias", True) else names.weight)("head", "decoder", table)
    return replace(made, parts=names.parts)


class _Names:
    """Collects the names of weights by role."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}

    def weight(self, role: str, name: str, shape: tuple[int, ...], begin: int = 0) -> None:
        self.parts[role] = Part(f"{name}.weight", shape, begin)

    def both(self, role: str, name: str, shape: tuple[int, ...], begin: int = 0) -> None:
        """A weight and its bias."""
        self.weight(role, name, shape, begin)
        self.parts[f"{role}.bias"] = Part(f"{name}.bias", shape[:1], begin)
