"""What a family declares about a checkpoint, derived from its config."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Config = Mapping[str, Any]

# fields of a Hub config that do not describe the network
_NOT_NETWORK = {
    "architectures",
    "auto_map",
    "model_type",
    "torch_dtype",
    "dtype",
    "transformers_version",
    "_name_or_path",
}
_NOT_NETWORK |= {"attn_implementation", "_attn_implementation", "quantization_config", "use_cache", "is_causal"}


@dataclass(frozen=True)
class CheckpointSpec:
    """How to load a checkpoint into a transformers network, and the values for its card."""

    native: str  # name of the transformers class
    config: Config  # arguments of its config class
    keys: Mapping[str, str] = field(default_factory=dict)  # hub key names to native ones, as regular expressions
    # config fields that a weight's name implies: {pattern of the name: fields}
    implied: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # one fused weight to several, row by row
    spare: tuple[str, ...] = ()  # patterns of keys in the file that the network ignores
    mask: int | None = None  # the mask token, if neither options, config nor tokenizer have one
    shift: bool = False  # logits at row i predict the token at i + 1
    block: int = 0  # block size of block-causal attention; 0 is full attention
    padded: bool = False  # an incomplete last block is filled with masks
    longest: int = 0
    ends: tuple[int, ...] = ()
    never: tuple[int, ...] = ()  # tokens that must not be proposed, beside the mask
    expand: int | None = None  # token that asks to insert a cell
    skips: tuple[int, ...] = ()  # tokens that ask to delete their cell
    preset: Mapping[str, Any] = field(default_factory=dict)
    twin: str = ""  # model name of the autoregressive twin
    fair: str = ""  # how fair the comparison with the twin is
    template: Mapping[str, Any] = field(default_factory=dict)  # extra arguments of the chat template
    note: str = ""


def own_fields(config: Config) -> dict[str, Any]:
    """A Hub config's fields that describe the network, without an unused sliding window."""
    unused = {"sliding_window"} if config.get("use_sliding_window") is False else set()
    return {k: v for k, v in config.items() if k not in _NOT_NETWORK | unused}


def with_implied_fields(spec: CheckpointSpec, keys: Iterable[str]) -> CheckpointSpec:
    """The spec with the config fields that the names of the weights imply."""
    names = tuple(keys)
    for pattern, fields in spec.implied.items():
        if any(re.search(pattern, name) for name in names):
            spec = replace(spec, config={**spec.config, **fields})
    return spec


def with_attention_mask(spec: CheckpointSpec, always: bool = False) -> CheckpointSpec:
    """Makes a block-causal network non-causal: its attention pattern is given by explicit masks instead."""
    return replace(spec, config={**spec.config, "is_causal": False}) if spec.block or always else spec
