"""What several test files run: the toy, whole runs of it, and a toy that starts from noise instead of a mask."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from unmask.canvas import Canvas, blank
from unmask.inference.decode import decode
from unmask.models import Denoiser, ModelInput
from unmask.models.toy import Toy
from unmask.run.frame import Frame
from unmask.run.settings import Settings
from unmask.run.state import State, start

PROMPT = [3, 1, 4, 1, 5]
torch.set_num_threads(1)  # the toy is too small to share


class NoisyToy(Toy):
    """No mask: an open cell holds a random token, and the network sees it as it sees any other."""

    def __init__(self, words: int = 50, seed: int = 0) -> None:
        super().__init__(words, seed, mask=words - 1)
        self.card = replace(self.card, noise=True, never=())

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[np.ndarray]:
        return [self.hashed_logits(t.tokens)[t.rows] for t in model_inputs]


def begin(policy: str = "confidence", cells: int = 16, prompt: Sequence[int] = PROMPT, **changes: Any) -> State:
    """A run on the toy before its first pass."""
    return start(
        blank([list(prompt), cells] if prompt else [cells]), Settings(policy=policy, **{"passes": 8} | changes)
    )


def run(denoiser: Denoiser, state: State, watched: bool = False) -> list[tuple[State, Frame]]:
    """Every pass to the end."""
    return list(decode(denoiser, state, watched))


def ending(denoiser: Denoiser, state: State, watched: bool = False) -> list[int]:
    """The tokens that a run ends with."""
    passes = run(denoiser, state, watched)
    return (passes[-1][0] if passes else state).canvas.tokens.tolist()


def lawful(before: Canvas, after: Canvas) -> None:
    """What no pass may change."""
    fixed = before.given | before.pinned
    assert np.array_equal(before.tokens[fixed], after.tokens[fixed])
    assert not after.open[fixed].any()
    assert np.array_equal(before.given, after.given) and np.array_equal(before.pinned, after.pinned)
