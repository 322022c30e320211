"""SDAR and TraDo: a Qwen3, block diffusion in small blocks (2025)."""

from __future__ import annotations

import re

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The block size comes from the config, or from a name such as `-b16`."""
    named, sparse = re.search(r"-b(\d+)\b", name), bool(config.get("num_experts"))
    block = int(config.get("block_size") or (named and named[1]) or 4)
    trado = "TraDo" in name
    rule = {"block": block, "block_from": "sequence", "sight": "block", "passes": block, "passes_for": "block"}
    recommended = {
        "preset": "fast-dllm",
        "settings": rule | {"options": {"tau": 0.9 if trado else 0.85}, "temperature": 1.0},
    }
    size = re.search(r"(\d+(?:\.\d+)?B(?:-A\d+B)?)", name)
    return CheckpointSpec(
        "Qwen3MoeForCausalLM" if sparse else "Qwen3ForCausalLM",
        own_fields(config),
        mask=151669,
        block=block,
        padded=True,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset=recommended,
        twin=f"causal:Qwen/Qwen3-{size[1]}" if size else "",
        fair="Adapted from Qwen3 and trained further: close to fair, if the sizes are equal.",
    )


FAMILY = Family(
    architectures=("SDARForCausalLM", "SDARMoeForCausalLM"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("JetLM/SDAR-1.7B-Chat", 2.0),
        Checkpoint("JetLM/SDAR-4B-Chat", 4.4),
        Checkpoint("JetLM/SDAR-8B-Chat", 8.2),
        Checkpoint("Gen-Verse/TraDo-4B-Instruct", 4.4),
        Checkpoint("Gen-Verse/TraDo-8B-Instruct", 8.2),
    ),
    licence="MIT",
)
