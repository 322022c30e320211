"""Nemotron-Labs-Diffusion: autoregression, block diffusion and self-speculation in one checkpoint (NVIDIA)."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.adapter import BothWays, Causal
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Ministral 3's field names, in the config itself or in its text part."""
    own = own_fields(config.get("text_config") or config)
    rule = {"block": 32, "options": {"tau": 0.9}}
    return CheckpointSpec(
        "Ministral3ForCausalLM",
        own,
        keys={r"^encoder\.": "model.", r"^diffusion_head\.": "lm_head."},
        mask=100,
        longest=int(own["max_position_embeddings"]),
        preset={"preset": "fast-dllm", "settings": rule},
        twin="nemotron:{what}?mode=ar",
        fair="The twin is the same checkpoint, used autoregressively: the fairest comparison there is.",
        note="Written from its description: mask and attention are not yet compared with a real download.",
    )


FAMILY = Family(
    architectures=("NemotronLabsDiffusion*", "Nemotron*Diffusion*", "Ministral*Diffusion*"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("nvidia/Nemotron-Labs-Diffusion-3B", 3.8),
        Checkpoint("nvidia/Nemotron-Labs-Diffusion-8B", 8.5),
        Checkpoint("nvidia/Nemotron-Labs-Diffusion-14B", 13.9),
    ),
    licence="NVIDIA Nemotron Open Model License",
    adapter=BothWays,
    causal=Causal,
)
