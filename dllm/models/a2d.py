"""A2D: small autoregressive chat models converted to full (mdlm) or block diffusion (bd3lm) (dllm-hub).

OPDLM is a Qwen3 converted in the same format and trained on its own answers, with Qwen3 as the teacher
(arXiv:2606.06712, divelab); its mask, blocks and settings are from its authors' code, read on 2026-11-28."""

from __future__ import annotations

import re

from unmask.models.family import Checkpoint, Family, NetworkShape
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields

_PARENTS = {"Qwen2.5-Coder-0.5B": "Qwen/Qwen2.5-Coder-0.5B-Instruct", "Qwen3-0.6B": "Qwen/Qwen3-0.6B"}


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The network class is the parent's; the name says whether it uses block diffusion."""
    if "opdlm" in name.lower():
        return _opdlm(config, name)
    native = str((config.get("architectures") or [""])[0]).removeprefix("A2D").removesuffix("LMHeadModel")
    block = int(config.get("block_size") or 32) if "bd3lm" in name.lower() else 0
    parent = next((p for start, p in _PARENTS.items() if start in name), "")
    rule = {"block": 32, **({"block_from": "sequence", "sight": "block"} if block else {})}
    return CheckpointSpec(
        f"{native}ForCausalLM",
        own_fields(config) | ({} if block else {"is_causal": False}),
        block=block,
        longest=int(config["max_position_embeddings"]),
        preset={"preset": "llada", "settings": rule},
        template={"enable_thinking": False},
        twin=f"causal:{parent}" if parent else "",
        fair="The twin is its parent, the same weights before they learned to denoise: a fair pair.",
    )


def _opdlm(config: Config, name: str) -> CheckpointSpec:
    """Blocks of the whole text, whose last one is filled with masks, as in its authors' engine."""
    block = int(config.get("block_size") or 4)
    rule = {"block": block, "block_from": "sequence", "sight": "block", "passes": block, "passes_for": "block"}
    size = re.search(r"\d+(?:\.\d+)?B", name)
    return CheckpointSpec(
        "Qwen3ForCausalLM",
        own_fields(config),
        mask=151669,
        block=block,
        padded=True,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset={"preset": "fast-dllm", "settings": rule | {"options": {"tau": 0.9}}},
        template={"enable_thinking": False},
        twin=f"causal:Qwen/Qwen3-{size[0]}" if size else "",
        fair="The twin is Qwen3, whose weights it began with and whose answers it learned: a fair pair.",
    )


_QWEN3 = NetworkShape(28, 1024, 3072, 16, 8, 128, 151_936)
_QWEN3_LARGER = NetworkShape(28, 2048, 6144, 16, 8, 128, 151_936)
_CODER = NetworkShape(24, 896, 4864, 14, 2, 64, 151_936)

FAMILY = Family(
    architectures=("A2DLlamaLMHeadModel", "A2DQwen2LMHeadModel", "A2DQwen3LMHeadModel"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint(
            "dllm-hub/Qwen3-0.6B-diffusion-mdlm-v0.1",
            0.6,
            good="short answers to plain questions",
            asks="What is the capital of France?",
            shape=_QWEN3,
            wanted="smallest",
        ),
        Checkpoint(
            "dllm-hub/Qwen3-0.6B-diffusion-bd3lm-v0.1",
            0.6,
            good="short answers, written block by block",
            asks="Why is the sky blue?",
            shape=_QWEN3,
        ),
        Checkpoint(
            "divelab/OPDLM-0.6B",
            0.6,
            "MIT",
            good="answers, four words at a time",
            asks="What is 17 % of 240?",
            shape=_QWEN3,
        ),
        Checkpoint(
            "divelab/OPDLM-1.7B",
            1.7,
            "MIT",
            good="better answers, four words at a time",
            asks="Tell me about the river Seine.",
            shape=_QWEN3_LARGER,
        ),
        Checkpoint(
            "dllm-hub/Qwen2.5-Coder-0.5B-Instruct-diffusion-mdlm-v0.1",
            0.5,
            good="short functions in Python",
            asks="Write a function that says whether a word is a palindrome.",
            shape=_CODER,
            wanted="code",
        ),
    ),
    licence="Apache-2.0",
)
