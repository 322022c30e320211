"""Fast-dLLM v2: a Qwen2.5, block diffusion in blocks of 32 with shifted logits (Wu et al. 2025)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family, NetworkShape
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Logits are shifted by one, so a block's first cell is predicted by the last row of the block before it."""
    block = int(config.get("bd_size") or config.get("block_size") or 32)
    small = min(8, block)  # sub-block that is decided at a time; the rest of the block is masked
    rule = {"options": {"tau": 0.9, "size": block}, "block": small, "end": "stop"}
    return CheckpointSpec(
        "Qwen2ForCausalLM",
        own_fields(config),
        mask=151665,
        shift=True,
        block=block,
        padded=True,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset={"preset": "fast-dllm-v2", "settings": rule},
        twin="causal:Qwen/Qwen2.5-1.5B-Instruct" if "1.5B" in name else "causal:Qwen/Qwen2.5-7B-Instruct",
        fair="Adapted from this very model with about a billion tokens: one of the fairest pairs there are.",
        note="Not yet compared with a real download.",
    )


FAMILY = Family(
    architectures=("Fast_dLLM_QwenForCausalLM", "Fast_dLLM*"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint(
            "Efficient-Large-Model/Fast_dLLM_v2_1.5B",
            1.5,
            good="conversation, sums and code, the best of the small ones",
            asks="What is 17 % of 240?",
            wanted="best",
            shape=NetworkShape(28, 1536, 8960, 12, 2, 128, 151_936),
        ),
        Checkpoint("Efficient-Large-Model/Fast_dLLM_v2_7B", 7.6),
    ),
    licence="Apache-2.0",
)
