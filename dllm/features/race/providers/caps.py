"""How far a racer may go, in tokens, money and time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Caps:
    """How far a racer may go."""

    tokens: int = 512
    dollars: float = 0.05
    connect: float = 10.0
    silence: float = 30.0  # seconds between two pieces
    whole: float = 120.0
