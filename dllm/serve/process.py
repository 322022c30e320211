"""The server's own process: imports at its start, its folder for temporary files, its memory, its exit."""

from __future__ import annotations

import ctypes
import gc
import inspect
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from unmask.config import config


@contextmanager
def fast_imports() -> Iterator[None]:
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


# A folder in memory, which Linux has even where every disk is read-only; only random names are made in it.
MEMORY = "/dev/shm"  # nosec B108
ELSEWHERE = f"Unmask: no folder for temporary files can be written to; {MEMORY} is used. Set TMPDIR to choose one."
NONE = (
    "Unmask needs a folder for temporary files that can be written to: set TMPDIR to one. "
    "Without the page no folder is needed: python -m unmask serve"
)


def ensure_tempdir() -> None:
    """Choose the folder before anybody asks for it, or end with a sentence."""
    try:
        tempfile.gettempdir()
        return
    except FileNotFoundError:
        pass
    if not os.access(MEMORY, os.W_OK):
        print(NONE, file=sys.stderr, flush=True)
        raise SystemExit(2)
    print(ELSEWHERE, file=sys.stderr, flush=True)
    tempfile.tempdir = MEMORY


def exit_now(status: int) -> NoReturn:
    """End with this status. Python would wait for threads that read, and be aborted by those that compute."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(status)


SHARE = 0.8  # of the machine, where the owner says nothing
AGAIN = 0.5  # seconds that a look lasts


class Memory:
    """Looks at the process, not more often than it is worth."""

    def __init__(self) -> None:
        self.most = config().memory_mb << 20 or int(_limit() * SHARE)
        self._looked, self._tight = 0.0, False

    @property
    def tight(self) -> bool:
        """Whether new work would be too much."""
        if (now := time.monotonic()) - self._looked > AGAIN:
            self._looked, self._tight = now, resident() > self.most
            if self._tight:  # what is only kept for later is no reason to refuse
                self.give_back()
                self._tight = resident() > self.most
        return self._tight

    @staticmethod
    def give_back() -> None:
        """Memory that nothing needs, to the system: the allocator keeps freed memory, since fetching it is slow."""
        gc.collect()
        with suppress(OSError, AttributeError):  # another C library has no such thing
            ctypes.CDLL(None).malloc_trim(0)


def resident() -> int:
    """Bytes of memory that this process holds; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _limit() -> int:
    """Bytes that this process may have: of its container, or of the machine."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(machine, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):
        return machine
