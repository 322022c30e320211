"""Compares decoders: side by side, in sweeps, and in a game of choosing a schedule."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """FEATURE is made when a server asks for it: sweeps from Python and the terminal need no server."""
    if name != "FEATURE":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from unmask.features.lab.feature import FEATURE

    return FEATURE
