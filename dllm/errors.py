"""Errors whose message is shown to the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

TOO_LONG = "context_length_exceeded"  # the code of refusals of a text that is too long for a model or server
UNKNOWN_TEXT = "unknown_text"  # the code of refusals of a text that a model's vocabulary cannot spell
NO_MASK = "no_mask"  # the code of refusals of a checkpoint whose mask token is not known


class InvalidRequest(ValueError):
    """A request that is invalid or cannot be met; the reason says what to change.

    `field` is the setting or field that is wrong, and `code` names the kind of error for programs."""

    def __init__(self, reason: str = "", field: str = "", code: str = "") -> None:
        super().__init__(reason, field, code)
        self.reason, self.field, self.code = reason, field, code

    def __str__(self) -> str:
        return self.reason


class Unsupported(InvalidRequest):
    """A network that this engine cannot compute; another one may."""


@contextmanager
def about_field(field: str) -> Iterator[None]:
    """Name the field that a refusal inside is about, unless it names one itself."""
    try:
        yield
    except InvalidRequest as refused:
        refused.field = refused.field or field
        raise


class ModelError(RuntimeError):
    """The model returned unusable output, such as NaN or logits of a wrong shape."""


class OutOfMemory(MemoryError):
    """There is not enough memory, even without caches."""

    def __init__(self, cells: int) -> None:
        super().__init__(f"there is not enough memory for a canvas of {cells} cells: choose a shorter one")


class ConfigError(ValueError):
    """An environment variable that cannot be parsed; the message names it."""
