"""Records the first views: what the page plays before any model has loaded. Run again whenever the weights change."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dllm.models import Denoiser, load
from dllm.run.order import Order
from dllm.run.step import step
from dllm.run.trace import Moment, Trace, head, save
from dllm.think import Recall, think

TRACES = Path(__file__).parents[1] / "assets" / "traces"


@dataclass(frozen=True)
class View:
    """A run worth opening the page with."""

    name: str
    model: str
    prompt: str
    length: int
    preset: str
    changes: dict[str, Any] = field(default_factory=dict)


FIRST = "Recipe: pear tart for two\n"
VIEWS = (
    View("first.diffusion", "denoiser", FIRST, 112, "fast-dllm", {"block": 0, "end": "stop", "end_after": 24}),
    View("first.twin", "twin", FIRST, 112, "autoregressive", {"end": "stop"}),
)


def recorded(denoiser: Denoiser, view: View) -> Trace:
    """The run as it happens here, with its own times."""
    order = Order(view.prompt, view.model, view.length, view.preset, view.changes)
    begin = state = order.start(denoiser.card, denoiser.speller)
    think(denoiser, [state], [True])  # warm, so that the first pass costs what the others do
    moments, recall, clock = [Moment(state.canvas, state.settings)], Recall(), 0.0
    while not state.done:
        t0 = time.perf_counter()
        (belief,) = think(denoiser, [state], [True], [recall])
        t1 = time.perf_counter()
        state, frame = step(state, belief)
        t2 = time.perf_counter()
        clock += t1 - t0
        moments.append(
            Moment(state.canvas, state.settings, frame, None, (1e3 * (t1 - t0), 1e3 * (t2 - t1), 1e3 * clock))
        )
    used = {int(t) for m in moments for t in m.canvas.tokens}
    used |= {int(t) for m in moments if m.frame is not None for t in m.frame.top_ids.ravel()}
    pieces = {t: denoiser.speller.piece(t) for t in used if t >= 0}
    return Trace(head(denoiser, begin, view.prompt) | {"session": view.name}, moments, pieces)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    TRACES.mkdir(parents=True, exist_ok=True)
    for view in VIEWS:
        trace = recorded(load(view.model), view)
        save(trace, TRACES / f"{view.name}.trace.jsonl")
        print(f"{view.name}: {len(trace.moments) - 1} passes")
