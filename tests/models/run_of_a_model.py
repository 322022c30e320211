"""A run of a model from a folder, in a module that needs no PyTorch."""

from __future__ import annotations

from typing import Any

from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import load
from unmask.run.presets import preset
from unmask.run.state import start

CPU: dict[str, Any] = {"number": "fp32", "device": "cpu", "mask_id": 60}


def canvases(name: str, **options: Any) -> list[list[int]]:
    """Every canvas of a run by the model's own preset, and one at a temperature."""
    model = load(name, **CPU, **options)
    prompt = model.tokenizer.encode_prompt("hello")
    found = []
    for changes in ({}, {"temperature": 0.7, "top_p": 0.9, "repetition": 1.1}):
        settings = preset(model.card.preset["preset"]).over(16, **{**model.card.preset.get("settings", {}), **changes})
        found += [s.canvas.tokens.tolist() for s, _ in decode(model, start(blank([prompt, 16]), settings))]
    return found
