"""What the API costs over the bare decode: the first draft after one forward, and a whole answer, each in one run.

Both sides decode the same canvas with the same settings; the bare side here, the other in a server of its own."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from dllm.canvas import blank
from dllm.models import load
from dllm.run.settings import Settings
from dllm.run.state import start
from dllm.think.decode import decode
from tests.serve.process import Server, checkpoint, started

LENGTH, PASSES, ROUNDS = 128, 32, 9


def model() -> str:
    """The denoiser that ships, or a random one of about its size."""
    here = Path("assets/models/denoiser")
    return (
        str(here) if (here / "config.json").exists() else str(checkpoint(Path(tempfile.mkdtemp()) / "m", False, 384, 6))
    )


def bare(denoiser: Any, prompt: list[int]) -> tuple[float, float]:
    """Milliseconds of the first pass, and of all."""
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


def main() -> int:
    where = model()
    denoiser = load(f"denoiser:{where}")
    prompt = denoiser.speller.encode("a b")
    server = started(Path(tempfile.mkdtemp()) / "log", "--model", f"m=denoiser:{where}")
    rows: list[tuple[float, float, float, float]] = []
    with httpx.Client(timeout=120) as client:
        for turn in range(ROUNDS + 2):  # interleaved, so that both sides see the same machine; two to warm up
            one, whole = bare(denoiser, prompt)
            draft, answer = answered(client, server, True), answered(client, server, False)
            if turn >= 2:
                rows.append((one, draft, whole, answer))
    server.stop()
    one, draft, whole, answer = (statistics.median(column) for column in zip(*rows, strict=True))
    shares = sorted(row[3] / row[2] - 1 for row in rows)
    print(
        f"{denoiser.card.name}, {denoiser.card.number}, {LENGTH} cells, {PASSES} passes;",
        f"median of {ROUNDS}, interleaved",
    )
    print(f"one forward {one:.1f} ms; first draft {draft:.1f} ms: {draft - one:+.1f} ms (wanted: at most +10)")
    print(
        f"bare {whole:.1f} ms; through the API {answer:.1f} ms:",
        f"{100 * statistics.median(shares):+.1f} % (wanted: at most +5)",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
