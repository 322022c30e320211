"""How the tokens of a run are spelled, so that a file can be read without the model."""

from __future__ import annotations

from dataclasses import replace

from unmask.canvas import Speller
from unmask.run.timeline import Timeline


def spelled(timeline: Timeline, speller: Speller) -> Timeline:
    """The timeline with a piece for every token that it shows or considered."""
    used: set[int] = set()
    for node in timeline.nodes():
        used.update(node.canvas.tokens.tolist())
        if node.frame is not None:
            used.update(node.frame.top_ids.ravel().tolist())
    return replace(timeline, pieces={t: speller.shown(t) for t in used if t >= 0})
