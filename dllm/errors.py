"""Errors whose message is shown to the user."""

from __future__ import annotations


class InvalidRequest(ValueError):
    """A request that is invalid or cannot be met; the message says what to change."""


class ModelError(RuntimeError):
    """The model returned unusable output, such as NaN or logits of a wrong shape."""


class OutOfMemory(MemoryError):
    """There is not enough memory, even without caches."""

    def __init__(self, cells: int) -> None:
        super().__init__(f"there is not enough memory for a canvas of {cells} cells: choose a shorter one")


class ConfigError(ValueError):
    """An environment variable that cannot be parsed; the message names it."""
