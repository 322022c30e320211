"""Memory that runs out: caches are let go and the pass is thought again; then a sentence says what would help."""

from __future__ import annotations

import gc

from unmask.models import Denoiser


class NoRoom(MemoryError):
    """Memory ran out, even without caches."""

    def __init__(self, cells: int) -> None:
        super().__init__(f"there is not enough memory for a canvas of {cells} cells: choose a shorter one")


def full(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on any device."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def make_room(denoiser: Denoiser) -> None:
    """Let go of what is only kept to save time."""
    import torch

    denoiser.forget()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
