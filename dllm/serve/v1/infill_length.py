"""Chooses the length of an infill: one forward for each length, and the one with the highest confidence is filled.

A model with tokens that expand or delete cells resizes the gap itself while decoding (`dllm/run/free_length.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.errors import InvalidRequest
from unmask.live.device import Client
from unmask.models import Denoiser
from unmask.run.spec import Parts, RunSpec, with_length
from unmask.run.state import State
from unmask.serve.runtime import Runtime

STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
AROUND = (-8, -4, -2, -1, 0, 1, 2, 4, 8, 16)  # relative to the length of the text to replace
FIRST = 4  # first length for a model that resizes the gap itself, as in DreamOn
MOST = 64  # longest gap if the request has no limit


def lengths(limit: int | None, least: int = 0, stood: int = 0) -> list[int]:
    """The lengths to try for a gap; if it held a text of `stood` tokens, those around that length."""
    limit = limit or max(MOST, 2 * stood)
    tried = [stood + more for more in AROUND] if stood else [*STEPS, limit]
    return sorted({n for n in tried if max(least, 1) <= n <= limit} or {min(max(least, 1), limit)})


async def choose_length(
    runtime: Runtime, denoiser: Denoiser, spec: RunSpec, parts: Parts, tried: Sequence[int], who: str
) -> tuple[RunSpec, State]:
    """The spec and state of the length with the highest mean log confidence of its cells before any is written."""
    best, chosen = -np.inf, None
    refused: InvalidRequest | None = None
    client = Client("gap", visitor=who)
    device = runtime.device_for(denoiser)
    device.join(client)
    for length in tried:
        sized = replace(spec, length=length)
        try:
            state = await runtime.prepared(denoiser, sized, with_length(parts, length), visitor=who)
        except InvalidRequest as error:  # too long for this model, or wrong at any length
            refused = refused or error
            continue
        if len(tried) == 1:
            return sized, state
        # for every cell, not only those of the block
        belief, _ = await device.infer(client, denoiser, state, True)
        rows = belief.known & state.canvas.open
        score = float(np.log(np.maximum(belief.confidence[rows], 1e-9)).mean()) if rows.any() else -np.inf
        if chosen is None or score > best:
            best, chosen = score, (sized, state)
    if chosen is None:
        assert refused is not None
        raise refused
    return chosen
