"""Places in long computations at which they may wait for their next turn, or end since nobody waits for the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CURRENT: ContextVar[Callable[[], None] | None] = ContextVar("may_pause", default=None)


def may_pause() -> None:
    """Call this often in long work. It returns at once unless a scheduler runs the work and wants it to wait or end."""
    if (pause := _CURRENT.get()) is not None:
        pause()


@contextmanager
def pausing(pause: Callable[[], None]) -> Iterator[None]:
    """A context in which `may_pause` calls this function."""
    token = _CURRENT.set(pause)
    try:
        yield
    finally:
        _CURRENT.reset(token)
