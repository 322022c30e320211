"""Stable-DiffCoder: a Llama for code, block diffusion in blocks of four (ByteDance Seed 2026)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Llama's own field names; the block size is the authors' where the config has none."""
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
    # earlier uploads have a plain Llama's architecture; `match_family` reads their `auto_map`
    architectures=("StableDiffcoderForCausalLM", "SeedDiffcoderForCausalLM"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("ByteDance-Seed/Stable-DiffCoder-8B-Instruct", 8.3),
        Checkpoint("ByteDance-Seed/Stable-DiffCoder-8B-Base", 8.3),
    ),
    licence="MIT",
)
