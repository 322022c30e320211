"""What a dense transformer computes: a record without torch or ONNX, which code that builds a network reads.

`describe` makes it of a config and the names of the weights, and refuses by name what it cannot express."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unmask.errors import Unsupported
from unmask.models.rotary import Rotation

if TYPE_CHECKING:
    from unmask.models.hub.checkpoint_spec import Config

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
    """A dense transformer: decoders with gated units and RMS norms (Llama), and encoders (BERT).

    Each layer has the weights `layers.0.q`, `k`, `v`, `o`, `gate`, `up` and `down`, [out, in] and each perhaps with a
    `.bias`; the gains `attention_norm` and `ffn_norm`; perhaps `q_norm` and `k_norm` of each head. Around them are
    `embedding`, `last_norm` and `head`; without a head it is the embedding. Encoders may have `positions` and
    `token_types` beside the embedding, then `embedding_norm`, and `head_dense` and `head_norm` before the head."""

    causal: bool = False  # without a mask, a row sees only itself and those before it
    activation: str = "silu"
    head_activation: str = "gelu"  # after `head_dense`
    epsilon: float = 1e-6  # of the norms
    layer_norm: bool = False  # norms subtract the mean; otherwise they are RMS norms
    norms_first: bool = True  # they come before attention and feed-forward part, otherwise after them
    embedding_norm: bool = False  # embeddings are normalised, perhaps without a gain
    rotation: Rotation | None = None
    windows: tuple[int, ...] = ()  # by layer: how far it sees to each side; 0 is everything
    local_rotation: Rotation | None = None  # of layers with a window
    padding: int | None = None  # learned positions are counted without this token, from its number on
    dropped: int | None = None  # this token's embedding is 0, and the others grow with its share (ESM)
    parts: Mapping[str, Part] = field(default_factory=dict, compare=False)  # of each weight by role

    @property
    def parameters(self) -> int:
        """The count of parameters; shared ones count once."""
        return sum(math.prod(part.shape) for part in set(self.parts.values()))


def whole_shapes(parts: Iterable[Part]) -> dict[str, Shape]:
    """The shapes of the stored weights of which these are parts."""
    found: dict[str, Shape] = {}
    for part in parts:
        rows = max(part.begin + part.shape[0], *found.get(part.key, (0,))[:1])
        found[part.key] = (rows, *part.shape[1:])
    return found


def read_activation(name: str) -> str:
    if name not in ACTIVATIONS:
        raise Unsupported(f"the activation '{name}' is not known here; there are {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]


def describe_misfit(missing: list[str], extra: list[str], misfits: list[str]) -> str:
    """The wrong keys in a sentence; empty if there are none."""
    faults = (("missing", missing), ("unknown", extra), ("of another shape", misfits))
    return "; ".join(f"{what} {summarize_names(keys)}" for what, keys in faults if keys)


def summarize_names(keys: list[str]) -> str:
    """A few of the names, and the number of the others."""
    more = f" and {len(keys) - NAMES_SHOWN} more" if len(keys) > NAMES_SHOWN else ""
    return ", ".join(keys[:NAMES_SHOWN]) + more
