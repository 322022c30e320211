"""WeDLM: causal, and yet in any order: what is known is read first, with its place, and open cells after it (2025)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dllm.canvas import Ints, Refused
from dllm.models import Thought
from dllm.models.hub.adapter import Fitting, Masked, picked, who_sees
from dllm.models.hub.past import ROOM, Pasts
from dllm.models.hub.recipe import Config, Recipe, kept

if TYPE_CHECKING:
    from torch import Tensor

ARCHITECTURES = ("WeDLMForCausalLM",)
LICENCE = "Apache-2.0"
SHELF = (("tencent/WeDLM-7B-Instruct", 7.6), ("tencent/WeDLM-8B-Instruct", 8.2))


def recipe(config: Config, name: str) -> Recipe:
    """A Qwen3 where queries and keys are normed, otherwise a Qwen2."""
    return Recipe(
        "Qwen3ForCausalLM" if config.get("qk_norm") else "Qwen2ForCausalLM",
        kept(config),
        mask=151665,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset={"preset": "fast-dllm"},
        licence=LICENCE,
        twin="causal:Qwen/Qwen3-8B" if config.get("qk_norm") else "causal:Qwen/Qwen2.5-7B-Instruct",
        fair="Adapted from this parent and trained further: close to fair.",
    )


class Adapter(Masked):
    """Because nothing looks to its right, what was read before a new word stays as it was: the cache is exact."""

    def __init__(self, fitting: Fitting) -> None:
        super().__init__(fitting)
        self.pasts = Pasts(self.network.model.config, ROOM if fitting.cached else 0)

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        return [self._one(t, t.rows) for t in thoughts]

    def raw(self, thoughts: Sequence[Thought], rows: Sequence[Ints]) -> list[Tensor]:
        """Rows in the order in which cells are read."""
        return [self._one(t, self._order(t)[r]) for t, r in zip(thoughts, rows, strict=True)]

    def _order(self, thought: Thought) -> Ints:
        return np.argsort(thought.open, kind="stable")  # known cells first, each kind in its own order

    def _one(self, thought: Thought, cells: Ints) -> Tensor:
        if thought.attend is not None:
            raise Refused("this model reads in an order of its own, so shadows cannot verify it: choose another policy")
        order = self._order(thought)
        ids, place = self.spelled(thought)[order], np.argsort(order)
        wanted = place[cells]
        # what is kept ends before the first row that is asked about, and never holds an open cell
        front = int(min([*wanted.tolist(), (~thought.open).sum()]))
        key = np.stack([ids, order], 1)
        known, past, _ = self.pasts.longest(key[:front])
        unique = np.unique(wanted)
        attend = who_sees(np.arange(known, len(ids)), np.arange(len(ids)), 1)
        told = self.read(ids[None, known:], unique - known, order[None, known:], attend[None], past)[0]
        self.pasts.keep(key[:front], past)
        return picked(told, unique, wanted)
