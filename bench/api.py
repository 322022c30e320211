"""Overhead of /v1 over plain decoding: time to the first draft, and to a whole answer.

Both decode the same canvas with the same settings; plain decoding in this process, the other in a server process."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from bench.row import Row, at_most
from tests.serve.process import Server, checkpoint, started
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import load
from unmask.run.settings import Settings
from unmask.run.state import start

LENGTH, PASSES, ROUNDS = 128, 32, 9


def bare(denoiser: Any, prompt: list[int]) -> tuple[float, float]:
    """Milliseconds of the first pass, and of the whole run."""
    began, first = time.perf_counter(), 0.0
    for _ in decode(denoiser, start(blank([prompt, LENGTH]), Settings(passes=PASSES, seed=1))):
        first = first or time.perf_counter() - began
    return 1000 * first, 1000 * (time.perf_counter() - began)


def answered(client: httpx.Client, server: Server, diffusing: bool) -> float:
    """Milliseconds until the first draft, or until the whole answer."""
    body = {"model": "m", "prompt": "a b", "max_tokens": LENGTH, "passes": PASSES, "seed": 1}
    began = time.perf_counter()
    if not diffusing:
        client.post(f"{server.url}/v1/completions", json=body).raise_for_status()
        return 1000 * (time.perf_counter() - began)
    with client.stream(
        "POST", f"{server.url}/v1/completions", json=body | {"stream": True, "diffusing": True}
    ) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: {") and "diffusion_meta" in json.loads(line[6:]):
                return 1000 * (time.perf_counter() - began)
    raise AssertionError("no draft came")


def rows(tiny: bool = False) -> Iterator[Row]:
    # random weights never end a text, so both run all passes
    where = checkpoint(Path(tempfile.mkdtemp()) / "m", False, 256, 8)
    denoiser = load(f"denoiser:{where}")
    prompt = denoiser.tokenizer.encode("a b")
    server = started(Path(tempfile.mkdtemp()) / "log", "--model", f"m=denoiser:{where}")
    times: list[tuple[float, float, float, float]] = []
    with httpx.Client(timeout=120) as client:
        for turn in range(4 if tiny else ROUNDS + 2):  # alternately, under the same load; two warm up
            one, whole = bare(denoiser, prompt)
            draft, answer = answered(client, server, True), answered(client, server, False)
            if turn >= 2:
                times.append((one, draft, whole, answer))
    server.stop()
    one, draft, *_ = (statistics.median(column) for column in zip(*times, strict=True))
    share = 100 * statistics.median(row[3] / row[2] - 1 for row in times)
    yield at_most("/v1: the first draft over one forward", draft - one, 10, " ms", 1)
    yield at_most("/v1: a whole answer over the bare decode", share, 5, " %", 1)
