"""Tiny checkpoints of every family, made on the spot: the hub's files, fields and key names around random weights."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

WORDS, MASK, END = 64, 60, 58
SHAPE = {
    "vocab_size": WORDS,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": False,
}
MOE = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
MARKS = {"eos_token_id": END, "pad_token_id": END, "bos_token_id": 57}


@dataclass(frozen=True)
class Forged:
    """A folder such as the hub would give, and the native network with the same weights."""

    folder: Path
    native: Any
    kind: str  # "full", "shift", "block", "causal", "reordered", "gemma" or "own"
    block: int = 0


def native(name: str, seed: int = 0, **fields: Any) -> Any:
    """A network with weights large enough to have opinions."""
    torch.manual_seed(seed)
    kind = getattr(transformers, name)
    model = kind._from_config(kind.config_class(**fields), attn_implementation="sdpa")
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, 0, 0.3)
    return model.eval().requires_grad_(False)


def saved(
    model: Any,
    folder: Path,
    config: Mapping[str, Any],
    renamed: Mapping[str, str] | None = None,
    change: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """As the hub has it: transformers' own layout, then the family's names and fusions, and its config."""
    model.save_pretrained(folder)
    file = folder / "model.safetensors"
    weights = load_file(file)
    for theirs, ours in (renamed or {}).items():
        weights = {re.sub(theirs, ours, k): v for k, v in weights.items()}
    if change is not None:
        change(weights)
    save_file({k: v.contiguous() for k, v in weights.items()}, file)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1))


def llada(folder: Path) -> Forged:
    model = native(
        "LlamaForCausalLM", **SHAPE | {"num_key_value_heads": 4, "rope_theta": 5e5, "is_causal": False}, **MARKS
    )
    block = r"model.layers.(\d+)."
    names = {
        block + "input_layernorm": r"model.transformer.blocks.\1.attn_norm",
        block + "post_attention_layernorm": r"model.transformer.blocks.\1.ff_norm",
        block + "self_attn.o_proj": r"model.transformer.blocks.\1.attn_out",
        block + "self_attn.": r"model.transformer.blocks.\1.",
        block + "mlp.gate_proj": r"model.transformer.blocks.\1.ff_proj",
        block + "mlp.up_proj": r"model.transformer.blocks.\1.up_proj",
        block + "mlp.down_proj": r"model.transformer.blocks.\1.ff_out",
        "model.embed_tokens": "model.transformer.wte",
        "lm_head": "model.transformer.ff_out",
        r"model\.norm": "model.transformer.ln_f",
    }
    config = {
        "architectures": ["LLaDAModelLM"],
        "model_type": "llada",
        "auto_map": {"AutoModel": "modeling_llada.LLaDAModelLM"},
        "d_model": 32,
        "n_layers": 2,
        "n_heads": 4,
        "n_kv_heads": 4,
        "mlp_hidden_size": 64,
        "embedding_size": WORDS,
        "vocab_size": WORDS,
        "max_sequence_length": 128,
        "rms_norm_eps": 1e-6,
        "rope_theta": 5e5,
        "mask_token_id": MASK,
        "weight_tying": False,
        "include_bias": False,
        **MARKS,
    }
    saved(model, folder, config, names)
    return Forged(folder, model, "full")


def llada_moe(folder: Path) -> Forged:
    shape = SHAPE | {"num_key_value_heads": 4, "rope_theta": 5e4}
    model = native("Qwen3MoeForCausalLM", **shape, **MOE, **MARKS, head_dim=8, norm_topk_prob=False, is_causal=False)
    config = (
        shape
        | MARKS
        | {
            "architectures": ["LLaDAMoEModelLM"],
            "model_type": "llada",
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "expert_intermediate_size": 16,
            "dense_intermediate_size": 64,
            "moe_layer_freq": [1, 1],
            "norm_topk_prob": None,
            "mask_token_id": MASK,
        }
    )
    config.pop("intermediate_size")
    saved(model, folder, config)
    return Forged(folder, model, "full")


def llada2(folder: Path) -> Forged:
    own = {"head_dim": 8, "partial_rotary_factor": 0.5, "routed_scaling_factor": 2.5, "first_k_dense_replace": 1}
    shape = SHAPE | MARKS | own | {"moe_intermediate_size": 16, "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1}
    experts = {"n_routed_experts": 4, "n_shared_experts": 1, "use_qk_norm": True, "num_nextn_predict_layers": 0}
    model = native("Glm4MoeForCausalLM", **shape, **experts, rope_theta=6e5)
    names = {
        r"self_attn\.o_proj": "attention.dense",
        r"self_attn\.q_norm": "attention.query_layernorm",
        r"self_attn\.k_norm": "attention.key_layernorm",
        r"embed_tokens": "word_embeddings",
        r"e_score_correction_bias": "expert_bias",
    }

    def fuse(weights: dict[str, Any]) -> None:
        for key in [k for k in weights if k.endswith("self_attn.q_proj.weight")]:
            parts = [weights.pop(key.replace("q_proj", f"{p}_proj")) for p in "qkv"]
            weights[key.replace("self_attn.q_proj", "attention.query_key_value")] = torch.cat(parts)

    config = shape | {
        "architectures": ["LLaDA2MoeModelLM"],
        "model_type": "llada2_moe",
        "num_experts": 4,
        "num_shared_experts": 1,
        "use_qk_norm": True,
        "rope_theta": 6e5,
        "sliding_window": 4096,
        "use_sliding_window": False,
        "mask_token_id": MASK,
    }
    saved(model, folder, config, names, fuse)
    return Forged(folder, model, "block", 32)


def _qwen(
    kind: str, architecture: str, model_type: str, sort: str, block: int = 0, **extra: Any
) -> Callable[[Path], Forged]:
    """Families that keep Qwen's names."""

    def make(folder: Path) -> Forged:
        fields = SHAPE | MARKS | {"rope_theta": 1e6} | ({"head_dim": 8} if "3" in kind else {})
        fields |= MOE if "Moe" in kind else {}
        sight = {"is_causal": False} if sort in ("full", "shift") else {}
        model = native(kind, **fields, **sight)
        own = {"architectures": [architecture], "model_type": model_type, "mask_token_id": MASK} | extra
        saved(model, folder, fields | own)
        return Forged(folder, model, sort, block)

    return make


