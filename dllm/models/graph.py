"""The small transformer as an ONNX graph for inference: the same function as `Transformer`.

Norm gains are folded into the weights after them, and the last layer computes only the requested rows. Every operator
is a standard one of opset 23, so the same file runs in ONNX Runtime here and in a browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmask.models.onnx_writer import DTYPES, GraphWriter

Array = NDArray[np.float32]
EPS = 1e-5
ROPE_BASE = 1000.0
# largest number of an int8 weight: products of u8 and s8 are summed in pairs in 16 bits on processors without VNNI,
# where 2 * 255 * 63 fits and 2 * 255 * 127 does not
LARGEST = 63


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of the network."""

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

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """The names and shapes of the stored weights."""
        width, found = self.width, {"embedding.weight": (self.vocabulary, self.width), "last_norm.gain": (self.width,)}
        for layer in range(self.layers):
            for name, shape in {
                "before_look.gain": (width,),
                "before_think.gain": (width,),
                "query_norm.gain": (self.depth,),
                "key_norm.gain": (self.depth,),
                "look.weight": (3 * width, width),
                "gather.weight": (width, width),
                "think.weight": (2 * self.hidden, width),
                "settle.weight": (width, self.hidden),
            }.items():
                found[f"layers.{layer}.{name}"] = shape
        return found


def build_graph(
    weights: Mapping[str, Array], shape: TransformerConfig, lens: bool = False, number: str = "fp32"
) -> list[bytes]:
    """An .onnx file, in pieces; `number` is fp32 or int8.

    With int8, weights have a scale for each output and activations one for each row, so that no row changes another.

    Inputs: `ids` and `positions` [B, L], `bias` [1 or B, 1, L, past + L] added to the attention scores, `rows` [R], and
    for each layer the keys and values of the tokens before, `past_k0`, `past_v0`, … [B, heads, past, depth].
    Outputs: `logits` [B, R, V], and the extended keys and values `k0`, `v0`, … With `lens` also `layer_logits`
    [(layers + 1) * B, R, V]: the output head applied to each layer's input and to the last layer's output."""
    return _Builder(weights, shape, lens, number == "int8").graph.file()


