"""How much memory this process has, and when it must take nothing new: before the machine begins to swap."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from contextlib import suppress
from pathlib import Path

from unmask.config import config

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
