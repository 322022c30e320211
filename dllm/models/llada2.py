"""LLaDA2.0 and LLaDA2.1: a GLM4-MoE, block diffusion in blocks of 32 (inclusionAI 2025, 2026)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields

_KEYS = {
    r"word_embeddings": "embed_tokens",
    r"attention\.dense": "self_attn.o_proj",
    r"attention\.query_layernorm": "self_attn.q_norm",
    r"attention\.key_layernorm": "self_attn.k_norm",
    r"gate\.expert_bias": "gate.e_score_correction_bias",
}
_HEADS = tuple(f"self_attn.{part}_proj" for part in "qkv")


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """GLM4-MoE with some fields renamed; queries, keys and values are one fused weight."""
    native = own_fields(config) | {
        "n_routed_experts": config["num_experts"],
        "n_shared_experts": config["num_shared_experts"],
        "attention_bias": bool(config.get("use_qkv_bias")),
        "partial_rotary_factor": config.get("partial_rotary_factor", 0.5),
        "num_nextn_predict_layers": 0,
    }
    native.pop("num_experts")
    return CheckpointSpec(
        "Glm4MoeForCausalLM",
        native,
        keys=_KEYS,
        splits={"attention.query_key_value": _HEADS},
        mask=156895,
        block=32,
        padded=True,
        longest=int(config["max_position_embeddings"]),
        ends=(156892,),
        preset={"preset": "llada2.1" if "2.1" in name else "llada2", "settings": {"end": "stop"}},
        twin="causal:inclusionAI/Ling-mini-2.0",
        fair="Ling-mini-2.0 is the parent of the mini models; further training sets them apart, so compare with care.",
    )


FAMILY = Family(
    architectures=("LLaDA2MoeModelLM",),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("inclusionAI/LLaDA2.0-mini", 16.3),
        Checkpoint("inclusionAI/LLaDA2.1-mini", 16.3),
        Checkpoint("inclusionAI/LLaDA2.0-flash", 103.0),
    ),
    licence="Apache-2.0",
    torch=True,
)
