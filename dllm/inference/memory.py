"""Memory: the allocator's settings, what to do when memory runs out, and the cache of distributions."""

from __future__ import annotations

import ctypes
import gc
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from unmask.canvas import Ints
from unmask.errors import OutOfMemory
from unmask.models import Denoiser

T = TypeVar("T")
MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1  # M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of mallopt(3)
SERVING = (1 << 25, 1 << 28)  # allocations up to 32 MB come from the heap, and 256 MB of it are kept when freed
TRAINING = (1 << 30, (1 << 31) - 1)  # the heap keeps everything: the next step allocates the same again


@cache
def tune_malloc(mmap_threshold: int, trim_threshold: int) -> bool:
    """Sets glibc's mmap and trim thresholds, in bytes; returns whether that worked."""
    with suppress(OSError, AttributeError):  # other C libraries have no mallopt
        allocator = ctypes.CDLL(None)
        set_mmap = allocator.mallopt(MMAP_THRESHOLD, mmap_threshold)
        return bool(set_mmap and allocator.mallopt(TRIM_THRESHOLD, trim_threshold))
    return False


def is_oom(error: BaseException) -> bool:
    """Whether an error means out of memory, on any device."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def free_caches(denoiser: Denoiser) -> None:
    """Frees the model's caches and the GPU memory that torch holds unused."""
    denoiser.clear_caches()
    gc.collect()
    if denoiser.numpy_logits:
        return
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def with_retry(denoiser: Denoiser, cells: int, infer: Callable[[bool], T]) -> T:
    """`infer(False)`; when memory runs out, `infer(True)` once more without caches: it leaves out unneeded rows."""
    for retry in (False, True):
        try:
            return infer(retry)
        except BaseException as error:  # of the model, an exit too
            if not is_oom(error):
                raise
            error.__traceback__ = None  # it keeps the tensors of the failed forward alive
        free_caches(denoiser)
    raise OutOfMemory(cells)


class DistributionCache:
    """The last few distributions, keyed by canvas and logit processors; losing one costs one more forward."""

    def __init__(self, capacity: int = 2) -> None:  # the last pass's, and that of a prefetch an edit made useless
        self.capacity, self.kept = capacity, OrderedDict[bytes, tuple[Ints, Any]]()

    def get(self, key: bytes) -> tuple[Ints, Any] | None:
        return self.kept.get(key)

    def put(self, key: bytes, rows: Ints, probabilities: Any) -> None:
        self.kept[key] = (rows, probabilities)
        while len(self.kept) > self.capacity:
            self.kept.popitem(last=False)
