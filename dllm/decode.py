"""The plain loop: think, step, again. For scripts, tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator

from dllm.models import Denoiser
from dllm.step import Frame, State, step
from dllm.think import Recall, think


def decode(denoiser: Denoiser, state: State, watched: bool = False) -> Iterator[tuple[State, Frame]]:
    """Every pass of a run, as it is computed."""
    recall = Recall()
    while not state.done:
        (belief,) = think(denoiser, [state], [watched], [recall])
        state, frame = step(state, belief)
        yield state, frame
