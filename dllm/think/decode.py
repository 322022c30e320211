"""The plain loop: think, step, again. For scripts, tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from dllm.models import Denoiser
from dllm.run.frame import Frame
from dllm.run.state import State
from dllm.run.step import step
from dllm.think import Recall, think


def decode(denoiser: Denoiser, state: State, watched: bool = False) -> Iterator[tuple[State, Frame]]:
    """Every pass of a run, as it is computed."""
    recall = Recall()
    while not state.done:
        (belief,) = think(denoiser, [state], [watched], [recall])
        state, frame = step(state, belief)
        yield state, frame


def chunk(denoiser: Denoiser, state: State, passes: int, watched: bool = True) -> tuple[State, list[Frame]]:
    """So many passes in one call, for a host that lends its device by the call; the state travels, the model stays."""
    made = list(islice(decode(denoiser, state, watched), passes))
    return (made[-1][0] if made else state), [frame for _, frame in made]
