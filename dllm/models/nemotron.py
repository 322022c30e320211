"""Nemotron-Labs-Diffusion: one checkpoint that writes from left to right, denoises blocks and verifies its drafts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dllm.canvas import Ints, Refused
from dllm.models import Thought
from dllm.models.hub.adapter import Causal, Fitting, Masked, onward, picked, who_sees
from dllm.models.hub.past import ROOM, Pasts
from dllm.models.hub.recipe import Config, Recipe, kept

if TYPE_CHECKING:
    from torch import Tensor

ARCHITECTURES = ("NemotronLabsDiffusion*", "Nemotron*Diffusion*", "Ministral*Diffusion*")
LICENCE = "NVIDIA Open Model License"
SHELF = (
    ("nvidia/Nemotron-Labs-Diffusion-3B", 3.8),
    ("nvidia/Nemotron-Labs-Diffusion-8B", 8.5),
    ("nvidia/Nemotron-Labs-Diffusion-14B", 13.9),
)


def recipe(config: Config, name: str) -> Recipe:
    """Ministral 3's field names, in the config itself or in its text part."""
    own = kept(config.get("text_config") or config)
    rule = {"block": 32, "options": {"tau": 0.9}}
    return Recipe(
        "Ministral3ForCausalLM",
        own,
        mask=100,
        longest=int(own["max_position_embeddings"]),
        preset={"preset": "fast-dllm", "settings": rule},
        licence=LICENCE,
        twin="nemotron:{what}?mode=ar",
        fair="The twin is the same checkpoint, read from left to right: the fairest comparison there is.",
        note="Written from its description: key names, mask and sight are not yet compared with a real download.",
    )


class Adapter(Masked):
    """Decided text is read from left to right, so its keys and values stay; the present block looks both ways."""

    blockwise = both = True

    def __init__(self, fitting: Fitting) -> None:
        super().__init__(fitting)
        self.before = self.card.ends[0] if self.card.ends else 0
        self.pasts = Pasts(self.network.model.config, ROOM if fitting.cached else 0)

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        return [self._one(t, t.rows) for t in thoughts]

    def raw(self, thoughts: Sequence[Thought], rows: Sequence[Ints]) -> list[Tensor]:
        return [self._one(t, r) for t, r in zip(thoughts, rows, strict=True)]

    def _one(self, thought: Thought, rows: Ints) -> Tensor:
        if thought.attend is not None:
            raise Refused("this model reads from left to right, so shadows cannot verify it: let it verify itself")
        if thought.onward:
            return onward(self, self.pasts, thought.tokens, rows, self.before)
        begins, ends = thought.block
        ids = self.spelled(thought)[: max(ends, int(max(rows, default=0)) + 1)]
        known, past, _ = self.pasts.longest(ids[: min([begins, *rows.tolist()])])
        at = np.arange(known, len(ids))
        inside = (at >= begins) & (at < ends)
        sight = who_sees(at, np.arange(len(ids)), 1)
        sight[inside] = np.arange(len(ids)) < ends
        unique = np.unique(rows)
        told = self.read(ids[None, known:], unique - known, at[None], sight[None], past)[0]
        self.pasts.keep(ids[:begins], past)
        return picked(told, unique, rows)


class Onward(Causal):
    """The same weights, one word a pass."""
