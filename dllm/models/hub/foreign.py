"""Runs what came with a checkpoint and is a program: its tokenizer's patterns, and its chat template."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from unmask.errors import InvalidRequest

MOST_STEPS = 200_000  # lines of a template; one for a long conversation with tools takes some hundreds
PANIC = "PanicException"  # of Rust; no package has its class
TEMPLATE = "<template>"  # what Jinja calls the code that it makes


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """A context in which any failure is a refusal that begins with `what`: a library in Rust panics with an error that
    is no `Exception`."""
    try:
        yield
    except InvalidRequest:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        first = (str(error) or type(error).__name__).splitlines()[0]
        raise InvalidRequest(f"{what}: {first[:200]}") from error


@contextmanager
def limited_steps() -> Iterator[None]:
    """A context in which a template may take so many steps: nested loops could hold a thread for days."""
    left = MOST_STEPS

    def step(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise InvalidRequest(f"the model's chat template takes more than {MOST_STEPS} steps")
        return step

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: step if frame.f_code.co_filename == TEMPLATE else None)
    try:
        yield
    finally:
        sys.settrace(before)
