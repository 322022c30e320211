"""Any autoregressive model, as the twin of a denoiser: one token a pass, with a KV cache."""

from __future__ import annotations

from unmask.models.family import Checkpoint, Family
from unmask.models.hub.adapter import Causal
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The class named in the config is transformers' own."""
    return CheckpointSpec(
        str(config["architectures"][0]),
        own_fields(config),
        longest=int(config.get("max_position_embeddings") or config.get("n_positions") or 2048),
        preset={"preset": "autoregressive"},
        template={"enable_thinking": False},  # as denoisers are compared with it in papers
        spare=(r"rotary_emb", r"attn\.(masked_)?bias$"),
    )


FAMILY = Family(
    architectures=("*ForCausalLM", "*LMHeadModel"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint("Qwen/Qwen3-0.6B", 0.6, "Apache-2.0"),
        Checkpoint("Qwen/Qwen2.5-0.5B-Instruct", 0.5, "Apache-2.0"),
    ),
    adapter=Causal,
)
