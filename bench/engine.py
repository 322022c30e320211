"""The bundled pair on ONNX Runtime against the same networks in torch: forwards, and whole runs, alternating."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from bench.row import Row, at_most
from bench.timer import Work, turns
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import load
from unmask.models.array_ops import on_device
from unmask.models.graph_network import OwnNetwork
from unmask.models.hub.prefix_cache import crop_cache
from unmask.run.presets import preset
from unmask.run.state import start

# what is measured: the model, cells, cached cells before them, rows, texts in one forward
FORWARDS = (
    ("a canvas of 112 cells, all spoken", "denoiser", 112, 0, 112, 1),
    ("a canvas of 112 cells, 32 spoken", "denoiser", 112, 0, 32, 1),
    ("16 canvases of 56 cells in one forward", "denoiser", 56, 0, 56, 16),
    ("a block of 16 cells behind 96", "twin", 16, 96, 16, 1),
    ("a step behind 96 cells", "twin", 1, 96, 1, 1),
)
RUNS = (("denoiser", "draft-and-proofread"), ("twin", "autoregressive"), ("fast", "draft-and-verify"))


def rows(tiny: bool = False) -> Iterator[Row]:
    torch.set_num_threads(1)
    names = ("denoiser", "twin", "fast")
    graph: dict[str, Any] = {name: load(name) for name in names}
    narrow: dict[str, Any] = {name: load(name, number="int8") for name in names}
    other: dict[str, Any] = {name: load(name, engine="torch") for name in names}
    rounds = 2 if tiny else 15
    with torch.inference_mode():
        for what, name, *sizes in FORWARDS:
            works = [forward(models[name].network, *sizes) for models in (graph, narrow, other)]
            yield compared(f"ONNX Runtime over torch: {what}", rounds, *works)
    for name, rule in RUNS:
        works = [run(models[name], rule, 16 if tiny else 96) for models in (graph, narrow, other)]
        what = f"ONNX Runtime over torch: a run of 96 cells, {graph[name].card.name}"
        yield compared(what, 1 if tiny else 3, *works)


def compared(what: str, rounds: int, exact: Work, narrow: Work, torchs: Work) -> Row:
    """fp32 over torch, with int8 over torch beside it."""
    ours, eights, theirs = turns(rounds, exact, narrow, torchs)
    note = f" (int8 {statistics.median(a / b for a, b in zip(eights, theirs, strict=True)):.2f})"
    return at_most(what, statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), 1.0, note=note)


def forward(network: OwnNetwork, cells: int, before: int, spoken: int, texts: int) -> Callable[[], object]:
    rng, past = np.random.default_rng(0), network.cache()
    ids = on_device(network.device, rng.integers(5, network.words, (texts, before + cells)))
    if before:
        network.logits(ids[:, :before], on_device(network.device, np.arange(1)), past=past)
    which = on_device(network.device, np.arange(cells - spoken, cells))
    return lambda: network.logits(ids[:, before:], which, past=crop_cache(past, before) if before else None)


def run(model: Any, rule: str, cells: int) -> Callable[[], object]:
    opening = start(
        blank([model.tokenizer.encode("Story: Lily had a red kite."), cells]), preset(rule).over(cells, end="forbid")
    )

    def work() -> None:
        model.clear_caches()
        assert list(decode(model, opening))

    return work
