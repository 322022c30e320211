"""A dense transformer as an ONNX graph for inference: the hub's, and the project's own small one.

Gains of norms are folded into the weights after them, and the last layer computes only the requested rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from unmask.models.architecture import Architecture, Part, Shape, whole_shapes
from unmask.models.checkpoint_weights import Array, CheckpointWeights
from unmask.models.onnx_writer import DTYPES, GraphWriter
from unmask.models.rotary import Rotation

Weights = Mapping[str, Array]  # by role: see `Architecture`
EPS = 1e-5
ROPE_BASE = 1000.0
# largest number of an int8 weight: products of u8 and s8 are summed in pairs in 16 bits on processors without VNNI,
# where 2 * 255 * 63 fits and 2 * 255 * 127 does not
LARGEST = 63


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of the project's own network."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    length: int
    causal: bool

    @property
    def depth(self) -> int:
        """The width of one head."""
        return self.width // self.heads

    @property
    def hidden(self) -> int:
        """The width inside the gated unit: 8/3 of the width, as SwiGLU asks, in steps of 64."""
        return (self.width * 8 // 3 + 63) // 64 * 64

    def architecture(self) -> Architecture:
        width, hidden = self.width, self.hidden
        parts = {"embedding": Part("embedding.weight", (self.vocabulary, width))}
        parts["last_norm"] = Part("last_norm.gain", (width,))
        names = {"attention_norm": "before_look.gain", "ffn_norm": "before_think.gain"}
        names |= {"q_norm": "query_norm.gain", "k_norm": "key_norm.gain"}
        for at in (f"layers.{layer}." for layer in range(self.layers)):
            for role, name in names.items():
                parts[at + role] = Part(at + name, (self.depth if role[1] == "_" else width,))
            for i, role in enumerate("qkv"):
                parts[at + role] = Part(at + "look.weight", (width, width), i * width)
            parts[at + "o"] = Part(at + "gather.weight", (width, width))
            parts[at + "gate"] = Part(at + "think.weight", (hidden, width))
            parts[at + "up"] = Part(at + "think.weight", (hidden, width), hidden)
            parts[at + "down"] = Part(at + "settle.weight", (width, hidden))
        turn = Rotation(tuple((ROPE_BASE ** (-np.arange(0, self.depth, 2) / self.depth)).tolist()))
        return Architecture(
            self.layers, width, hidden, self.heads, self.heads, self.depth, self.vocabulary,
            causal=self.causal, epsilon=EPS, rotation=turn, embedding_norm=True, parts=parts,
        )  # fmt: skip

    def weights(self, read: Callable[[Part], Array]) -> CheckpointWeights:
        """The weights by role, which `read` reads by their own names."""
        return CheckpointWeights(read, self.architecture().parts)

    def weight_shapes(self) -> dict[str, Shape]:
        """The names and shapes of the stored weights."""
        return whole_shapes(self.architecture().parts.values())


class Builder:
    """Writes the nodes of one network, an .onnx file in pieces. `number` is fp32 or int8, and `external` a file beside
    it for its large constants.

    Inputs: `ids` and `positions` [B, L], `bias` [1 or B, 1, L, past + L] added to the attention scores (`local_bias` in
    layers with a window), `rows` [R], `vectors` [B, N, W] that go to the head as they are, and for each layer the keys
    and values of the tokens before, [B, heads, past, depth]: `past_k0`, `past_v0`, … Outputs: `logits` [B, R + N, V],
    the extended keys and values `k0`, `v0`, …, and for lenses, at the rows, `states` [(layers + 1) * B, R, W], each
    layer's input and the last one's output, and `queries` [layers * B, R, W], with which each layer's heads attend."""

    def __init__(
        self, weights: Weights, shape: Architecture, number: str = "fp32", external: BinaryIO | None = None
    ) -> None:
        self.graph, self.weights, self.shape, self.number = GraphWriter(external), weights, shape, number
        self.quantized = dict[str, tuple[str, str]]()
        self.table = ""  # the embedding, if it is the head too
        self.angles = dict[bool, tuple[str, str]]()
        self.growth = ""  # what queries are multiplied by
        self.queries: list[str] = []  # of each layer; the last one's at the requested rows

    def build(self) -> list[bytes]:
        node, constant, shape = self.graph.node, self.graph.constant, self.shape
        self._declare()
        self.ones = constant(np.ones(shape.width))
        x, states = self._embedded(), []
        # the cosines and sines of the positions, by the kind of layer
        self.angles = {bool(turn is shape.local_rotation): self._angles(turn) for turn in self._rotations()}
        for at in range(shape.layers):
            states.append(x)
            x = self._layer(at, x)
        node("Identity", self._head(node("Concat", x, "vectors", axis=1)), outputs=["logits"])
        for name, (*before, last) in (("states", [*states, x]), ("queries", self.queries)):
            at_rows = [node("Gather", one, "rows", axis=1) for one in before]
            node("Concat", *at_rows, last, axis=0, outputs=[name])
        return self.graph.file()

    def _rotations(self) -> list[Rotation]:
        return [turn for turn in (self.shape.rotation, self.shape.local_rotation) if turn is not None]

    def _declare(self) -> None:
        graph, shape = self.graph, self.shape
        for name in ("ids", "positions"):
            graph.input(name, "int64", "batch", "length")
        for name in ("bias", *(["local_bias"] if any(shape.windows) else [])):
            graph.input(name, "float32", "masks", 1, "length", "total")
        graph.input("rows", "int64", "rows")
        graph.output("logits", "float32", "batch", "answers", shape.vocab_size)
        graph.input("vectors", "float32", "batch", "more", shape.width)
        graph.output("states", "float32", "states", "rows", shape.width)
        graph.output("queries", "float32", "layers", "rows", shape.heads * shape.head_width)
        for name in cache_names(shape):
            graph.input(f"past_{name}", "float32", "batch", shape.kv_heads, "past", shape.head_width)
            graph.output(name, "float32", "batch", shape.kv_heads, "total", shape.head_width)

    def _embedded(self) -> str:
        """The vectors of the input's tokens.

        In eight bits the table would cost most of what int8 costs, so it is float16 then, which holds the bfloat16
        numbers of the bundled pair exactly."""
        node, constant, narrow = self.graph.node, self.graph.constant, self.number == "int8"
        table = constant(self.weights["embedding"], "float16" if narrow else "float32")
        x = node("Gather", table, "ids", axis=0)
        if "head" not in self.weights:
            self.table = node("Transpose", table, perm=[1, 0])
        if narrow:
            x = node("Cast", x, to=DTYPES["float32"])
            self.table = self.table and node("Cast", self.table, to=DTYPES["float32"])
        if self.shape.dropped is not None:
            x = self._without(self.shape.dropped, x)
        if "positions" in self.weights:
            x = node("Add", x, node("Gather", constant(self.weights["positions"]), "positions", axis=0))
        if "token_types" in self.weights:  # all tokens are of the first type
            x = node("Add", x, constant(self.weights["token_types"][0]))
        if not self.shape.embedding_norm:
            return x
        return self._normed(x, "embedding_norm")[0] if "embedding_norm" in self.weights else self._norm(x)

    def _without(self, token: int, x: str) -> str:
        """Embeddings without a token's own; the others are larger by its share over that in training (.12)."""
        node, constant = self.graph.node, self.graph.constant
        others = node("Cast", node("Not", node("Equal", "ids", constant(token, "int64"))), to=DTYPES["float32"])
        share = node("ReduceMean", others, constant([-1], "int64"), keepdims=1)
        scale = node("Div", node("Mul", others, constant(1 - 0.15 * 0.8)), share)
        return node("Mul", x, node("Unsqueeze", scale, constant([-1], "int64")))

    def _head(self, x: str) -> str:
        """Logits of the last vectors."""
        if self.table:
            normed = self._norm(x, self.graph.constant(self.weights["last_norm"]))
            return self.graph.node("MatMul", normed, self.table)
        x, gain = self._normed(x, "last_norm")
        if "head_dense" in self.weights:
            made = self.product(x, self.weights["head_dense"] * gain, "head_dense")
            x, gain = self._normed(self._activation(made, self.shape.head_activation), "head_norm")
        return self.product(x, self.weights["head"] * gain, "head")

    def _angles(self, turn: Rotation) -> tuple[str, str]:
        """The cosines and sines of the positions, [B, L, depth / 2]."""
        node, constant = self.graph.node, self.graph.constant
        places = node("Unsqueeze", node("Cast", "positions", to=DTYPES["float32"]), constant([-1], "int64"))
        angle = node("Mul", places, constant(turn.angles))
        cos, sin = node("Cos", angle), node("Sin", angle)
        if turn.scale != 1:
            cos, sin = (node("Mul", one, constant(turn.scale)) for one in (cos, sin))
        if turn.growth:
            lengths = node("Floor", node("Div", places, constant(float(turn.growth_length))))
            logarithm = node("Log", node("Add", lengths, constant(1.0)))
            self.growth = node("Add", node("Mul", logarithm, constant(turn.growth)), constant(1.0))
        return cos, sin

    def _layer(self, number: int, x: str) -> str:
        node, shape, at = self.graph.node, self.shape, f"layers.{number}."
        local = bool(shape.windows and shape.windows[number])
        normed, gain = self._normed(x, at + "attention_norm") if shape.norms_first else (x, np.float32(1))
        # one product each, since splitting their result would copy it
        query, key, value = (self.product(normed, self.weights[at + role] * gain, at + role) for role in "qkv")
        query = self._rotate(query, at + "q_norm", shape.heads, local)
        key = self._rotate(key, at + "k_norm", shape.kv_heads, local)
        if self.growth:
            query = node("Mul", query, self.growth)
        bias = "local_bias" if local else "bias"
        if number == shape.layers - 1:  # the other rows are not needed
            x, query = node("Gather", x, "rows", axis=1), node("Gather", query, "rows", axis=1)
            bias = node("Gather", bias, "rows", axis=2)
        self.queries.append(query)
        seen = node(
            "Attention", query, key, value, bias, f"past_k{number}", f"past_v{number}",
            outputs=[f"seen{number}", f"k{number}", f"v{number}"],
            q_num_heads=shape.heads, kv_num_heads=shape.kv_heads,
        )  # fmt: skip
        x = node("Add", x, self.product(seen, self.weights[at + "o"], at + "o"))
        if not shape.norms_first:
            x = self._normed(x, at + "attention_norm")[0]
        normed, gain = self._normed(x, at + "ffn_norm") if shape.norms_first else (x, np.float32(1))
        first, *up = (
            self.product(normed, self.weights[at + role] * gain, at + role)
            for role in (("gate", "up") if shape.gates == 2 else ("up",))
        )
        opened = self._activation(first, shape.activation)
        opened = node("Mul", opened, up[0]) if up else opened
        x = node("Add", x, self.product(opened, self.weights[at + "down"], at + "down"))
        return x if shape.norms_first else self._normed(x, at + "ffn_norm")[0]

    def _normed(self, x: str, role: str) -> tuple[str, Array | np.float32]:
        """Vectors normalised by the norm of this role, and its gain if it must be folded into the next weight."""
        if role not in self.weights:
            return x, np.float32(1)
        if not self.shape.layer_norm:
            return self._norm(x), self.weights[role]
        biases = [self.weights[f"{role}.bias"]] if f"{role}.bias" in self.weights else []
        inputs = map(self.graph.constant, (self.weights[role], *biases))
        return self.graph.node("LayerNormalization", x, *inputs, axis=-1, epsilon=self.shape.epsilon), np.float32(1)

    def _norm(self, x: str, gain: str = "") -> str:
        return self.graph.node("RMSNormalization", x, gain or self.ones, axis=-1, epsilon=self.shape.epsilon)

    def _rotate(self, x: str, norm: str, heads: int, local: bool) -> str:
        """Queries or keys [B, L, W], each head normalised where the network does so, and rotated by its position."""
        node, constant, depth = self.graph.node, self.graph.constant, self.shape.head_width
        if norm in self.weights:
            each = self._norm(node("Reshape", x, constant([0, 0, heads, depth], "int64")), constant(self.weights[norm]))
            x = node("Reshape", each, constant([0, 0, heads * depth], "int64"))
        return node("RotaryEmbedding", x, *self.angles[local], num_heads=heads) if self.angles else x

    def _activation(self, x: str, kind: str) -> str:
        node = self.graph.node
        match kind:
            case "silu":
                return node("Mul", x, node("Sigmoid", x))
            case "relu":
                return node("Relu", x)
            case _:
                return node("Gelu", x, approximate="tanh" if kind == "gelu_tanh" else "none")

    def product(self, x: str, weight: Array, role: str) -> str:
        """Rows multiplied by a weight [out, in] of this role, and its bias added.

        With int8, weights have a scale for each output and activations one for each row, so that no row changes
        another."""
        node, constant = self.graph.node, self.graph.constant
        made = self._int8(x, weight.T) if self.number == "int8" else node("MatMul", x, constant(weight.T))
        bias = f"{role}.bias"
        return node("Add", made, constant(self.weights[bias])) if bias in self.weights else made

    def _int8(self, x: str, weight: Array) -> str:
        node, constant = self.graph.node, self.graph.constant
        zero, scale = constant(128, "uint8"), np.maximum(np.abs(weight).max(0), 1e-9) / LARGEST
        if x not in self.quantized:  # the same rows are multiplied by several weights
            largest = node("ReduceMax", node("Abs", x), constant([-1], "int64"), keepdims=1)
            step = node("Max", node("Mul", largest, constant(1 / 127)), constant(1e-9))
            self.quantized[x] = node("QuantizeLinear", node("Div", x, step), constant(1.0), zero), step
        rows, step = self.quantized[x]
        sums = node("MatMulInteger", rows, constant(np.rint(weight / scale), "int8"), zero)
        return node("Mul", node("Mul", node("Cast", sums, to=DTYPES["float32"]), constant(scale)), step)


def cache_names(shape: Architecture) -> list[str]:
    """The outputs that hold keys and values; the inputs have `past_` before the name."""
    return [f"{kind}{at}" for at in range(shape.layers) for kind in "kv"]
