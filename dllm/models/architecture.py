"""What a dense transformer computes, read from its config and the names of its weights, without torch or ONNX.

Code that builds a network reads an `Architecture` and nothing else of a config. What it cannot express is refused by
name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from unmask.errors import InvalidRequest, Unsupported
from unmask.models.rotary import Rotation, read_rotation

if TYPE_CHECKING:
    from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config

Shape = tuple[int, ...]
NAMES_SHOWN = 5  # in an error message
ACTIVATIONS = {
    "silu": "silu", "swish": "silu", "gelu": "gelu", "gelu_python": "gelu", "relu": "relu",
    "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh",
}  # fmt: skip


@dataclass(frozen=True)
class NetworkShape:
    """The sizes of a network's layers: enough to time it without its weights."""

    layers: int
    width: int
    ffn_width: int  # inner width of the feed-forward part
    heads: int
    kv_heads: int
    head_width: int
    vocab_size: int
    gates: int = 2  # input projections of the feed-forward part: two if gated (SwiGLU)

    def to_hub_config(self) -> Config:
        """The same under the field names of a Hub config."""
        return {
            "num_hidden_layers": self.layers,
            "hidden_size": self.width,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_width,
            "vocab_size": self.vocab_size,
            "tie_word_embeddings": True,  # as small models have it
        }


@dataclass(frozen=True)
class Part:
    """Where the file has a weight: its key, and its first row if it is a part of a fused one."""

    key: str
    shape: Shape
    begin: int = 0


@dataclass(frozen=True)
class Architecture(NetworkShape):
    """A dense transformer whose norms come before attention and feed-forward part.

    Each layer has the weights `layers.0.q`, `k`, `v`, `o`, `gate`, `up` and `down`, [out, in] and each perhaps with a
    `.bias`, the gains `attention_norm` and `ffn_norm`, and perhaps `q_norm` and `k_norm` of each head. Around them are
    `embedding`, `last_norm` and `head`; without a head it is the embedding. `parts` has all names."""

    causal: bool = False  # without a mask, a row sees only itself and those before it
    activation: str = "silu"
    epsilon: float = 1e-6  # of the norms
    rotation: Rotation = field(default_factory=Rotation)
    embedding_norm: bool = False  # embeddings are normalised, without a gain
    parts: Mapping[str, Part] = field(default_factory=dict, compare=False)

    @property
    def parameters(self) -> int:
        """The count of parameters; shared ones count once."""
        return sum(math.prod(part.shape) for part in set(self.parts.values()))


Wanted = dict[str, tuple[str, Shape]]  # by role: the name in transformers' class, and the shape


def read_architecture(spec: CheckpointSpec) -> tuple[Architecture, Wanted]:
    """The network of a config, and the weights that it needs; raises `Unsupported` if it cannot be expressed."""
    if (read := _READERS.get(spec.native)) is None:
        raise Unsupported(f"{spec.native or 'this network'} runs on transformers alone")
    try:
        return read(spec.native, spec.config)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, InvalidRequest):
            raise
        raise InvalidRequest(f"the config lacks or garbles a field of {spec.native}: {error}") from error


def describe(spec: CheckpointSpec, shapes: Mapping[str, Shape], folder: str) -> Architecture:
    """The network of a checkpoint whose files hold weights of these shapes, by key; raises InvalidRequest if they are
    not those of its config."""
    made, wanted = read_architecture(spec)
    found = _native_parts(spec, shapes, wanted)
    if spec.config.get("tie_word_embeddings"):  # a file may hold the head once more
        found.pop(wanted["head"][0], None)
        wanted = wanted | {"head": wanted["embedding"]}
    used = {name for name, _ in wanted.values()}
    extra = {part.key for name, part in found.items() if name not in used}
    faults = describe_misfit(
        sorted(used - found.keys()),
        sorted(key for key in extra if not any(re.search(pattern, key) for pattern in (*spec.spare, _BUFFERS))),
        sorted(name for name, shape in wanted.values() if name in found and found[name].shape != shape),
    )
    if faults:
        raise InvalidRequest(f"the weights in {folder} do not fit {spec.native}: {faults}")
    return replace(made, parts={role: found[name] for role, (name, _) in wanted.items()})


def unknown_keys(spec: CheckpointSpec, keys: Iterable[str]) -> list[str]:
    """The weights among these keys that the network does not have, if they are more than half: a check before the
    download."""
    wanted = {name for name, _ in read_architecture(spec)[1].values()}
    found = _native_parts(spec, dict.fromkeys(keys, (0,)), {})
    listed = {part.key: name for name, part in found.items() if not any(re.search(p, part.key) for p in spec.spare)}
    unknown = [key for key, name in listed.items() if name not in wanted and f"model.{name}" not in wanted]
    return unknown if 2 * len(unknown) > len(listed) else []


