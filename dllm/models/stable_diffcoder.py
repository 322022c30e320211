"""Stable-DiffCoder: a Llama for code that writes blocks of four, each looking both ways (ByteDance Seed 2026)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Llama's own field names; the block's size is the authors', since the config names none."""
    block = int(config.get("block_size") or 4)
    rule = {"block": block, "block_from": "sequence", "sight": "block", "passes": block, "passes_for": "block"}
    return CheckpointSpec(
        "LlamaForCausalLM",
        own_fields(config),
        spare=(r"rotary_emb",),
        mask=5,
        block=block,
        padded=True,
        longest=int(config["max_position_embeddings"]),
        preset={"preset": "llada", "settings": rule | {"end": "stop"}},
        twin="causal:ByteDance-Seed/Seed-Coder-8B-Instruct",
        fair="Trained further from the same beginning, on the same data: one of the fairest pairs there are.",
        note="One cell a pass in blocks of four, as its authors run it. Not yet compared with a real download.",
    )


FAMILY = Family(
    # earlier uploads call themselves a plain Llama; their `auto_map` gives them away
    architectures=("StableDiffcoderForCausalLM", "SeedDiffcoderForCausalLM"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("ByteDance-Seed/Stable-DiffCoder-8B-Instruct", 8.3),
        Checkpoint("ByteDance-Seed/Stable-DiffCoder-8B-Base", 8.3),
    ),
    licence="MIT",
)
