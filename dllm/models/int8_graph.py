"""A dense transformer's graph with products in eight bits: one file for all processors.

Weights are signed with one scale for each output, activations unsigned with one for each row, so that no row changes
another, and their products are whole numbers: the same on every processor. Vectors are turned before, see
`rotated_weights`. docs/models.md has what else was measured."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from unmask.models.checkpoint_weights import Array
from unmask.models.graph import Builder
from unmask.models.onnx_writer import DTYPES, GraphWriter
from unmask.models.rotated_weights import RotatedWeights, hadamard, inner_size

LARGEST = 127
ROWS = 16_384  # of a table that are converted at once
CONTRIB = "com.microsoft"  # ONNX Runtime's own operators


class Int8Builder(Builder):
    """Writes the nodes of one network in eight bits; its table of embeddings is float16."""

    weights: RotatedWeights

    def _embedded(self) -> str:
        node, shape = self.graph.node, self.shape
        table = np.empty((shape.vocab_size, shape.width), np.float16)
        for begin in range(0, shape.vocab_size, ROWS):
            table[begin : begin + ROWS] = self.weights.rows("embedding", begin, begin + ROWS)
        vectors = node("Gather", self.graph.constant(table, "float16"), "ids", axis=0)
        vectors = node("Cast", vectors, to=DTYPES["float32"])
        return self._norm(vectors) if shape.embedding_norm else vectors

    def _head(self, x: str) -> str:
        role, shape = "head" if "head" in self.weights else "embedding", self.shape
        packed, scales = np.empty((shape.width, shape.vocab_size), np.int8), np.empty(shape.vocab_size, np.float32)
        for begin in range(0, shape.vocab_size, ROWS):
            part = slice(begin, begin + ROWS)
            packed[:, part], scales[part] = _quantize(self.weights.rows(role, part.start, part.stop, head=True))
        return self._multiply(self._norm(x), packed, scales)

    def product(self, x: str, weight: Array, role: str) -> str:
        node, constant, size = self.graph.node, self.graph.constant, inner_size(self.shape.ffn_width)
        if role.endswith("down") and size > 1:
            parts = node("Reshape", x, constant([0, 0, self.shape.ffn_width // size, size], "int64"))
            turned = node("MatMul", parts, constant(hadamard(size)))
            x = node("Reshape", turned, constant([0, 0, self.shape.ffn_width], "int64"))
        made, bias = self._multiply(x, *_quantize(weight)), f"{role}.bias"
        return node("Add", made, constant(self.weights[bias])) if bias in self.weights else made

    def _multiply(self, x: str, packed: Any, scales: Array) -> str:
        node, constant = self.graph.node, self.graph.constant
        zero = constant(128, "uint8")
        if x not in self.quantized:  # the same rows are multiplied by several weights
            largest = node("ReduceMax", node("Abs", x), constant([-1], "int64"), keepdims=1)
            step = node("Max", node("Mul", largest, constant(1 / LARGEST)), constant(1e-9))
            self.quantized[x] = node("QuantizeLinear", node("Div", x, step), constant(1.0), zero), step
        rows, step = self.quantized[x]
        if unsigned := saturates():
            packed = packed.view(np.uint8) ^ 128  # plus 128
        table = constant(packed, "uint8" if unsigned else "int8")
        weight = table, constant(1.0), constant(scales), zero, *([zero] if unsigned else [])
        return node("Mul", node("MatMulIntegerToFloat", rows, *weight, domain=CONTRIB), step)


def _quantize(weight: Array) -> tuple[Any, Array]:
    """A weight [out, in] as whole numbers [in, out], and a scale for each output."""
    scales: Array = np.maximum(np.abs(weight).max(1), 1e-9) / np.float32(LARGEST)
    return np.rint(weight / scales[:, None]).astype(np.int8).T, scales


@cache
def saturates() -> bool:
    """Whether this processor's products of unsigned and signed bytes are wrong where they are large: those without VNNI
    add two of them in 16 bits. ONNX Runtime has a slower, exact way for those."""
    import onnxruntime

    graph = GraphWriter()
    graph.input("x", "uint8", 4, 64)
    graph.output("y", "int32", 4, 64)
    graph.node("MatMulInteger", "x", graph.constant(np.full((64, 64), LARGEST), "int8"), outputs=["y"])
    session = onnxruntime.InferenceSession(b"".join(graph.file()), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"x": np.full((4, 64), 255, np.uint8)})
    return bool((found != 255 * LARGEST * 64).any())
