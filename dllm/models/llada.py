"""LLaDA, LLaDA 1.5 and iLLaDA: a bidirectional Llama with renamed weights (Nie et al. 2025)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config

_KEYS = {
    r"^model\.transformer\.wte\.": "model.embed_tokens.",
    r"^model\.transformer\.ln_f\.": "model.norm.",
    r"^model\.transformer\.ff_out\.": "lm_head.",
    r"^model\.transformer\.blocks\.(\d+)\.attn_norm\.": r"model.layers.\1.input_layernorm.",
    r"^model\.transformer\.blocks\.(\d+)\.ff_norm\.": r"model.layers.\1.post_attention_layernorm.",
    r"^model\.transformer\.blocks\.(\d+)\.attn_out\.": r"model.layers.\1.self_attn.o_proj.",
    r"^model\.transformer\.blocks\.(\d+)\.q_proj\.": r"model.layers.\1.self_attn.q_proj.",
    r"^model\.transformer\.blocks\.(\d+)\.k_proj\.": r"model.layers.\1.self_attn.k_proj.",
    r"^model\.transformer\.blocks\.(\d+)\.v_proj\.": r"model.layers.\1.self_attn.v_proj.",
    r"^model\.transformer\.blocks\.(\d+)\.ff_proj\.": r"model.layers.\1.mlp.gate_proj.",
    r"^model\.transformer\.blocks\.(\d+)\.up_proj\.": r"model.layers.\1.mlp.up_proj.",
    r"^model\.transformer\.blocks\.(\d+)\.ff_out\.": r"model.layers.\1.mlp.down_proj.",
}


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """A Llama without grouped heads, read from LLaDA's own field names."""
    heads = int(config["n_heads"])
    native = {
        "vocab_size": config.get("embedding_size") or config["vocab_size"],
        "hidden_size": config["d_model"],
        "intermediate_size": config["mlp_hidden_size"],
        "num_hidden_layers": config["n_layers"],
        "num_attention_heads": heads,
        "num_key_value_heads": config.get("n_kv_heads") or heads,
        "attention_bias": bool(config.get("include_qkv_bias")),
        "mlp_bias": bool(config.get("include_bias")),
        "max_position_embeddings": config["max_sequence_length"],
        "rms_norm_eps": config["rms_norm_eps"],
        "rope_theta": config["rope_theta"],
        "tie_word_embeddings": bool(config.get("weight_tying")),
        "eos_token_id": config.get("eos_token_id"),
        "pad_token_id": config.get("pad_token_id"),
        "is_causal": False,
    }
    return CheckpointSpec(
        "LlamaForCausalLM",
        native,
        keys=_KEYS,
        spare=(r"rotary_emb",),
        mask=5 if "iLLaDA" in name else 126336,
        longest=int(config["max_sequence_length"]),
        ends=(126081, 126348),
        preset={"preset": "llada"},
        fair="LLaDA was trained from scratch, on other data than Llama 3: no autoregressive model is a fair twin.",
        note="It tends to fill the end with end-of-text tokens: penalise them, or decode in blocks.",
    )


FAMILY = Family(
    architectures=("LLaDAModelLM",),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("GSAI-ML/LLaDA-8B-Instruct", 8.0),
        Checkpoint("GSAI-ML/LLaDA-8B-Base", 8.0),
        Checkpoint("GSAI-ML/LLaDA-1.5", 8.0),
    ),
    licence="MIT",
)
