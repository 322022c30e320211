"""The shapes of published models, as their `config.json` has them, and a small one of each."""

from __future__ import annotations

from typing import Any

LLADA = {"d_model": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 32, "mlp_hidden_size": 12_288}
LLADA |= {"embedding_size": 126_464, "vocab_size": 126_464, "max_sequence_length": 4096, "rms_norm_eps": 1e-5}
LLADA |= {"rope_theta": 5e5, "weight_tying": False, "include_bias": False, "eos_token_id": 126_081}
LLADA2 = {"hidden_size": 2048, "num_hidden_layers": 20, "num_attention_heads": 16, "num_key_value_heads": 4}
LLADA2 |= {"head_dim": 128, "intermediate_size": 5120, "moe_intermediate_size": 512, "num_experts": 256}
LLADA2 |= {"num_experts_per_tok": 8, "num_shared_experts": 1, "n_group": 8, "topk_group": 4, "use_qk_norm": True}
LLADA2 |= {"vocab_size": 157_184, "max_position_embeddings": 32_768, "rope_theta": 6e5, "first_k_dense_replace": 1}
TEXT = {"hidden_size": 2816, "num_hidden_layers": 30, "num_attention_heads": 16, "num_key_value_heads": 8}
TEXT |= {"head_dim": 256, "intermediate_size": 2112, "moe_intermediate_size": 704, "num_experts": 128}
TEXT |= {"top_k_experts": 8, "vocab_size": 262_144, "max_position_embeddings": 32_768, "sliding_window": 1024}
TEXT |= {"layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 5, "use_bidirectional_attention": None}
VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
VISION |= {"num_key_value_heads": 1, "head_dim": 8, "position_embedding_size": 64}
GEMMA = {"text_config": TEXT, "vision_config": VISION, "canvas_length": 256, "image_token_id": 3}

# replaces each field of these names on a machine without a GPU
SMALL = {"d_model": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 4, "mlp_hidden_size": 128, "embedding_size": 512}
SMALL |= {"vocab_size": 512, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 16}
SMALL |= {"num_key_value_heads": 2, "intermediate_size": 128, "moe_intermediate_size": 32, "num_experts": 4}
SMALL |= {"num_experts_per_tok": 2, "top_k_experts": 2, "n_group": 2, "topk_group": 1, "eos_token_id": 2}
SMALL |= {"layer_types": ["sliding_attention", "full_attention"], "canvas_length": 32, "sliding_window": 16}


def shrunk(config: dict[str, Any]) -> dict[str, Any]:
    """The same architecture, small enough for any machine."""
    return {k: shrunk(v) if isinstance(v, dict) and k == "text_config" else SMALL.get(k, v) for k, v in config.items()}
