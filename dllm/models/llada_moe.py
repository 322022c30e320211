"""LLaDA-MoE: a bidirectional Qwen3-MoE without renormalised expert weights (inclusionAI 2025)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Qwen3-MoE with some fields renamed; `moe_layer_freq` marks the layers that have experts."""
    sparse = config.get("moe_layer_freq") or [1] * int(config["num_hidden_layers"])
    native = own_fields(config) | {
        "moe_intermediate_size": config["expert_intermediate_size"],
        "intermediate_size": config.get("dense_intermediate_size") or config["expert_intermediate_size"],
        "head_dim": config["hidden_size"] // config["num_attention_heads"],
        "mlp_only_layers": [i for i, has in enumerate(sparse) if not has],
        "norm_topk_prob": bool(config.get("norm_topk_prob")),
        "is_causal": False,
    }
    return CheckpointSpec(
        "Qwen3MoeForCausalLM",
        native,
        mask=156895,
        longest=int(config["max_position_embeddings"]),
        ends=(156892,),
        preset={"preset": "llada"},
        fair="LLaDA-MoE was trained from scratch: no autoregressive model is a fair twin to it.",
    )


FAMILY = Family(
    architectures=("LLaDAMoEModelLM", "LLaDAMoEModel"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("inclusionAI/LLaDA-MoE-7B-A1B-Instruct", 7.4),
        Checkpoint("inclusionAI/LLaDA-MoE-7B-A1B-Base", 7.4),
    ),
    licence="Apache-2.0",
    torch=True,
)
