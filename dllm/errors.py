"""Errors whose sentence is shown to the person who made the request."""

from __future__ import annotations


class InvalidRequest(ValueError):
    """A request that cannot be honoured, with a sentence that a person can act on."""


class ModelError(RuntimeError):
    """The model could not say anything usable about this canvas."""


class OutOfMemory(MemoryError):
    """Memory ran out, even without caches."""

    def __init__(self, cells: int) -> None:
        super().__init__(f"there is not enough memory for a canvas of {cells} cells: choose a shorter one")


class ConfigError(ValueError):
    """A variable whose text cannot be parsed; the message names it."""