class _Builder:
    def __init__(self, weights: Mapping[str, Array], shape: TransformerConfig, lens: bool, narrow: bool) -> None:
        self.graph, self.weights, self.shape = GraphWriter(), weights, shape
        self.narrow, self.quantized = narrow, dict[str, tuple[str, str]]()
        node, constant = self.graph.node, self.graph.constant
        self._declare(lens)
        self.ones = constant(np.ones(shape.width))
        embedded, head = self._embedding()
        frequency = ROPE_BASE ** (-np.arange(0, shape.depth, 2) / shape.depth)
        places = node("Unsqueeze", node("Cast", "positions", to=DTYPES["float32"]), constant([-1], "int64"))
        angle = node("Mul", places, constant(frequency))
        self.angles = node("Cos", angle), node("Sin", angle)  # [B, L, depth / 2]

        x, states = embedded, []
        for at in range(shape.layers):
            states.append(x)
            x = self._layer(at, x)
        node("Identity", head(x), outputs=["logits"])
        if lens:
            before = [node("Gather", state, "rows", axis=1) for state in states]
            node("Identity", head(node("Concat", *before, x, axis=0)), outputs=["layer_logits"])

    def _embedding(self) -> tuple[str, Callable[[str], str]]:
        """The vectors of the input's tokens, and the function from the last vectors to logits.

        One table serves both. In eight bits it would cost most of what int8 costs, so it is float16 then, which holds
        the shipped bfloat16 numbers exactly."""
        node, constant = self.graph.node, self.graph.constant
        table = constant(self.weights["embedding.weight"], "float16" if self.narrow else "float32")
        vectors, across = node("Gather", table, "ids", axis=0), node("Transpose", table, perm=[1, 0])
        if self.narrow:
            vectors, across = (node("Cast", x, to=DTYPES["float32"]) for x in (vectors, across))
        gain = constant(self.weights["last_norm.gain"])
        return self._norm(vectors), lambda x: node("MatMul", self._norm(x, gain), across)

    def _declare(self, lens: bool) -> None:
        graph, shape = self.graph, self.shape
        for name in ("ids", "positions"):
            graph.input(name, "int64", "batch", "length")
        graph.input("bias", "float32", "masks", 1, "length", "total")
        graph.input("rows", "int64", "rows")
        graph.output("logits", "float32", "batch", "rows", shape.vocabulary)
        for name in cache_names(shape):
            graph.input(f"past_{name}", "float32", "batch", shape.heads, "past", shape.depth)
            graph.output(name, "float32", "batch", shape.heads, "total", shape.depth)
        if lens:
            graph.output("layer_logits", "float32", "states", "rows", shape.vocabulary)

    def _layer(self, at: int, x: str) -> str:
        node, shape, width, hidden = self.graph.node, self.shape, self.shape.width, self.shape.hidden

        def weight(name: str) -> Array:
            return self.weights[f"layers.{at}.{name}"]

        look = (weight("look.weight") * weight("before_look.gain")).T
        think = (weight("think.weight") * weight("before_think.gain")).T
        # one product each, since splitting their result would copy it
        normed = self._norm(x)
        query, key, value = (self._product(normed, look[:, i * width : (i + 1) * width]) for i in range(3))
        query, key = self._rotate(query, weight("query_norm.gain")), self._rotate(key, weight("key_norm.gain"))
        bias = "bias"
        if at == shape.layers - 1:  # the other rows are not needed
            x, query = node("Gather", x, "rows", axis=1), node("Gather", query, "rows", axis=1)
            bias = node("Gather", "bias", "rows", axis=2)
        seen = node(
            "Attention", query, key, value, bias, f"past_k{at}", f"past_v{at}",
            outputs=[f"seen{at}", f"k{at}", f"v{at}"], q_num_heads=shape.heads, kv_num_heads=shape.heads,
        )  # fmt: skip
        x = node("Add", x, self._product(seen, weight("gather.weight").T))
        normed = self._norm(x)
        gate, load = self._product(normed, think[:, :hidden]), self._product(normed, think[:, hidden:])
        opened = node("Mul", node("Mul", gate, node("Sigmoid", gate)), load)
        return node("Add", x, self._product(opened, weight("settle.weight").T))

    def _norm(self, x: str, gain: str = "") -> str:
        return self.graph.node("RMSNormalization", x, gain or self.ones, axis=-1, epsilon=EPS)

    def _rotate(self, x: str, gain: Array) -> str:
        """Queries or keys [B, L, W], each head normalised and rotated by its position (RoPE)."""
        node, constant, shape = self.graph.node, self.graph.constant, self.shape
        heads = node("Reshape", x, constant([0, 0, shape.heads, shape.depth], "int64"))
        x = node("Reshape", self._norm(heads, constant(gain)), constant([0, 0, shape.width], "int64"))
        return node("RotaryEmbedding", x, *self.angles, num_heads=shape.heads)

    def _product(self, x: str, weight: Array) -> str:
        """Rows multiplied by a weight [in, out]."""
        node, constant = self.graph.node, self.graph.constant
        if not self.narrow:
            return node("MatMul", x, constant(weight))
        zero, scale = constant(128, "uint8"), np.maximum(np.abs(weight).max(0), 1e-9) / LARGEST
        if x not in self.quantized:  # the same rows are multiplied by several weights
            largest = node("ReduceMax", node("Abs", x), constant([-1], "int64"), keepdims=1)
            step = node("Max", node("Mul", largest, constant(1 / 127)), constant(1e-9))
            self.quantized[x] = node("QuantizeLinear", node("Div", x, step), constant(1.0), zero), step
        rows, step = self.quantized[x]
        sums = node("MatMulInteger", rows, constant(np.rint(weight / scale), "int8"), zero)
        return node("Mul", node("Mul", node("Cast", sums, to=DTYPES["float32"]), constant(scale)), step)


def cache_names(shape: TransformerConfig) -> list[str]:
    """The outputs that hold keys and values; the inputs have `past_` before the name."""
    return [f"{kind}{at}" for at in range(shape.layers) for kind in "kv"]
