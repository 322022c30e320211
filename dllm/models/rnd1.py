"""RND1: a 30B Qwen3-MoE with bidirectional attention and shifted logits (Radical Numerics 2025)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Qwen3-MoE's own field names."""
    return CheckpointSpec(
        "Qwen3MoeForCausalLM",
        own_fields(config) | {"is_causal": False},
        mask=151669,
        shift=True,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset={"preset": "dream", "settings": {"passes": 256, "temperature": 0.0, "top_p": 1.0}},
        twin="causal:Qwen/Qwen3-30B-A3B-Base",
        fair="Converted from this parent with 500 billion more tokens: related, but not trained on the same data.",
        note="Not yet compared with a real download.",
    )


FAMILY = Family(
    architectures=("RND1LM", "RND1*", "rnd1"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(Checkpoint("radicalnumerics/RND1-Base-0910", 30.5),),
    licence="Apache-2.0",
    torch=True,
)
