"""Estimates the time of a network's pass on this machine by timing one layer and a part of its head."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from unmask.models.architecture import NetworkShape
from unmask.models.checkpoint_weights import CheckpointWeights
from unmask.models.describe import read_architecture
from unmask.models.graph_network import GraphNetwork
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.engine import GRAPH_NUMBERS
from unmask.models.hub.hardware import threads
from unmask.models.rotated_weights import RotatedWeights

CELLS = 128  # of the canvas
PART = 8  # the head is timed on a part of the vocabulary this many times smaller, to save memory
FEW = 64  # words of a head that takes no time
TRIES = 3  # the fastest counts, since other processes may interfere


@cache
def forward_seconds(shape: NetworkShape, number: str, device: str) -> float:
    """Seconds of a pass over a canvas of 128 open cells without a KV cache."""
    if device != "cpu" or number not in GRAPH_NUMBERS:
        return _torch_seconds(shape, number, device)
    layer = _graph_seconds(replace(shape, vocab_size=FEW), number)
    head = _graph_seconds(replace(shape, vocab_size=max(FEW, shape.vocab_size // PART)), number) - layer
    return shape.layers * layer + PART * max(head, 0)


def _graph_seconds(shape: NetworkShape, number: str) -> float:
    """Seconds of a graph of one such layer and its head."""
    ffn = shape.ffn_width if shape.gates == 2 else shape.ffn_width * 2 // 3  # as many numbers without a gate
    fields = {"intermediate_size": ffn, "num_hidden_layers": 1, "tie_word_embeddings": False}
    architecture = read_architecture(CheckpointSpec("LlamaForCausalLM", {**shape.to_hub_config(), **fields}))
    rng = np.random.default_rng(0)
    weights = CheckpointWeights(lambda part: rng.standard_normal(part.shape, np.float32), architecture.parts)
    stored = RotatedWeights(weights, architecture) if number == "int8" else weights
    network = GraphNetwork(architecture, stored, threads(), number=number)
    ids, rows = np.arange(CELLS)[None] % shape.vocab_size, np.arange(CELLS)
    return _fastest(lambda: network.logits(ids, rows))


def _torch_seconds(shape: NetworkShape, number: str, device: str) -> float:
    import torch

    dtype = {"fp32": torch.float32, "fp16": torch.float16}.get(number, torch.bfloat16)
    wide, narrow = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    sizes = [(shape.width, wide), (shape.width, narrow), (shape.width, narrow), (wide, shape.width)]
    sizes += [(shape.width, shape.ffn_width)] * shape.gates + [(shape.ffn_width, shape.width)]
    head = (shape.width, shape.vocab_size // PART)
    with torch.inference_mode():
        weights = [torch.ones(out, into, dtype=dtype, device=device) for into, out in (*sizes, head)]
        cells = {into: torch.ones(CELLS, into, dtype=dtype, device=device) for into, _ in sizes}
        ask = torch.ones(1, shape.heads, CELLS, shape.head_width, dtype=dtype, device=device)

        def layer() -> object:
            for weight in weights[:-1]:
                torch.nn.functional.linear(cells[weight.shape[1]], weight)
            return torch.nn.functional.scaled_dot_product_attention(ask, ask, ask)[..., :1].cpu()  # waits for the GPU

        def words() -> object:
            return torch.nn.functional.linear(cells[shape.width], weights[-1]).float().softmax(-1).amax(-1).cpu()

        return shape.layers * _fastest(layer) + PART * _fastest(words)


def _fastest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(TRIES + 1):  # the first is a warm-up
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times[1:])
