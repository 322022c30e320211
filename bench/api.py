"""Overhead of /v1 over plain decoding: time to the first draft, and to a whole answer; forwards with a prediction.

Both decode the same canvas with the same settings; plain decoding in this process, the other in a server process."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from bench.row import Row, at_most
from tests.serve.process import Server, checkpoint, started
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.inference.follower import Follower
from unmask.inference.predicted import Predicted
from unmask.models import load
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
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


def forwards(denoiser: Any, spec: RunSpec, predicted: Sequence[int] = ()) -> tuple[int, list[int]]:
    """Forwards of an answer that was predicted, and its tokens."""
    model = Predicted(denoiser, Follower(predicted), drafts=True) if predicted else denoiser
    passes = [*decode(model, spec.start(denoiser.card, denoiser.tokenizer))]
    canvas = passes[-1][0].canvas
    return sum(frame.cost for _, frame in passes), canvas.tokens[canvas.answer].tolist()


def predicted() -> Iterator[Row]:
    """Forwards of 96 tokens of the twin, as a share of those without a prediction; the text has to be the same."""
    twin = load("twin")
    spec = RunSpec("Story: Lily had a red kite.", "twin", changes={"end": "forbid"})
    without, text = forwards(twin, spec)
    other = twin.tokenizer.encode("Numbers: 4 + 5 = 9, 7 - 2 = 5. What to bring: apples, rope, nothing. " * 4)
    half = len(text) // 2
    for what, tokens, wanted in (
        ("right", text, 0.25),
        ("right for the first half", text[:half] + other[:half], 0.75),
        ("wrong", other, 1.05),
    ):
        spent, same = forwards(twin, spec, tokens)
        if same != text:
            raise AssertionError(f"the text differs with a prediction that is {what}")
        yield at_most(f"prediction: forwards of 96 tokens, {what}", spent / without, wanted)


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
    yield from predicted()
