"""A model whose weights are on a lane: known here by its card and its spelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unmask.models import Denoiser, Model, Thought


class Distant(Denoiser):
    """Enough of a model to open a canvas, to show a run and to keep it; its lanes open it by its name."""

    def __init__(self, name: str, model: Model, reflects: bool) -> None:
        self.name, self.card, self.speller, self.reflects = name, model.card, model.speller, reflects

    def logits(self, thoughts: Sequence[Thought]) -> list[Any]:
        raise TypeError(f"'{self.name}' thinks on its lanes, not here")
