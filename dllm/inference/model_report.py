"""A report on a model that one can send: what it predicted and wrote, how fast, in how much memory, on what machine."""

from __future__ import annotations

import platform
import resource
import sys
import time
from datetime import UTC, datetime
from typing import Any

import numpy as np

from unmask.errors import InvalidRequest
from unmask.inference.decode import timelines
from unmask.inference.infer import infer
from unmask.models import Denoiser, load
from unmask.models.hub import hardware
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

PROMPTS = ("Why is the sky blue?", "")  # the first that the vocabulary can spell
CELLS = 32
LIKELIEST, ROWS = 5, 4  # tokens and cells of the first belief that are printed
PASSES = 10


def report(source: str, mask_id: int | None = None, **options: Any) -> str:
    """One page of Markdown on the model of a folder or Hub id."""
    if mask_id is not None:
        options["mask_id"] = mask_id
    began = time.perf_counter()
    denoiser = load(source, **options)
    opened = time.perf_counter() - began
    spec = _spec(denoiser, source)
    return "\n\n".join([_head(denoiser, opened), _run(denoiser, spec), _machine()])


def _spec(denoiser: Denoiser, source: str) -> RunSpec:
    """A run of the model's own decoder on a prompt that it can read."""
    for prompt in PROMPTS:
        spec = RunSpec(prompt, source, CELLS)
        try:
            return spec.fitted(denoiser.card, denoiser.tokenizer)
        except InvalidRequest:
            continue
    raise InvalidRequest(f"'{source}' can read no prompt of the report")


def _head(denoiser: Denoiser, opened: float) -> str:
    card = denoiser.card
    kind = "from left to right" if card.causal else "from noise" if card.noise else f"mask {card.never[0]}"
    rows = [
        f"- family {card.family}, {kind}, {card.words} tokens, {card.longest} cells at most",
        f"- weights {card.weights[:16]}, revision {card.revision or 'of a folder'}, licence {card.licence or '?'}",
        f"- {card.size / 1e6:.0f} MB of weights in {card.number} on {card.device}; opened in {opened:.1f} s",
        f"- self-test: {card.tested}",
    ]
    return "\n".join([f"# {card.name}", "", *rows])


def _run(denoiser: Denoiser, spec: RunSpec) -> str:
    """The first belief, the text after each of the first passes, and their times."""
    rows, times, belief = list[str](), list[float](), _first_belief(denoiser, spec)
    before = time.perf_counter()
    for timeline in timelines(denoiser, spec, watched=True):
        now, frame = time.perf_counter(), timeline.head.frame
        if frame is not None:
            times.append(1000 * (now - before))
            if len(times) <= PASSES:
                rows.append(f"{len(times):3}  {answer_text(denoiser, timeline.head.canvas)!r}")
        before = time.perf_counter()
    text = answer_text(denoiser, timeline.head.canvas)
    says = f"{len(times)} passes over {spec.length} cells, {sorted(times)[len(times) // 2]:.1f} ms each (median)."
    first = [f"## First belief, prompt {spec.prompt!r}", "", *belief]
    return "\n".join([*first, "", "## Passes", "", "```", *rows, "```", "", says, "", f"Text: {text!r}"])


def _first_belief(denoiser: Denoiser, spec: RunSpec) -> list[str]:
    """The likeliest tokens of the first open cells, before anything is written."""
    state = spec.start(denoiser.card, denoiser.tokenizer)
    belief, rows = infer(denoiser, [state])[0], []
    for cell in np.flatnonzero(belief.known & state.canvas.open)[:ROWS]:
        pairs = zip(belief.top_ids[cell].tolist(), belief.top_probs[cell].tolist(), strict=True)
        found = [f"{denoiser.tokenizer.piece(token)!r} {share:.4f}" for token, share in pairs if token >= 0]
        rows.append(f"- cell {cell}: {', '.join(found[:LIKELIEST])}")
    return rows


def _machine() -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    rows = [
        f"- {datetime.now(UTC):%Y-%m-%d}, {_processor()}, {hardware.threads()} threads, {platform.system()}",
        f"- {hardware.total_bytes('cpu') / 1e9:.1f} GB of memory; this program took {peak / 1e9:.2f} GB at its peak",
    ]
    return "\n".join(["## Machine", "", *rows])


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as table:
            names = (row.partition(":")[2].strip() for row in table if row.startswith("model name"))
            return next(names, platform.processor())
    except OSError:
        return platform.processor()
