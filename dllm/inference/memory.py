"""Memory: how the allocator keeps freed pages, and what to do when memory runs out."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from functools import cache

from unmask.models import Denoiser

MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1  # M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of mallopt(3)
SERVING = (1 << 25, 1 << 28)  # pieces up to 32 MB come from the heap, and 256 MB of it are not given back
TRAINING = (1 << 30, (1 << 31) - 1)  # nothing is given back: the next step takes it all again


@cache
def tune_malloc(largest: int, kept: int) -> bool:
    """Bytes of the largest piece from the heap, and of it what is not given back. Whether that could be set."""
    with suppress(OSError, AttributeError):  # another C library has no such thing
        allocator = ctypes.CDLL(None)
        return bool(allocator.mallopt(MMAP_THRESHOLD, largest)) and bool(allocator.mallopt(TRIM_THRESHOLD, kept))
    return False


def is_oom(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on any device."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def free_caches(denoiser: Denoiser) -> None:
    """Let go of what is only kept to save time."""
    import torch

    denoiser.clear_caches()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