def _native_parts(spec: CheckpointSpec, shapes: Mapping[str, Shape], wanted: Wanted) -> dict[str, Part]:
    """The weights of the files under the names that transformers' class gives them."""
    sizes, found = dict(wanted.values()), dict[str, Part]()
    for key, shape in shapes.items():
        name = key
        for theirs, ours in spec.keys.items():
            name = re.sub(theirs, ours, name)
        if name not in sizes and f"model.{name}" in sizes:  # saved without its head
            name = f"model.{name}"
        begin, fused = 0, next((several for several in spec.splits if several in name), "")
        for part in (name.replace(fused, one) for one in spec.splits.get(fused, ())):
            rows = sizes.get(part, shape)[0]
            found[part] = Part(key, (max(0, min(rows, shape[0] - begin)), *shape[1:]), begin)
            begin += rows
        if not begin or begin < shape[0]:  # not fused, or rows that belong to no part
            found[name] = Part(key, (shape[0] - begin, *shape[1:]) if begin else shape, begin)
    return found


def _read_decoder(native: str, config: Config) -> tuple[Architecture, Wanted]:
    """Llama and its kin; the defaults are those of transformers' config classes."""
    ministral, width, heads = (
        native.startswith("Ministral3"),
        int(config["hidden_size"]),
        int(config["num_attention_heads"]),
    )
    kv_heads = int(config.get("num_key_value_heads", _KV_HEADS.get(native)) or heads)
    head_width = int(config.get("head_dim", _HEAD_WIDTH.get(native)) or width // heads)
    if (activation := str(config.get("hidden_act", "silu"))) not in ACTIVATIONS:
        raise Unsupported(f"the activation '{activation}' is not known here; there are {', '.join(ACTIVATIONS)}")
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
        activation=ACTIVATIONS[activation],
        epsilon=float(config.get("rms_norm_eps", 1e-5 if ministral else 1e-6)),
        rotation=read_rotation(config, head_width, _MINISTRAL_ROPE if ministral else None),
    )
    biased = set("qkv") if native.startswith("Qwen2") else set[str]()
    if native.startswith(("Llama", "Qwen3")) and config.get("attention_bias"):
        biased = set("qkvo")
    if native.startswith("Llama") and config.get("mlp_bias"):
        biased |= {"gate", "up", "down"}
    table, wanted = (made.vocab_size, width), Wanted()
    wanted |= {"embedding": ("model.embed_tokens.weight", table), "head": ("lm_head.weight", table)}
    wanted["last_norm"] = ("model.norm.weight", (width,))
    query, key = heads * head_width, kv_heads * head_width
    matrices = {"q": (query, width), "k": (key, width), "v": (key, width), "o": (width, query)}
    matrices |= {"gate": (made.ffn_width, width), "up": (made.ffn_width, width), "down": (width, made.ffn_width)}
    for at in range(made.layers):
        ours, theirs = f"layers.{at}.", f"model.layers.{at}."
        wanted[ours + "attention_norm"] = (theirs + "input_layernorm.weight", (width,))
        wanted[ours + "ffn_norm"] = (theirs + "post_attention_layernorm.weight", (width,))
        for role, shape in matrices.items():
            name = f"{theirs}{'self_attn' if role in 'qkvo' else 'mlp'}.{role}_proj."
            wanted[ours + role] = (name + "weight", shape)
            if role in biased:
                wanted[f"{ours}{role}.bias"] = (name + "bias", shape[:1])
        for role in ("q_norm", "k_norm") if native.startswith("Qwen3") else ():
            wanted[ours + role] = (f"{theirs}self_attn.{role}.weight", (head_width,))
    return made, wanted


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


def describe_misfit(missing: list[str], extra: list[str], misfits: list[str]) -> str:
    """The wrong keys in a sentence; empty if there are none."""
    faults = (("missing", missing), ("unknown", extra), ("of another shape", misfits))
    return "; ".join(f"{what} {summarize_names(keys)}" for what, keys in faults if keys)


def summarize_names(keys: list[str]) -> str:
    """A few of the names, and the number of the others."""
    more = f" and {len(keys) - NAMES_SHOWN} more" if len(keys) > NAMES_SHOWN else ""
    return ", ".join(keys[:NAMES_SHOWN]) + more


_BUFFERS = r"rotary_emb\.inv_freq$"  # older files hold them; they follow from the config
_KV_HEADS = {"Qwen2ForCausalLM": 32, "Qwen3ForCausalLM": 32, "MistralForCausalLM": 8, "Ministral3ForCausalLM": 8}
_HEAD_WIDTH = {"Qwen3ForCausalLM": 128, "Ministral3ForCausalLM": 128}
_MINISTRAL_ROPE = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 16.0, "original_max_position_embeddings": 16384}
_MINISTRAL_ROPE |= {"mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}
_DECODERS = ("Llama", "Qwen2", "Qwen3", "Mistral", "Ministral3")
_READERS: dict[str, Callable[[str, Config], tuple[Architecture, Wanted]]] = {
    f"{one}ForCausalLM": _read_decoder for one in _DECODERS
}
