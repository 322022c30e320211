"""Records other people's samplers with what their model expects: `unmask.record` and `unmask.Recorder`."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """FEATURE is made when a server asks for it: recording needs no server."""
    if name != "FEATURE":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from unmask.serve.features import Feature

    return Feature("record")
