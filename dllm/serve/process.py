"""The server's process: faster imports, the folder for temporary files, memory, and exit."""

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
    """Import Gradio faster: without its type stubs, and without garbage collection.

    Gradio parses the source of each component to write a `.pyi` for editors, a third of its import time. Imported
    objects stay alive, so the garbage collector need not visit them, during the import or later."""
    real, collects = inspect.getfile, gc.isenabled()

    def getfile(object: Any) -> str:
        if isinstance(object, type) and object.__module__.startswith("gradio."):
            raise OSError("no stubs for this one")  # as for a component without a source file
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


# A folder in memory, which Linux has even if every disk is read-only; files in it get random names only.
MEMORY = "/dev/shm"  # nosec B108
USING_MEMORY = f"Unmask: no folder for temporary files can be written to; {MEMORY} is used. Set TMPDIR to choose one."
NO_FOLDER = (
    "Unmask needs a folder for temporary files that can be written to: set TMPDIR to one. "
    "Without the page no folder is needed: python -m unmask serve"
)


def ensure_tempdir() -> None:
    """Choose a writable folder for temporary files, or exit with a message."""
    try:
        tempfile.gettempdir()
        return
    except FileNotFoundError:
        pass
    if not os.access(MEMORY, os.W_OK):
        print(NO_FOLDER, file=sys.stderr, flush=True)
        raise SystemExit(2)
    print(USING_MEMORY, file=sys.stderr, flush=True)
    tempfile.tempdir = MEMORY


def exit_now(status: int) -> NoReturn:
    """Exit at once. A normal exit would wait for threads that read, and may crash on threads that compute."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # its reader is gone
            stream.flush()
    os._exit(status)


SHARE = 0.8  # of the machine's memory, if UNMASK_MEMORY_MB is not set
M_ARENA_MAX, ARENAS = -8, 2  # heaps of the allocator: with one for each thread, freed memory stays in all of them
CHECK_SECONDS = 0.5  # between two measurements


class Memory:
    """Whether the process uses too much memory, measured at most every `CHECK_SECONDS`."""

    def __init__(self) -> None:
        self.most = config().memory_mb << 20 or int(_limit() * SHARE)
        self._checked, self._tight = 0.0, False
        with suppress(OSError, AttributeError):  # only glibc has it
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)

    @property
    def tight(self) -> bool:
        """Whether new work must be refused."""
        if (now := time.monotonic()) - self._checked > CHECK_SECONDS:
            self._checked, self._tight = now, resident() > self.most
            if self._tight:  # freed memory that the allocator holds is no reason to refuse
                self.give_back()
                self._tight = resident() > self.most
        return self._tight

    @staticmethod
    def give_back() -> None:
        """Return freed memory to the system, which the allocator would keep for reuse."""
        gc.collect()
        with suppress(OSError, AttributeError):  # only glibc has it
            ctypes.CDLL(None).malloc_trim(0)


def resident() -> int:
    """Resident memory of this process in bytes; 0 if the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _limit() -> int:
    """Bytes of memory of the container, or of the machine."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(machine, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):
        return machine
