"""How long a pass of a network would take here: the products of one layer of its shape, timed, and its head's."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from unmask.models.family import NetworkShape

if TYPE_CHECKING:
    from torch import Tensor

CELLS = 128  # of the canvas that is thought about
PART = 8  # of the head's words so many times fewer are multiplied: a table of all would take more memory than the layer
TRIES = 3  # the fastest counts, since something else may have had the processor meanwhile


@cache
def forward_seconds(shape: NetworkShape, number: str, device: str) -> float:
    """Seconds of a pass over a canvas of 128 open cells, nothing kept from the pass before."""
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
    for _ in range(TRIES + 1):  # the first brings what it needs
        began = time.perf_counter()
        work()[..., :1].cpu()  # what is computed on a GPU is there only when it is looked at
        times.append(time.perf_counter() - began)
    return min(times[1:])
