"""Decisions: questions with options, each answered by the model's belief in one open cell of a canvas."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """FEATURE is made when a server asks for it: `unmask.ask` needs no server."""
    if name != "FEATURE":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from unmask.features.decisions.feature import FEATURE

    return FEATURE
