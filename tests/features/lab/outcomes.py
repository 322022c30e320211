"""Outcomes made by hand."""

from math import nan
from typing import Any

from unmask.features.lab.sweep import Outcome


def outcome(decoder: str, passes: int, right: float, **more: Any) -> Outcome:
    row: dict[str, Any] = {
        "prompt": "Sum: 1 + 1",
        "seed": 0,
        "text": "= 2",
        "tokens": 8,
        "seconds": passes * 0.01,
        "facts": right,
        "surprise": nan,
        "repeated": 0.0,
        "agrees": right,
        "same": right,
    }
    return Outcome(decoder=decoder, passes=passes, right=right, **(row | more))
