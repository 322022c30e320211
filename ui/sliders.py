"""The sliders of the page: the length, and the settings that declare one."""

from __future__ import annotations

from typing import Any

import gradio as gr

from unmask.run.setting import Slider
from unmask.run.settings import SETTINGS

SHORTEST, LONGEST = 8, 256  # tokens
LENGTH = Slider(SHORTEST, LONGEST, 8, "Length")
MARKED = ("length", "passes", "bend", "room")  # those that the page's scripts look for, by element id


def _declared(name: str) -> tuple[Slider, str]:
    if name == "length":
        return LENGTH, "in tokens:"
    slider = SETTINGS[name].slider
    assert slider is not None
    return slider, SETTINGS[name].help


MOST_PASSES = int(_declared("passes")[0].high)  # the engine allows more


def sliders(parts: dict[str, Any], **values: float) -> None:
    """Add sliders by name, each with its value."""
    for name, value in values.items():
        slider, info = _declared(name)
        mark = name if name in MARKED else None
        parts[name] = gr.Slider(
            slider.low, slider.high, value, step=slider.step, label=slider.label, info=info, elem_id=mark
        )
