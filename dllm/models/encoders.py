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


# what they were pretrained with beside the words
_SPARE = (r"pooler", r"seq_relationship", r"position_ids$", r"token_type_embeddings", r"discriminator")


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The class named in the config is transformers' own."""
    chat = {"preset": "llada", "settings": {"block": 32}} if "chat" in name else {"preset": "llada"}
    places = int(config.get("max_position_embeddings") or 512)
    offset = 2 if "Roberta" in str(config["architectures"]) else 0  # RoBERTa counts from behind its padding mark
    return CheckpointSpec(
        str(config["architectures"][0]),
        own_fields(config),
        spare=_SPARE,
        longest=places - offset - 2,  # the marks that stand around a text
        preset=chat,
        fair="It never was autoregressive, so it has no twin.",
        note="Trained to fill a few blanks at a time: best where most of a text is given.",
    )


class EncoderAdapter(Masked):
    """The marks that stand before and behind a text are put where a canvas lacks them; they are no cells."""

    def __init__(self, fitting: AdapterParts) -> None:
        super().__init__(fitting)
        self.frame = fitting.frame

    def read(
        self, ids: Ints, rows: Ints, positions: Ints | None, attention_mask: Bools | None, past: object = None
    ) -> Tensor:
        if attention_mask is not None:
            raise InvalidRequest("this model has local attention or fixed places, so shadows cannot verify it")
        first, last = self.frame
        if len(ids) > 1:  # some canvases may hold the marks, others not
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
