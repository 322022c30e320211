"""How long a gap is that nobody gave a length: each length is looked at once, and the surest is filled.

A model with words of length says so itself while it writes (`dllm/run/free_length.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.errors import InvalidRequest
from unmask.live.device import Client
from unmask.models import Denoiser
from unmask.run.spec import RunSpec
from unmask.serve.runtime import Runtime

STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
AROUND = (-8, -4, -2, -1, 0, 1, 2, 4, 8, 16)  # cells more or less than stood there
FIRST = 4  # cells that a model begins with that asks for more itself, as DreamOn's authors do
MOST = 64  # cells, where nobody says a limit


def lengths(limit: int | None, least: int = 0, stood: int = 0) -> list[int]:
    """The lengths that a gap may have; where something stood in it, those around its own."""
    limit = limit or max(MOST, 2 * stood)
    tried = [stood + more for more in AROUND] if stood else [*STEPS, limit]
    return sorted({n for n in tried if max(least, 1) <= n <= limit} or {min(max(least, 1), limit)})


async def choose_length(runtime: Runtime, denoiser: Denoiser, spec: RunSpec, tried: Sequence[int], visitor: str) -> int:
    """The length whose cells the model is surest of before any is written: the mean of their logarithms."""
    best, found = -np.inf, 0
    client = Client("gap", visitor=visitor)
    runtime.device.join(client)
    for length in tried:
        try:
            state = await runtime.prepared(denoiser, replace(spec, length=length))
        except InvalidRequest:
            if found or length != tried[-1]:
                continue  # too long for this model, or for the constraint too short
            raise
        belief, _ = await runtime.device.infer(client, denoiser, state, True)  # of every cell, not of the block alone
        rows = belief.known & state.canvas.open
        score = float(np.log(np.maximum(belief.confidence[rows], 1e-9)).mean()) if rows.any() else -np.inf
        if score > best:
            best, found = score, length
    return found or tried[0]
