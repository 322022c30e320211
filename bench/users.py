"""A pass and a step for many users at once on a GPU, against the modelled time: a network of LLaDA-8B's shape.

    PYTHONPATH=. .venv/bin/python bench/users.py      # a GPU of 80 GB, one minute

The network is written lean and recorded as a CUDA graph, so that the GPU does not wait for launches. Its weights are
random: only the time is measured. `docs/clock.md` quotes the figures."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from bench.row import Row
from unmask.run.modelled_time import BAND, Clock
from unmask.run.pass_time import CHIPS, SIZES

WIDTH, HEADS, INNER, LAYERS, WORDS = 4096, 32, 12_288, 32, 126_464
HEAD = WIDTH // HEADS
LENGTH, SPOKEN = 306, 32  # a prompt of 50 words and 256 cells; rows of logits that a pass reads
USERS = (1, 4, 16, 64)


@dataclass(frozen=True)
class Forward:
    """What one forward computes for each user."""

    what: str
    fed: int
    spoken: int

    @property
    def cached(self) -> int:
        return LENGTH - self.fed if self.fed < LENGTH else 0


STEP = Forward("one step of an autoregressive model, behind 305 tokens", 1, 1)
BLOCK = Forward("a pass over a window of 32 of 306", 32, SPOKEN)
CANVAS = Forward("a pass over the whole canvas of 306", LENGTH, SPOKEN)


def weight(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16) * 0.02


class Layer:
    """One product for queries, keys and values, one for gate and up; keys and values are written in place."""

    def __init__(self, users: int) -> None:
        self.norms = weight(2, WIDTH)
        self.qkv, self.out = weight(3 * WIDTH, WIDTH), weight(WIDTH, WIDTH)
        self.gate_up, self.down = weight(2 * INNER, WIDTH), weight(WIDTH, INNER)
        self.cache = torch.zeros(2, users, HEADS, LENGTH, HEAD, device="cuda", dtype=torch.bfloat16)

    def __call__(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor], begins: int) -> torch.Tensor:
        users, cells, _ = x.shape
        mixed = F.linear(F.rms_norm(x, (WIDTH,), self.norms[0], 1e-5), self.qkv)
        q, k, v = mixed.view(users, cells, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)

        def turned(y: torch.Tensor) -> torch.Tensor:
            return y * turn[0] + torch.cat([-y[..., HEAD // 2 :], y[..., : HEAD // 2]], -1) * turn[1]

        keys, values = self.cache[:, :users]
        keys[:, :, begins : begins + cells], values[:, :, begins : begins + cells] = turned(k), v
        seen = F.scaled_dot_product_attention(turned(q), keys, values)
        x = x + F.linear(seen.transpose(1, 2).reshape(users, cells, WIDTH), self.out)
        gate, up = F.linear(F.rms_norm(x, (WIDTH,), self.norms[1], 1e-5), self.gate_up).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)


class Network:
    def __init__(self) -> None:
        self.layers, self.table = [Layer(max(USERS)) for _ in range(LAYERS)], weight(WORDS, WIDTH)
        self.turns = weight(2, LENGTH, HEAD)

    def __call__(self, ids: torch.Tensor, one: Forward) -> torch.Tensor:
        begins = LENGTH - one.fed if one.fed < LENGTH else 0
        cos, sin = self.turns[:, begins : begins + one.fed]
        x = F.embedding(ids, self.table)
        for layer in self.layers:
            x = layer(x, (cos, sin), begins)
        return F.linear(F.rms_norm(x[:, -one.spoken :], (WIDTH,)), self.table).argmax(-1)


def recorded(work: Callable[[], Any]) -> Callable[[], None]:
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(2):
            work()
    torch.cuda.current_stream().wait_stream(aside)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def milliseconds(work: Callable[[], None], turns: int = 11) -> float:
    found = []
    for turn in range(turns + 2):
        began = time.perf_counter()
        work()
        torch.cuda.synchronize()
        if turn > 1:
            found.append(time.perf_counter() - began)
    return 1000 * statistics.median(found)


@torch.inference_mode()
def measured(chip: str) -> Iterator[Row]:
    network = Network()
    steps = dict[int, float]()
    for one in (STEP, BLOCK, CANVAS):
        for users in USERS:
            ids = torch.randint(3, 400, (users, one.fed), device="cuda")
            taken = milliseconds(recorded(lambda i=ids, f=one: network(i, f)))  # type: ignore[misc]
            clock = Clock(CHIPS[chip], SIZES["llada-8b"], users, efficiency=1)
            modelled = 1000 * clock.forward_seconds(one.fed, one.cached)
            steps[users] = taken if one is STEP else steps[users]
            share = modelled / taken
            figure = f"{taken:.2f} ms measured, {modelled:.2f} modelled at full speed: ratio {share:.2f}"
            figure += f"; {taken / steps[users]:.1f} steps"
            yield Row(f"{one.what}, {users} users", figure, f"{BAND[0]} to {BAND[1]}", BAND[0] <= share <= BAND[1])


def main() -> None:
    name = torch.cuda.get_device_name()
    chip = next(key for key in ("h200", "h100", "b200", "a100", "l4") if key in name.lower())
    for row in measured(chip):
        print(f"| {time.strftime('%Y-%m-%d')} | {name} | {row.what} | {row.figure} | {row.wanted}", flush=True)


if __name__ == "__main__":
    main()
