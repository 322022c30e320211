"""The sliders for settings: range, step, label and help text of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

SHORTEST, LONGEST = 8, 256  # tokens
MOST_PASSES = 256  # the engine allows more


class Range(NamedTuple):
    """A slider's range and texts."""

    low: float
    high: float
    step: float
    label: str
    info: str
    mark: str | None = None  # its element id, for the page's scripts


RANGES = {
    "length": Range(SHORTEST, LONGEST, 8, "Length", "How many tokens to write.", "length"),
    "passes": Range(
        1, MOST_PASSES, 1, "Passes",
        "How often the model may look, for decoders that follow a plan. Fewer is faster, and makes more mistakes.",
        "passes",
    ),
    "bend": Range(0.1, 8, 0.1, "Bend", "How strongly the power and geometric schedules are curved.", "bend"),
    "block": Range(
        0, 256, 1, "Block", "How many cells are finished before the next ones begin; 0 takes the whole text."
    ),
    "guidance": Range(
        0, 4, 0.1, "Guidance", "How much to lean on the prompt. Above 0, each pass costs twice as much."
    ),
    "room": Range(
        0, 256, 1, "Free length",
        "How many cells the answer may come to have, where the model wants more or fewer in a gap; 0 keeps them.",
        "room",
    ),
    "temperature": Range(
        0, 2, 0.05, "Temperature", "0 always takes the likeliest word; higher takes more chances."
    ),
    "top_k": Range(0, 100, 1, "Top k", "Choose among this many words; 0 is all."),
    "top_p": Range(0, 1, 0.01, "Top p", "Choose among the likeliest words that together have this probability."),
    "end_penalty": Range(
        0, 20, 0.5, "End penalty", "How much less likely: each step of 1 divides the odds by 2.7."
    ),
    "end_after": Range(0, 256, 1, "No end before", "The text must have this many tokens first."),
}  # fmt: skip


def sliders(parts: dict[str, Any], **values: float) -> None:
    """Add sliders by name, each with its value."""
    for name, value in values.items():
        low, high, step, label, info, mark = RANGES[name]
        parts[name] = gr.Slider(low, high, value, step=step, label=label, info=info, elem_id=mark)