def _encoder(kind: str, fields: Mapping[str, Any], extra: Mapping[str, Any]) -> Callable[[Path], Forged]:
    def make(folder: Path) -> Forged:
        model = native(kind, **fields)
        config = {**fields, "architectures": [kind], "model_type": model.config.model_type, **extra}
        saved(model, folder, config)
        return Forged(folder, model, "encoder")

    return make


def larger(folder: Path, words: int = 50_000) -> Forged:
    """A denoiser whose file is some tens of MB, so that it comes in parts."""
    fields = SHAPE | MARKS | {"rope_theta": 1e6, "head_dim": 8, "vocab_size": words, "hidden_size": 64}
    model = native("Qwen3ForCausalLM", **fields, is_causal=False)
    config = {"architectures": ["A2DQwen3LMHeadModel"], "model_type": "a2d-qwen3", "mask_token_id": MASK}
    saved(model, folder, fields | config)
    return Forged(folder, model, "full")


def nemotron(folder: Path) -> Forged:
    turn = {"rope_type": "default", "rope_theta": 1e6, "llama_4_scaling_beta": 0.0}
    fields = SHAPE | MARKS | {"head_dim": 8, "rope_parameters": turn | {"original_max_position_embeddings": 128}}
    model = native("Ministral3ForCausalLM", **fields)
    own = {"architectures": ["NemotronLabsDiffusionForCausalLM"], "model_type": "nemotron_labs", "mask_token_id": MASK}
    saved(model, folder, fields | own, {r"^model\.": "encoder.", r"^lm_head\.": "diffusion_head."})  # the hub's names
    return Forged(folder, model, "own")


def diffusion_gemma(folder: Path) -> Forged:
    text = {
        "vocab_size": WORDS,
        "hidden_size": 32,
        "intermediate_size": 64,
        "moe_intermediate_size": 16,
        "num_experts": 4,
        "top_k_experts": 2,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 16,
        "layer_types": ["sliding_attention", "full_attention"],
        "sliding_window": 16,
        "max_position_embeddings": 256,
        "use_bidirectional_attention": None,
        "bos_token_id": 2,
        "eos_token_id": 1,
        "pad_token_id": 0,
        "rope_parameters": {
            "full_attention": {"partial_rotary_factor": 0.25, "rope_theta": 1e6, "rope_type": "proportional"},
            "sliding_attention": {"rope_theta": 1e4, "rope_type": "default"},
        },
    }
    vision = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    vision |= {"num_key_value_heads": 1, "head_dim": 8, "position_embedding_size": 64}
    fields = {"text_config": text, "vision_config": vision, "canvas_length": 16, "image_token_id": 62}
    model = native("DiffusionGemmaForBlockDiffusion", **fields)
    model.save_pretrained(folder)
    return Forged(folder, model, "gemma", 16)


