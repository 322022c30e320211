"""BERT, RoBERTa, ModernBERT and their kin: every masked language model is a denoiser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unmask.canvas import Bools, Ints
from unmask.errors import InvalidRequest
from unmask.models.family import Checkpoint, Family, NetworkShape
from unmask.models.hub.adapter import AdapterParts, Masked
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields

if TYPE_CHECKING:
    from torch import Tensor


# weights that are used in pretraining only
_SPARE = (r"pooler", r"seq_relationship", r"position_ids$", r"token_type_embeddings", r"discriminator")


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The class named in the config is transformers' own."""
    chat = {"preset": "llada", "settings": {"block": 32}} if "chat" in name else {"preset": "llada"}
    max_positions = int(config.get("max_position_embeddings") or 512)
    offset = 2 if "Roberta" in str(config["architectures"]) else 0  # RoBERTa's positions start after its padding id
    return CheckpointSpec(
        str(config["architectures"][0]),
        own_fields(config),
        spare=_SPARE,
        longest=max_positions - offset - 2,  # without the CLS and SEP tokens
        preset=chat,
        fair="It never was autoregressive, so it has no twin.",
        note="Trained to fill a few blanks at a time: best where most of a text is given.",
    )


class EncoderAdapter(Masked):
    """Adds the CLS and SEP tokens around a canvas that lacks them; they are not cells."""

    def __init__(self, parts: AdapterParts) -> None:
        super().__init__(parts)
        self.cls_sep = parts.cls_sep

    def read(
        self, ids: Ints, rows: Ints, positions: Ints | None, attention_mask: Bools | None, past: object = None
    ) -> Tensor:
        if attention_mask is not None:
            raise InvalidRequest(
                "this model has local attention or fixed positions, so shadows cannot verify it: choose another policy"
            )
        first, last = self.cls_sep
        if len(ids) > 1:  # some canvases may hold the tokens already, others not
            import torch

            return torch.cat([self.read(one[None], rows, None, None) for one in ids])
        lead = first is not None and ids[0, 0] != first
        tail = last is not None and ids[0, -1] != last
        framed = [*([first] if lead else []), *ids[0], *([last] if tail else [])]
        return super().read(np.array([framed]), rows + int(lead), None, None)


_LARGE = NetworkShape(28, 1024, 2624, 16, 16, 64, 50_368)
_BASE = NetworkShape(22, 768, 1152, 12, 12, 64, 50_368)

FAMILY = Family(
    architectures=("*ForMaskedLM",),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint(
            "dllm-hub/ModernBERT-large-chat-v0.1", 0.4, "Apache-2.0", "short replies in English", 4, shape=_LARGE
        ),
        Checkpoint(
            "answerdotai/ModernBERT-large", 0.4, "Apache-2.0", "filling a few blanks in English text", 4, shape=_LARGE
        ),
        Checkpoint(
            "answerdotai/ModernBERT-base", 0.15, "Apache-2.0", "filling a blank in English text", 4, shape=_BASE
        ),
    ),
    adapter=EncoderAdapter,
)
