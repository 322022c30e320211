"""Records the first views: what the page plays before any model has loaded. Run again whenever the weights change."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dllm.models import Denoiser, load
from dllm.run.order import Order
from dllm.run.spelling import spelled
from dllm.run.timeline import begun
from dllm.run.trace import Trace, save
from dllm.think import think
from dllm.think.decode import nodes

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
    state = order.start(denoiser.card, denoiser.speller)
    think(denoiser, [state], [True])  # warm, so that the first pass costs what the others do
    timeline = begun(denoiser.card, state, view.prompt, session=view.name)
    for node in nodes(denoiser, timeline.head, watched=True):
        timeline = timeline.grown(node)
    return Trace((spelled(timeline, denoiser.speller),))


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    TRACES.mkdir(parents=True, exist_ok=True)
    for view in VIEWS:
        trace = recorded(load(view.model), view)
        save(trace, TRACES / f"{view.name}.trace.jsonl")
        print(f"{view.name}: {trace.first.head.at} passes")
