"""WeDLM: causal attention, any decoding order: known tokens are read first, each at its own position (2025)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.family import Checkpoint, Family
from unmask.models.hub.adapter import OneByOne, block_causal_mask, select_rows
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields
from unmask.models.interface import ModelInput, Table


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """A Qwen3 if queries and keys are normalised, otherwise a Qwen2."""
    return CheckpointSpec(
        "Qwen3ForCausalLM" if config.get("qk_norm") else "Qwen2ForCausalLM",
        own_fields(config),
        mask=151665,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset={"preset": "wedlm", "settings": {"end": "stop"}},
        twin="causal:Qwen/Qwen3-8B" if config.get("qk_norm") else "causal:Qwen/Qwen2.5-7B-Instruct",
        fair="Adapted from this parent and trained further: close to fair.",
    )


class WeDLMAdapter(OneByOne):
    """Reads known cells first, then open cells; attention is causal in that order, so the KV cache is exact."""

    def row_logits(self, model_inputs: Sequence[ModelInput], rows: Sequence[Ints]) -> list[Table]:
        """Logits in reading order."""
        return [self.one(t, self._order(t)[r]) for t, r in zip(model_inputs, rows, strict=True)]

    def _order(self, model_input: ModelInput) -> Ints:
        return np.argsort(model_input.open, kind="stable")  # known cells first, each kind in its own order

    def one(self, model_input: ModelInput, rows: Ints | None = None) -> Table:
        if model_input.attention_mask is not None:
            raise InvalidRequest(
                "this model reads known cells first, so shadows cannot verify it: choose another policy"
            )
        order = self._order(model_input)
        ids, place = self.network_ids(model_input)[order], np.argsort(order)
        wanted = place[model_input.rows if rows is None else rows]
        # the cached prefix ends before the first requested row, and holds no open cell
        front = int(min([*wanted.tolist(), (~model_input.open).sum()]))
        key = np.stack([ids, order], 1)
        known, past, _ = self.pasts.longest(key[:front])
        unique = np.unique(wanted)
        attention_mask = block_causal_mask(np.arange(known, len(ids)), np.arange(len(ids)), 1)
        answer = self.read(ids[None, known:], unique - known, order[None, known:], attention_mask[None], past)[0]
        self.pasts.keep(key[:front], past)
        return select_rows(answer, unique, wanted)


FAMILY = Family(
    architectures=("WeDLMForCausalLM",),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(Checkpoint("tencent/WeDLM-7B-Instruct", 7.6), Checkpoint("tencent/WeDLM-8B-Instruct", 8.2)),
    licence="Apache-2.0",
    adapter=WeDLMAdapter,
)
