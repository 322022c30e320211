"""Dream, Dream-Coder, DreamOn, DiffuCoder, Open-dCoder: a bidirectional Qwen2 with shifted logits (2025)."""

from __future__ import annotations

from typing import Any

from unmask.models.family import Checkpoint, Family, NetworkShape
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields

EXPAND = 151667  # DreamOn's token for "insert a cell here"
DELETE = 151643  # and for "delete this cell", unless its config says otherwise; also its end-of-text


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """Qwen2's own field names; DiffuCoder and DreamOn differ in settings only."""
    coder, on = "DiffuCoder" in name, "DreamOn" in name
    open_coder = "open-dcoder" in name.lower()  # its config has its parent's architecture: load it as `dream:ORG/NAME`
    settings = {"settings": {"temperature": 0.3}} if coder else {}
    preset: dict[str, Any] = {"preset": "dream"} | settings
    if open_coder:  # its authors' sampler, path planning
        preset = {"preset": "p2", "settings": {"temperature": 0.5, "top_k": 200}}
    return CheckpointSpec(
        "Qwen2ForCausalLM",
        own_fields(config) | {"is_causal": False},
        mask=151665
        if open_coder
        else 151666,  # the first id after the tokenizer's vocabulary, which is one larger in Dream
        shift=True,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset=preset,
        twin="causal:Qwen/Qwen2.5-Coder-0.5B-Instruct"
        if open_coder
        else "causal:Qwen/Qwen2.5-Coder-7B"
        if coder or on or "Coder" in name
        else "causal:Qwen/Qwen2.5-7B",
        fair="Its weights began as Qwen2.5's, then learned from far more text: a kinship, not an even race.",
        note="It may ask for more cells or fewer: say how many an answer may have at most (room)." if on else "",
        expand=int(config.get("expand_token_id", EXPAND)) if on else None,
        skips=(int(config.get("delete_token_id", DELETE)),) if on else (),
    )


FAMILY = Family(
    architectures=("DreamModel", "DreamForCausalLM"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint(
            "dream:fredzzp/open-dcoder-0.5B",
            0.5,
            good="Python functions, and gaps in them",
            asks="def is_palindrome(word):",
            shape=NetworkShape(24, 896, 4864, 14, 2, 64, 151_936),
        ),
        Checkpoint("Dream-org/Dream-v0-Instruct-7B", 7.6),
        Checkpoint("Dream-org/Dream-v0-Base-7B", 7.6),
        Checkpoint("Dream-org/Dream-Coder-v0-Instruct-7B", 7.6),
        Checkpoint("Dream-org/DreamOn-v0-7B", 7.6),
        Checkpoint("apple/DiffuCoder-7B-Instruct", 7.6, "Apple Machine Learning Research Model License"),
    ),
    licence="Apache-2.0",
)
