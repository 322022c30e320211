"""A server's imports, made quickly: what Gradio does for editors, and Python in between, is left out."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def quick() -> Iterator[None]:
    """Meanwhile Gradio writes no type stubs, and nobody looks for garbage.

    For each component Gradio parses the source, to write a `.pyi` beside it that editors read: a third of the time.
    What is imported stays, so looking through it for what could be freed is in vain, then and later."""
    real, collects = inspect.getfile, gc.isenabled()

    def getfile(object: Any) -> str:
        if isinstance(object, type) and object.__module__.startswith("gradio."):
            raise OSError("no stubs for this one")  # which Gradio takes for a component without a file
        return real(object)

    inspect.getfile = getfile
    gc.disable()
    try:
        yield
    finally:
        inspect.getfile = real
        gc.freeze()
        if collects:
            gc.enable()
