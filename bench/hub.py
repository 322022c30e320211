"""A model of 0.6 billion parameters on the graph in eight bits, beside transformers in fp32; its weights are random.

`UNMASK_BENCH_MODEL=FOLDER UNMASK_BENCH_TEXTS=FILE:FILE` adds what eight bits cost a real autoregressive model."""

from __future__ import annotations

import lzma
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.forged import forge
from bench.row import Row, at_least, at_most
from unmask.canvas import blank
from unmask.inference import infer
from unmask.models import load
from unmask.models.hub import hardware
from unmask.models.int8_graph import saturates
from unmask.run.settings import Settings
from unmask.run.state import start

WINDOW, WINDOWS = 384, 12  # tokens of a text that are read at once; windows of each text


def rows(tiny: bool = False) -> Iterator[Row]:
    folder = forge(tiny)
    yield from passes(folder, 0.1 if tiny else 15)
    model, texts = os.environ.get("UNMASK_BENCH_MODEL"), os.environ.get("UNMASK_BENCH_TEXTS", "")
    if model and texts:
        yield from quality(model, [Path(text) for text in texts.split(os.pathsep)])


def passes(folder: Path, seconds: float) -> Iterator[Row]:
    """The networks alone, in turn, and a whole pass over the network alone."""
    import torch

    narrow: Any = load(f"{folder}?number=int8")
    full: Any = load(f"{folder}?number=fp32&engine=transformers")
    torch.set_num_threads(hardware.threads())
    wanted = (0.33, 0.42, 0.26) if saturates() else (0.2, 0.25, 0.2)
    cases = ((32, 96, "32 cells behind 96 cached"), (128, 0, "128 cells"), (1, 128, "a causal step behind 128"))
    for (length, before, what), limit in zip(cases, wanted, strict=True):
        ours, theirs = fastest(seconds, *(work(m.network, length, before) for m in (narrow, full)))
        note = f" ({1000 * ours:.0f} and {1000 * theirs:.0f} ms)"
        yield at_most(f"int8 graph over transformers in fp32, {what}", ours / theirs, limit, note=note)
    for cells, limit in ((32, 1.06), (128, 1.08)):
        state, network = start(blank([[5] * 8, cells]), Settings(passes=8)), narrow.network
        ids, which = np.full((1, cells + 8), narrow.mask), np.arange(8, cells + 8)
        whole, alone = fastest(seconds, partial(infer, narrow, [state]), partial(network.logits, ids, which))
        note = f" ({1000 * (whole - alone):.0f} ms more)"
        yield at_most(f"a pass over its network alone, {cells} open cells", whole / alone, limit, note=note)


def work(network: Any, length: int, before: int) -> Callable[[], Any]:
    """A forward of the last `length` cells, every row asked for, behind others that are cached."""
    import torch

    ids = np.arange(before + length)[None] % 50
    kind = np.asarray if network.device is None else torch.from_numpy
    past = network.cache()
    with torch.inference_mode():
        if before:
            network.logits(kind(ids[:, :before]), kind(np.array([0])), kind(np.arange(before)[None]), None, past)

    def forward() -> None:
        from unmask.models.hub.prefix_cache import crop_cache

        with torch.inference_mode():
            known = crop_cache(past, before) if before else None
            places = kind(np.arange(before, before + length)[None])
            network.logits(kind(ids[:, before:]), kind(np.arange(length)), places, None, known)

    return forward


def fastest(longest: float, *works: Callable[[], Any]) -> list[float]:
    """Seconds of each, the fastest of several in turn: both use all cores, so processor time would not compare them.

    They take turns for `longest` seconds, but at least 3 times and at most 9."""
    found, end = [float("inf")] * len(works), time.perf_counter() + longest
    for round_ in range(9):
        if round_ > 2 and time.perf_counter() > end:
            break
        for at, one in enumerate(works):
            began = time.perf_counter()
            one()
            found[at] = min(found[at], time.perf_counter() - began)
    return found


def quality(model: str, texts: list[Path]) -> Iterator[Row]:
    """int8 against fp32 of a causal model on real texts."""
    narrow, full = (load(f"causal:{model}?number={number}&engine=onnx") for number in ("int8", "fp32"))
    lost, far, same = [], [], []
    for text in texts:
        with lzma.open(text, "rt") if text.suffix == ".xz" else text.open() as opened:
            ids = full.tokenizer.encode(opened.read(100_000))
        for at in range(0, min(len(ids) - WINDOW, WINDOWS * (WINDOW - 1)), WINDOW - 1):
            window = np.array([0, *ids[at : at + WINDOW - 1]])
            exact, coarse = (_log_probs(m, window) for m in (full, narrow))
            truth = window[1:, None]
            lost.append(np.take_along_axis(exact - coarse, truth, 1)[:, 0])
            far.append((np.exp(exact) * (exact - coarse)).sum(-1))
            same.append(exact.argmax(-1) == coarse.argmax(-1))
    count = sum(map(len, lost))
    ratio = float(np.exp(np.concatenate(lost).mean()))
    yield at_most(f"perplexity of int8 over fp32, {count} tokens", ratio, 1.015, digits=4)
    yield at_most("divergence of int8 from fp32", float(np.concatenate(far).mean()), 0.012, " nats", digits=4)
    yield at_least("the likeliest word is the same", 100 * float(np.concatenate(same).mean()), 94, " %")


def _log_probs(model: Any, window: Any) -> Any:
    x = model.network.logits(window[None], np.arange(len(window)))[0][:-1]
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))
