"""Rotary positions (RoPE) and their published scalings, as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.errors import Unsupported

Paces = NDArray[np.float32]
Rope = Mapping[str, Any]


@dataclass(frozen=True)
class Rotation:
    """The angle by which each pair of a head's numbers turns from one position to the next."""

    angles: tuple[float, ...] = ()
    scale: float = 1.0  # of the cosines and sines (YaRN)
    growth: float = 0.0  # queries grow with the logarithm of their position (Ministral), counted
    growth_length: int = 1  # in lengths of so many tokens

    def table(self) -> Paces:
        return np.array(self.angles, np.float32)


def read_rotation(config: Rope, head_width: int, default: Rope | None = None) -> Rotation:
    """The rotation of a config: its `rope_scaling` or `rope_parameters`, and `rope_theta`."""
    rope = {**(config.get("rope_scaling") or config.get("rope_parameters") or default or {})}
    kind = str(rope.get("rope_type") or rope.get("type") or "default")
    if kind not in _SCALINGS:
        raise Unsupported(f"the rope scaling '{kind}' is not known here; there are {', '.join(_SCALINGS)}")
    part = rope.get("partial_rotary_factor", config.get("partial_rotary_factor"))
    if part not in (None, 1):
        raise Unsupported(f"rotary positions on a part of each head (partial_rotary_factor {part}) are not known here")
    base = float(rope.get("rope_theta") or config.get("rope_theta") or 10_000.0)
    length = config.get("original_max_position_embeddings") or rope.get("original_max_position_embeddings")
    rope["length"] = int(length or config.get("max_position_embeddings") or 2048)
    pairs = np.arange(0, head_width, 2, dtype=np.float32) / np.float32(head_width)
    angles: Paces = np.reciprocal(np.power(np.float32(base), pairs, dtype=np.float32))
    try:
        angles, scale = _SCALINGS[kind](angles, base, rope)
    except KeyError as error:
        raise Unsupported(f"the rope scaling '{kind}' lacks its field {error}") from error
    growth = float(rope.get("llama_4_scaling_beta") or 0)
    return Rotation(tuple(angles.tolist()), scale, growth, rope["length"] if growth else 1)


def _linear(angles: Paces, base: float, rope: Rope) -> tuple[Paces, float]:
    return angles / np.float32(rope["factor"]), 1.0


def _llama3(angles: Paces, base: float, rope: Rope) -> tuple[Paces, float]:
    """Slow turns are slowed down further, and those of medium pace a little (Llama 3.1)."""
    factor, low, high = (float(rope[name]) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    turns = rope["length"] * angles / np.float32(2 * math.pi)  # in the length that it was trained for
    share = np.clip((turns - low) / (high - low), 0, 1)
    return (1 - share) * angles / np.float32(factor) + share * angles, 1.0


def _yarn(angles: Paces, base: float, rope: Rope) -> tuple[Paces, float]:
    """As in YaRN (arXiv:2309.00071), with DeepSeek's two scales where a config names them."""
    factor, pairs = float(rope["factor"]), len(angles)

    def pair_of(turns: float) -> float:
        """The pair that turns so often in the length that the network was trained for."""
        return 2 * pairs * math.log(rope["length"] / (turns * 2 * math.pi)) / (2 * math.log(base))

    first, last = pair_of(float(rope.get("beta_fast") or 32)), pair_of(float(rope.get("beta_slow") or 1))
    if rope.get("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, 2 * pairs - 1)
    slowed = np.clip((np.arange(pairs, dtype=np.float32) - first) / (last - first or 0.001), 0, 1)
    scale = rope.get("attention_factor")
    if scale is None:
        one, other = rope.get("mscale"), rope.get("mscale_all_dim")
        scale = _growth(factor, one) / _growth(factor, other) if one and other else _growth(factor, 1)
    return angles / np.float32(factor) * slowed + angles * (1 - slowed), float(scale)


def _growth(factor: float, scale: float) -> float:
    return 0.1 * scale * math.log(factor) + 1 if factor > 1 else 1.0


_SCALINGS: dict[str, Callable[[Paces, float, Rope], tuple[Paces, float]]] = {
    "default": lambda angles, *_: (angles, 1.0),
    "linear": _linear,
    "llama3": _llama3,
    "yarn": _yarn,
}
