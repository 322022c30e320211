"""MDLM and BD3-LM: small early masked diffusion language models (Sahoo 2024, Arriola 2025)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Full diffusion, or block diffusion if the config has a block size below the model's length."""
    block = int(config.get("block_size") or 0)
    block = 0 if block >= int(config["model_length"]) else block
    rule = {"block": block, "block_from": "sequence", "sight": "block"} if block else {}
    return CheckpointSpec(
        "",
        own_fields(config),
        mask=int(config["vocab_size"]) - 1,
        block=block,
        padded=True,
        longest=int(config["model_length"]),
        ends=(50256,),
        preset={"preset": "mdlm", **({"settings": rule} if rule else {})},
        fair="Its authors trained an autoregressive model of the same size on the same text; it is not on the hub.",
        note="Its repository has no tokenizer: put GPT-2's beside it for words. Not yet compared with a real download.",
    )


def network(folder: Path, recipe: CheckpointSpec, number: str, device: str) -> Any:
    """Our own small network in place of transformers'."""
    from unmask.models.hub.dit import load_network

    return load_network(folder, recipe.config, number, device)


FAMILY = Family(
    architectures=("MDLM", "BD3LM", "mdlm", "bd3lm"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(Checkpoint("kuleshov-group/mdlm-owt", 0.17), Checkpoint("kuleshov-group/bd3lm-owt-block_size4", 0.17)),
    licence="Apache-2.0",
    network=network,
    torch=True,
)