def mdlm(folder: Path, block: int = 0) -> Forged:
    from unmask.models.hub.dit import DiT

    config = {"vocab_size": WORDS, "hidden_dim": 32, "n_blocks": 2, "n_heads": 4, "cond_dim": 16, "model_length": 64}
    config |= {"block_size": block, "architectures": ["BD3LM" if block else "MDLM"], "time_conditioning": False}
    torch.manual_seed(0)
    model = DiT(config).requires_grad_(False)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, 0, 0.2)
    save_file({f"backbone.{k}": v for k, v in model.state_dict().items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    return Forged(folder, model, "own", block)


_BERT = {k: SHAPE[k] for k in ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")}
_BERT |= {"vocab_size": WORDS, "max_position_embeddings": 130}
_MODERN = _BERT | {
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "local_attention": 16,
    "global_attn_every_n_layers": 3,
}
_SPECIAL = {"mask_token_id": MASK, "cls_token_id": 57, "sep_token_id": END}

# by the name of its folder, since some families read what they are off the name
FAMILIES: dict[str, Callable[[Path], Forged]] = {
    "LLaDA-8B": llada,
    "LLaDA-MoE": llada_moe,
    "LLaDA2.0-mini": llada2,
    "Dream-v0": _qwen("Qwen2ForCausalLM", "DreamModel", "Dream", "shift"),
    "SDAR-4B": _qwen("Qwen3ForCausalLM", "SDARForCausalLM", "sdar", "block", 4, block_size=4),
    "SDAR-30B-A3B": _qwen("Qwen3MoeForCausalLM", "SDARMoeForCausalLM", "sdar_moe", "block", 4, block_size=4),
    "Fast_dLLM_v2": _qwen(
        "Qwen2ForCausalLM", "Fast_dLLM_QwenForCausalLM", "Fast_dLLM_Qwen", "blockshift", 8, bd_size=8
    ),
    "Stable-DiffCoder-8B": _qwen("LlamaForCausalLM", "StableDiffcoderForCausalLM", "llama", "block", 4),
    "Qwen3-0.6B-diffusion-mdlm": _qwen("Qwen3ForCausalLM", "A2DQwen3LMHeadModel", "a2d-qwen3", "full"),
    "Qwen3-0.6B-diffusion-bd3lm": _qwen(
        "Qwen3ForCausalLM", "A2DQwen3LMHeadModel", "a2d-qwen3", "block", 8, block_size=8
    ),
    "OPDLM-0.6B": _qwen("Qwen3ForCausalLM", "A2DQwen3LMHeadModel", "a2d-qwen3", "block", 4),
    "RND1-Base": _qwen("Qwen3MoeForCausalLM", "RND1LM", "rnd1", "shift"),
    "WeDLM-8B": _qwen("Qwen3ForCausalLM", "WeDLMForCausalLM", "wedlm", "reordered", qk_norm=True),
    "Nemotron-3B": nemotron,
    "bert-base": _encoder("BertForMaskedLM", _BERT, _SPECIAL),
    "roberta-base": _encoder("RobertaForMaskedLM", _BERT | {"pad_token_id": 1}, _SPECIAL),
    "ModernBERT-base": _encoder("ModernBertForMaskedLM", _MODERN | {"pad_token_id": 59}, _SPECIAL),
    "diffusiongemma": diffusion_gemma,
    "mdlm-owt": mdlm,
    "bd3lm-owt": lambda folder: mdlm(folder, 8),
}
PARENT = _qwen("Qwen3ForCausalLM", "Qwen3ForCausalLM", "qwen3", "causal")


def spoil(folder: Path, **fields: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | fields))


def words(folder: Path, template: str | None) -> None:
    """A byte-level tokenizer of 64 letters, with or without a chat template."""
    letters = {c: i for i, c in enumerate("ĠabcdefghijklmnopqrstuvwxyzĊ.,:<>|_ABCDEFGHIJKLMNOPQRSTUVWXYZ01")}
    tokenizer = Tokenizer(models.BPE(vocab=letters, merges=[]))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    fields = {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": template}
    (folder / "tokenizer_config.json").write_text(json.dumps({k: v for k, v in fields.items() if v}))
