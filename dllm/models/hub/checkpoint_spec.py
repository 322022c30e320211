"""What a family's file says of its checkpoints, read off their config; everything else is shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Config = Mapping[str, Any]

# fields of a hub config that speak of its own code, not of the network
_ITS_OWN = {"architectures", "auto_map", "model_type", "torch_dtype", "dtype", "transformers_version", "_name_or_path"}
_ITS_OWN |= {"attn_implementation", "_attn_implementation", "quantization_config", "use_cache", "is_causal"}


@dataclass(frozen=True)
class CheckpointSpec:
    """How a checkpoint becomes a native network, and what its card says."""

    native: str  # the transformers class
    config: Config  # what its config class takes
    keys: Mapping[str, str] = field(default_factory=dict)  # hub key names to native ones, as regular expressions
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # one fused weight to several, row by row
    spare: tuple[str, ...] = ()  # keys in the file that the network does without
    mask: int | None = None  # where neither a person, the config nor the tokenizer says
    shift: bool = False  # the hub's logits at i speak of i + 1
    block: int = 0  # cells see their own block and those before it; 0 is everything
    padded: bool = False  # a last block that is not full is filled with masks
    longest: int = 0
    ends: tuple[int, ...] = ()
    never: tuple[int, ...] = ()  # tokens that must not be proposed, beside the mask
    expand: int | None = None  # a word that asks for one cell more
    skips: tuple[int, ...] = ()  # words of a cell too many
    preset: Mapping[str, Any] = field(default_factory=dict)
    twin: str = ""
    fair: str = ""
    template: Mapping[str, Any] = field(default_factory=dict)  # what the authors hand to the chat template
    note: str = ""


def own_fields(config: Config) -> dict[str, Any]:
    """A hub config's fields, without those that speak of its own code and without a window that is not used."""
    unused = {"sliding_window"} if config.get("use_sliding_window") is False else set()
    return {k: v for k, v in config.items() if k not in _ITS_OWN | unused}


def with_attention_mask(recipe: CheckpointSpec, anyway: bool = False) -> CheckpointSpec:
    """In a network of blocks masks say who sees whom; without a mask, as within one block, everyone sees everyone."""
    return replace(recipe, config={**recipe.config, "is_causal": False}) if recipe.block or anyway else recipe
