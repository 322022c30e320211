"""Estimates the time of a network's pass on this machine by timing the matmuls of one layer and of its head."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from unmask.models.family import NetworkShape

if TYPE_CHECKING:
    from torch import Tensor

CELLS = 128  # of the canvas
PART = 8  # the head is timed on a part of the vocabulary this many times smaller, to save memory
TRIES = 3  # the fastest counts, since other processes may interfere


@cache
def forward_seconds(shape: NetworkShape, number: str, device: str) -> float:
    """Seconds of a pass over a canvas of 128 open cells without a KV cache."""
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

        def layer() -> Tensor:
            for weight in weights[:-1]:
                torch.nn.functional.linear(cells[weight.shape[1]], weight)
            return torch.nn.functional.scaled_dot_product_attention(ask, ask, ask)

        def words() -> Tensor:
            return torch.nn.functional.linear(cells[shape.width], weights[-1]).float().softmax(-1).amax(-1)

        return shape.layers * _fastest(layer) + PART * _fastest(words)


def _fastest(work: object) -> float:
    assert callable(work)
    times = []
    for _ in range(TRIES + 1):  # the first is a warm-up
        began = time.perf_counter()
        work()[..., :1].cpu()  # waits for the GPU
        times.append(time.perf_counter() - began)
    return min(times[1:])
