"""A dense transformer as an ONNX graph for inference: the hub's, and the project's own small one.

Gains of norms are folded into the weights after them, and the last layer computes only the requested rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from unmask.models.architecture import Architecture, Part
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

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """The names and shapes of the stored weights."""
        found: dict[str, tuple[int, ...]] = {}
        for part in self.architecture().parts.values():
            rows = max(part.begin + part.shape[0], *found.get(part.key, (0,))[:1])
            found[part.key] = (rows, *part.shape[1:])
        return found


def build_graph(
    weights: Weights,
    architecture: Architecture,
    lens: bool = False,
    number: str = "fp32",
    external: BinaryIO | None = None,
) -> list[bytes]:
    """An .onnx file, in pieces; `number` is fp32 or int8, and `external` a file beside it for its large constants.

    Inputs: `ids` and `positions` [B, L], `bias` [1 or B, 1, L, past + L] added to the attention scores, `rows` [R], and
    for each layer the keys and values of the tokens before, `past_k0`, `past_v0`, … [B, heads, past, depth].
    Outputs: `logits` [B, R, V], `hidden` [B, R, W] before the head, and the extended keys and values `k0`, `v0`, …
    With `lens` also `layer_logits` [(layers + 1) * B, R, V]: the output head applied to each layer's input and to the
    last layer's output."""
    return Builder(weights, architecture, number, external).build(lens)


class Builder:
    """Writes the nodes of one network."""

    def __init__(
        self, weights: Weights, shape: Architecture, number: str = "fp32", external: BinaryIO | None = None
    ) -> None:
        self.graph, self.weights, self.shape, self.number = GraphWriter(external), weights, shape, number
        self.quantized = dict[str, tuple[str, str]]()
        self.table = ""  # the embedding, if it is the head too

    def build(self, lens: bool = False) -> list[bytes]:
        node, constant, shape = self.graph.node, self.graph.constant, self.shape
        self._declare(lens)
        self.ones = constant(np.ones(shape.width))
        x, states = self._embedded(), []
        self._angles()
        for at in range(shape.layers):
            states.append(x)
            x = self._layer(f"layers.{at}.", at, x)
        node("Identity", self._head(x), outputs=["logits"])
        if lens:
            before = [node("Gather", state, "rows", axis=1) for state in states]
            node("Identity", self._head(node("Concat", *before, x, axis=0)), outputs=["layer_logits"])
        return self.graph.file()

    def _declare(self, lens: bool) -> None:
        graph, shape = self.graph, self.shape
        for name in ("ids", "positions"):
            graph.input(name, "int64", "batch", "length")
        graph.input("bias", "float32", "masks", 1, "length", "total")
        graph.input("rows", "int64", "rows")
        graph.output("logits", "float32", "batch", "rows", shape.vocab_size)
        for name in cache_names(shape):
            graph.input(f"past_{name}", "float32", "batch", shape.kv_heads, "past", shape.head_width)
            graph.output(name, "float32", "batch", shape.kv_heads, "total", shape.head_width)
        if lens:
            graph.output("layer_logits", "float32", "states", "rows", shape.vocab_size)

    def _embedded(self) -> str:
        """The vectors of the input's tokens.

        In eight bits the table would cost most of what int8 costs, so it is float16 then, which holds the bfloat16
        numbers of the bundled pair exactly."""
        node, narrow = self.graph.node, self.number == "int8"
        table = self.graph.constant(self.weights["embedding"], "float16" if narrow else "float32")
        vectors = node("Gather", table, "ids", axis=0)
        if "head" not in self.weights:
            self.table = node("Transpose", table, perm=[1, 0])
        if narrow:
            vectors = node("Cast", vectors, to=DTYPES["float32"])
            self.table = self.table and node("Cast", self.table, to=DTYPES["float32"])
        return self._norm(vectors) if self.shape.embedding_norm else vectors

    def _head(self, x: str) -> str:
        """Logits of the last vectors."""
        gain = self.weights["last_norm"]
        if self.table:
            return self.graph.node("MatMul", self._norm(x, self.graph.constant(gain)), self.table)
        return self.product(self._norm(x), self.weights["head"] * gain, "head")

    def _angles(self) -> None:
        """The cosines and sines of the positions, [B, L, depth / 2]."""
        node, constant, turn = self.graph.node, self.graph.constant, self.shape.rotation
        places = node("Unsqueeze", node("Cast", "positions", to=DTYPES["float32"]), constant([-1], "int64"))
        angle = node("Mul", places, constant(turn.angles))
        self.angles = node("Cos", angle), node("Sin", angle)
        if turn.scale != 1:
            cos, sin = (node("Mul", one, constant(turn.scale)) for one in self.angles)
            self.angles = cos, sin
        if turn.growth:
            lengths = node("Floor", node("Div", places, constant(float(turn.growth_length))))
            logarithm = node("Log", node("Add", lengths, constant(1.0)))
            self.growth = node("Add", node("Mul", logarithm, constant(turn.growth)), constant(1.0))

    def _layer(self, at: str, number: int, x: str) -> str:
        node, shape = self.graph.node, self.shape
        normed, gain = self._norm(x), self.weights[at + "attention_norm"]
        # one product each, since splitting their result would copy it
        query, key, value = (self.product(normed, self.weights[at + role] * gain, at + role) for role in "qkv")
        query, key = self._rotate(query, at + "q_norm", shape.heads), self._rotate(key, at + "k_norm", shape.kv_heads)
        if shape.rotation.growth:
            query = node("Mul", query, self.growth)
        bias = "bias"
        if number == shape.layers - 1:  # the other rows are not needed
            x, query = node("Gather", x, "rows", axis=1), node("Gather", query, "rows", axis=1)
            bias = node("Gather", "bias", "rows", axis=2)
        seen = node(
            "Attention", query, key, value, bias, f"past_k{number}", f"past_v{number}",
            outputs=[f"seen{number}", f"k{number}", f"v{number}"],
            q_num_heads=shape.heads, kv_num_heads=shape.kv_heads,
        )  # fmt: skip
        x = node("Add", x, self.product(seen, self.weights[at + "o"], at + "o"))
        normed, gain = self._norm(x), self.weights[at + "ffn_norm"]
        gate, up = (self.product(normed, self.weights[at + role] * gain, at + role) for role in ("gate", "up"))
        opened = node("Mul", self._activation(gate), up)
        return node("Add", x, self.product(opened, self.weights[at + "down"], at + "down"))

    def _norm(self, x: str, gain: str = "") -> str:
        return self.graph.node("RMSNormalization", x, gain or self.ones, axis=-1, epsilon=self.shape.epsilon)

    def _rotate(self, x: str, norm: str, heads: int) -> str:
        """Queries or keys [B, L, W], each head normalised where the network does so, and rotated by its position."""
        node, constant, depth = self.graph.node, self.graph.constant, self.shape.head_width
        if norm in self.weights:
            each = node("Reshape", x, constant([0, 0, heads, depth], "int64"))
            x = node(
                "Reshape", self._norm(each, constant(self.weights[norm])), constant([0, 0, heads * depth], "int64")
            )
        return node("RotaryEmbedding", x, *self.angles, num_heads=heads)

    def _activation(self, x: str) -> str:
        node = self.graph.node
        match self.shape.activation:
            case "silu":
                return node("Mul", x, node("Sigmoid", x))
            case "relu":
                return node("Relu", x)
            case _:
                return node("Gelu", x, **({"approximate": "tanh"} if self.shape.activation == "gelu_tanh" else {}))

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
