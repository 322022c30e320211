"""One pass of a network in fp32, layer by layer, so that its weights need not be in memory at once: to compare with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from unmask.canvas import Ints
from unmask.models.architecture import Architecture
from unmask.models.checkpoint_weights import Array, CheckpointWeights
from unmask.models.graph import Builder
from unmask.models.graph_network import attention_bias, open_session

ROWS = 16_384  # of the head that are read at once


def float_logits(weights: CheckpointWeights, shape: Architecture, ids: Ints, threads: int, place: Path) -> Array:
    """Logits [L, V] of a text [L]. Each layer is a file in `place` for as long as it is open: who removes that folder
    removes what a process left that was killed."""
    x = np.concatenate([weights.rows("embedding", at, at + 1) for at in ids.tolist()])
    if shape.embedding_norm:
        x = _norm(x, shape.epsilon)
    past = np.empty((1, shape.kv_heads, 0, shape.head_width), np.float32)
    feed = {"positions": np.arange(len(ids))[None], "bias": attention_bias(len(ids), 0, None, shape.causal)}
    for at in range(shape.layers):
        with TemporaryDirectory(dir=place) as folder:
            file = Path(folder) / "layer.onnx"
            with file.with_suffix(".bin").open("wb") as external:
                pieces = _Layer(weights, shape, external=external).layer(at)
            file.write_bytes(b"".join(pieces))
            (x,) = open_session(file, threads).run(["y"], feed | dict.fromkeys(past_names(at), past) | {"x": x[None]})[
                0
            ]
    x = _norm(x, shape.epsilon) * weights["last_norm"]
    role = "head" if "head" in weights else "embedding"
    parts = (weights.rows(role, begin, begin + ROWS) for begin in range(0, shape.vocab_size, ROWS))
    return np.concatenate([x @ part.T for part in parts], axis=1)


def divergence(logits: Array, other: Array) -> float:
    """The mean Kullback-Leibler divergence of rows of logits, in nats."""
    one, two = (x - x.max(-1, keepdims=True) for x in (logits, other))
    one, two = (x - np.log(np.exp(x).sum(-1, keepdims=True)) for x in (one, two))
    return float((np.exp(one) * (one - two)).sum(-1).mean())


class _Layer(Builder):
    """A graph of a single layer."""

    def layer(self, at: int) -> list[bytes]:
        graph, shape = self.graph, self.shape
        self.shape = replace(shape, layers=shape.layers + 1)  # the last one computes only the requested rows
        graph.input("x", "float32", 1, "length", shape.width)
        graph.input("positions", "int64", 1, "length")
        graph.input("bias", "float32", 1, 1, "length", "length")
        for name in past_names(at):
            graph.input(name, "float32", 1, shape.kv_heads, "past", shape.head_width)
        graph.output("y", "float32", 1, "length", shape.width)
        self.ones = graph.constant(np.ones(shape.width))
        if shape.rotation is not None:
            self.angles = {False: self._angles(shape.rotation)}
        graph.node("Identity", self._layer(at, "x"), outputs=["y"])
        return graph.file()


def past_names(at: int) -> tuple[str, str]:
    return f"past_k{at}", f"past_v{at}"


def _norm(x: Array, epsilon: float) -> Array:
    normed: Array = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(epsilon))
    return normed
