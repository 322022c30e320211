"""How long one pass takes on another machine: a model of time, not a measurement.

A pass waits for the slower of two things: its arithmetic, or reading the weights and cached keys and values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from unmask.errors import InvalidRequest


@dataclass(frozen=True)
class Chip:
    """An accelerator: bytes it reads a second, and operations a second in bf16."""

    name: str
    bandwidth: float
    operations: float
    fp8: bool = False  # has fp8 arithmetic, twice as fast as bf16; without it, fp8 only saves reading
    source: str = ""  # where its figures are from


@dataclass(frozen=True)
class Size:
    """A model's size. `experts` is 1 and `chosen` is 1 for a dense model."""

    parameters: float
    active: float
    bytes_each: float = 2
    experts: int = 1
    chosen: int = 1
    name: str = ""
    cached: float = 0  # bytes of keys and values for each token, over all layers

    def __post_init__(self) -> None:
        numbers = (self.parameters, self.active, self.bytes_each)
        if not all(math.isfinite(n) and n > 0 for n in numbers) or self.active > self.parameters:
            raise InvalidRequest("A model needs parameters above 0, and at most as many active ones.")
        if not 1 <= self.chosen <= self.experts or (self.experts > 1 and self.chosen == self.experts):
            raise InvalidRequest(f"A pass cannot choose {self.chosen} of {self.experts} experts.")

    @property
    def in_words(self) -> str:
        """The size for a sentence: "a model of 16 billion (1.4 active)"."""
        unit, word = (1e9, "billion") if self.parameters >= 1e9 else (1e6, "million")
        words = f"{self.parameters / unit:.3g} {word}"
        return words if self.experts == 1 else f"{words} ({self.active / unit:.3g} active)"

    def weights_read(self, tokens: float) -> float:
        """Bytes of weights that a pass over `tokens` tokens is expected to read."""
        if self.experts == 1:
            return self.parameters * self.bytes_each
        share = self.chosen / self.experts
        # total = shared + experts, active = shared + share * experts
        expert = (self.parameters - self.active) / (1 - share)
        touched: float = 1 - (1 - share) ** tokens
        return (self.parameters - expert + expert * touched) * self.bytes_each


NVIDIA = "the vendor's data sheet, dense"
CHIPS = {
    "a100": Chip("A100 80 GB", 2.04e12, 312e12, source=NVIDIA),
    "h100": Chip("H100 SXM", 3.35e12, 989e12, True, NVIDIA),
    "h200": Chip("H200", 4.8e12, 989e12, True, NVIDIA),
    "b200": Chip("B200", 8e12, 2250e12, True, NVIDIA),
    "l4": Chip("L4", 0.30e12, 121e12, True, NVIDIA),
    "rtx4090": Chip("RTX 4090", 1.01e12, 165e12, True, NVIDIA),
    "m3max": Chip("M3 Max", 0.40e12, 28e12, source="the vendor's bandwidth; operations of its GPU in fp16"),
}
# parameters from the model cards; experts, layers and heads from the published configs
SIZES = {
    "llada-8b": Size(8e9, 8e9, name="LLaDA-8B", cached=2 * 32 * 4096 * 2),
    "llada-moe": Size(7e9, 1e9, experts=64, chosen=8, name="LLaDA-MoE 7B-A1B", cached=2 * 16 * 2048 * 2),
    "llada2-mini": Size(16e9, 1.4e9, experts=256, chosen=8, name="LLaDA2.0-mini 16B-A1.4B", cached=2 * 20 * 512 * 2),
    # 25.2 GB is what a pass reads in fp8
    "diffusion-gemma": Size(
        25.2e9, 4e9, 1, experts=128, chosen=8, name="DiffusionGemma 26B-A4B", cached=2 * 30 * 2048 * 2
    ),
}


def get_chip(name: str) -> Chip:
    if name not in CHIPS:
        raise InvalidRequest(f"There is no chip '{name[:40]}'; there are {', '.join(CHIPS)}.", "clock")
    return CHIPS[name]


def get_size(name: str) -> Size:
    """A model's size by its short name, or a dense bf16 model of so many billions, such as `8b`."""
    if name in SIZES:
        return SIZES[name]
    try:
        billions = float(name.lower().removesuffix("b"))
    except ValueError:
        billions = 0.0
    if not (name.lower().endswith("b") and 0 < billions < 1e5):
        raise InvalidRequest(f"There is no model '{name[:40]}'; there are {', '.join(SIZES)}, or a size as 8b.", "as")
    return Size(billions * 1e9, billions * 1e9, name=f"{billions:g} billion parameters")


def operations_per_second(size: Size, chip: Chip) -> float:
    """The chip's operations a second at the model's precision."""
    return chip.operations * (2 if size.bytes_each == 1 and chip.fp8 else 1)


def pass_seconds(
    size: Size, chip: Chip, tokens: float, *, efficiency: float, cache: float = 0, overhead: float = 0
) -> float:
    """Seconds for one forward over `tokens` tokens (all users together) that reads `cache` bytes of keys and values."""
    if not 0 < efficiency <= 1:
        raise InvalidRequest(f"The efficiency must be above 0 and at most 1, not {efficiency}.", "efficiency")
    if not 0 < tokens < math.inf:
        raise InvalidRequest(f"A pass needs at least one token, not {tokens}.")
    if not (0 <= cache < math.inf and 0 <= overhead < math.inf):
        raise InvalidRequest("The cache's bytes and the overhead cannot be below 0.", "overhead")
    arithmetic = 2 * size.active * tokens / (efficiency * operations_per_second(size, chip))
    reading = (size.weights_read(tokens) + cache) / (efficiency * chip.bandwidth)
    return max(arithmetic, reading) + overhead


def measured_chip(size: Size, passes: Iterable[tuple[float, float]]) -> Chip:
    """This machine as a chip, from measured passes as (tokens, seconds): the best rates that any of them reached.

    One pass of few tokens and one of many give both rates; from passes of one kind, the other rate is too low."""
    measured = [(n, seconds) for n, seconds in passes if n > 0 and seconds > 0]
    if not measured:
        raise InvalidRequest("This machine has no measured pass yet: run a model first.")
    bandwidth = max(size.weights_read(n) / seconds for n, seconds in measured)
    return Chip("this machine", bandwidth, max(2 * size.active * n / s for n, s in measured), source="measured")


def most_passes(
    size: Size, chip: Chip, *, canvas: float, tokens: float, tokens_per_second: float, efficiency: float
) -> float:
    """The claim as an inequality: to write `tokens` tokens at `tokens_per_second` with passes over `canvas` cells, a
    model may make at most so many passes, passes ≤ tokens / (tokens_per_second · pass_seconds)."""
    if not (tokens > 0 and 0 < tokens_per_second < math.inf):
        raise InvalidRequest("A claim needs tokens and tokens a second above 0.")
    return tokens / (tokens_per_second * pass_seconds(size, chip, canvas, efficiency=efficiency))
