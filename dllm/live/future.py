"""Hands the result of a worker thread to the event loop that waits for it."""

from __future__ import annotations

import asyncio
from typing import TypeVar

T = TypeVar("T")


class Exited(RuntimeError):
    """A model or policy called `sys.exit` or the like, which must not end the server."""


def as_exception(error: BaseException) -> Exception:
    """The error as an `Exception`: a `SystemExit` in a task would end the event loop."""
    return error if isinstance(error, Exception) else Exited(f"it asked the process to end: {type(error).__name__}")


def resolve(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], result: T | None, error: Exception | None
) -> None:
    """Set a future's result from another thread, unless it was cancelled."""

    def set_result() -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    if not loop.is_closed():
        loop.call_soon_threadsafe(set_result)
