"""How long one pass takes on another machine: a model of time, not a measurement.

A pass waits for the slower of two things: its arithmetic, or reading the weights and cached keys and values.
"""

from __future__ import annotations

from dataclasses import dataclass

from unmask.errors import InvalidRequest


@dataclass(frozen=True)
class Chip:
    """An accelerator: bytes it reads a second, and operations a second in bf16."""

    name: str
    bandwidth: float
    operations: float


@dataclass(frozen=True)
class Size:
    """A model's size. `experts` is 1 and `chosen` is 1 for a dense model."""

    parameters: float
    active: float
    bytes_each: float = 2
    experts: int = 1
    chosen: int = 1

    def weights_read(self, tokens: float) -> float:
        """Bytes of weights that a pass over `tokens` tokens is expected to read."""
        if self.experts == 1:
            return self.parameters * self.bytes_each
        share = self.chosen / self.experts
        # total = shared + experts, active = shared + share * experts
        expert = (self.parameters - self.active) / (1 - share)
        touched: float = 1 - (1 - share) ** tokens
        return (self.parameters - expert + expert * touched) * self.bytes_each


CHIPS = {
    "a100": Chip("A100 80 GB", 2.04e12, 312e12),
    "h100": Chip("H100 SXM", 3.35e12, 989e12),
    "h200": Chip("H200", 4.8e12, 989e12),
    "b200": Chip("B200", 8e12, 2250e12),
    "l4": Chip("L4", 0.30e12, 121e12),
    "rtx4090": Chip("RTX 4090", 1.01e12, 165e12),
    "m3max": Chip("M3 Max", 0.40e12, 28e12),
}


def pass_seconds(
    size: Size, chip: Chip, tokens: float, *, efficiency: float, cache: float = 0, overhead: float = 0
) -> float:
    """Seconds for one forward over `tokens` tokens (all users together) that reads `cache` bytes of keys and values."""
    if not 0 < efficiency <= 1:
        raise InvalidRequest(f"The efficiency must be above 0 and at most 1, not {efficiency}.")
    if not tokens > 0:
        raise InvalidRequest(f"A pass needs at least one token, not {tokens}.")
    if not (cache >= 0 and overhead >= 0):
        raise InvalidRequest("The cache's bytes and the overhead cannot be below 0.")
    # fp8 doubles the operations a second
    operations = chip.operations * (2 if size.bytes_each == 1 else 1)
    arithmetic = 2 * size.active * tokens / (efficiency * operations)
    reading = (size.weights_read(tokens) + cache) / (efficiency * chip.bandwidth)
    return max(arithmetic, reading) + overhead


def ridge_tokens(size: Size, chip: Chip) -> float:
    """Tokens in a pass of a dense model below which the pass waits for the weights alone."""
    operations = chip.operations * (2 if size.bytes_each == 1 else 1)
    return operations / chip.bandwidth * size.bytes_each / 2
