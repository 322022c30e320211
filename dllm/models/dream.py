"""Dream, Dream-Coder, DreamOn and DiffuCoder: a Qwen2 that looks both ways and speaks one cell ahead (2025)."""

from __future__ import annotations

from dllm.models.contract import Checkpoint, Family
from dllm.models.hub.recipe import Config, Recipe, kept

EXPAND = 151667  # DreamOn's token for "more room is needed here"


def recipe(config: Config, name: str) -> Recipe:
    """Qwen2's own field names; DiffuCoder and DreamOn differ in settings only."""
    coder, on = "DiffuCoder" in name, "DreamOn" in name
    heat = {"settings": {"temperature": 0.3}} if coder else {}
    return Recipe(
        "Qwen2ForCausalLM",
        kept(config) | {"is_causal": False},
        mask=151666,
        shift=True,
        longest=int(config["max_position_embeddings"]),
        ends=(151643, 151645),
        preset={"preset": "dream"} | heat,
        twin="causal:Qwen/Qwen2.5-Coder-7B" if coder or on or "Coder" in name else "causal:Qwen/Qwen2.5-7B",
        fair="Its weights began as Qwen2.5's, then learned from far more text: a kinship, not an even race.",
        note=f"DreamOn asks for more room by token {EXPAND}; here the canvas keeps its length." if on else "",
        never=(EXPAND,) if on else (),
    )


FAMILY = Family(
    architectures=("DreamModel", "DreamForCausalLM"),
    recipe=recipe,
    shelf=(
        Checkpoint("Dream-org/Dream-v0-Instruct-7B", 7.6),
        Checkpoint("Dream-org/Dream-v0-Base-7B", 7.6),
        Checkpoint("Dream-org/Dream-Coder-v0-Instruct-7B", 7.6),
        Checkpoint("Dream-org/DreamOn-v0-7B", 7.6),
        Checkpoint("apple/DiffuCoder-7B-Instruct", 7.6, "Apple Machine Learning Research Model License"),
    ),
    licence="Apache-2.0",
)
