"""The bundled pair's forward: over its matrix products alone, batched, and as canvas, prompt and plan grow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import torch

from bench.row import Row, at_least, at_most
from bench.timer import ratio, turns
from unmask.canvas import blank
from unmask.inference import infer
from unmask.inference.decode import decode
from unmask.models import load
from unmask.models.architecture import Architecture
from unmask.models.graph_network import GraphNetwork
from unmask.models.hub import hardware
from unmask.run.settings import Settings
from unmask.run.state import State, start


def products(shape: Architecture, length: int, rows: int) -> Callable[[], None]:
    """The lower bound: only the matrix products of a forward, by torch, with weights of the same shapes."""
    wide, narrow = torch.randn(length, shape.width), torch.randn(length, shape.ffn_width)
    query, score = torch.randn(shape.heads, length, shape.head_width), torch.randn(shape.heads, length, length)
    outs = (3 * shape.width, shape.width, 2 * shape.ffn_width)
    layers = [[torch.randn(shape.width, out) for out in outs] for _ in range(shape.layers)]
    settle, head = torch.randn(shape.ffn_width, shape.width), torch.randn(shape.width, shape.vocab_size)

    def work() -> None:
        for at, (look, gather, think) in enumerate(layers):
            few = rows if at == shape.layers - 1 else length
            torch.mm(wide, look)
            torch.bmm(query[:, :few], query.transpose(1, 2))
            torch.bmm(score[:, :few], query)
            torch.mm(wide[:few], gather)
            torch.mm(wide[:few], think)
            torch.mm(narrow[:few], settle)
        torch.mm(wide[:rows], head)

    return work


def begun(cells: int, prompt: int = 0, passes: int = 32, seed: int = 0) -> State:
    return start(blank([[5] * prompt, cells]), Settings(passes=passes, seed=seed))


def rows(tiny: bool = False) -> Iterator[Row]:
    rounds = 2 if tiny else 15
    denoiser: Any = load("denoiser")
    torch.set_num_threads(1)
    network: GraphNetwork = denoiser.network
    with torch.inference_mode():
        for cells, few in ((128, 32), (128, 128), (256, 64)):
            ids, which = torch.full((1, cells), 5), torch.arange(cells - few, cells)
            work = partial(network.logits, ids, which)
            times = ratio(rounds, work, products(network.architecture, cells, few))
            yield at_most(f"Forward of {cells} cells, {few} of them spoken, over its products alone", times, 2.5)
    yield from together(denoiser, rounds)
    yield from grown(denoiser, rounds, tiny)
    yield threads(rounds)


def together(denoiser: Any, rounds: int) -> Iterator[Row]:
    """Model inputs of one length in one forward, as concurrent sessions share it."""
    states = [begun(64, seed=seed) for seed in range(16)]
    works = [lambda n=n: infer(denoiser, states[:n]) for n in (1, 2, 4, 8, 16)]
    one, *more = turns(max(2, rounds // 3), *works)
    gains = [sum(one) * n / sum(times) for n, times in zip((2, 4, 8, 16), more, strict=True)]
    fewer = ", ".join(f"{gain:.2f}" for gain in gains[:3])
    note = f" (2, 4, 8: {fewer}; bits as alone: {'yes' if denoiser.shares else 'no'})"
    yield at_least("16 runs of 64 cells in one forward over one by one", gains[-1], None, note=note)


def grown(denoiser: Any, rounds: int, tiny: bool) -> Iterator[Row]:
    """How the cost grows: with the canvas, with a prompt, and with planned passes."""
    short, long, behind = begun(56), begun(224), begun(56, prompt=168)
    works = [lambda s=s: infer(denoiser, [s]) for s in (short, long, behind)]
    one, four, prompt = (sum(times) for times in turns(rounds, *works))
    yield at_most("a pass of 224 cells over one of 56", four / one, None)
    yield at_most("a pass of 56 cells behind a prompt of 168 over one without", prompt / one, None)

    def run(passes: int) -> int:
        states = decode(denoiser, begun(64, passes=passes))
        return len(list(islice(states, 4 if tiny else None)))

    few, many = turns(1 if tiny else 4, lambda: run(16), lambda: run(64))
    yield at_most("64 passes over 64 cells, over 16 passes", sum(many) / sum(few), 4.2)


def threads(rounds: int) -> Row:
    """Wall time of a forward on one core over that on all cores, if they are idle."""
    state, found = begun(128), list[float]()
    for cores in (1, hardware.threads()):
        model, times = load("denoiser", threads=cores), []
        infer(model, [state])
        for _ in range(rounds):
            began = time.perf_counter()
            infer(model, [state])
            times.append(time.perf_counter() - began)
        found.append(min(times))
    note = f" ({1000 * found[0]:.1f} ms in one)"
    return at_least(f"a pass of 128 cells in one thread over {cores}", found[0] / found[1], None, note=note)
