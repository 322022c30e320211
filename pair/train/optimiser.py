"""Muon for the matrices and AdamW for the rest, with fp32 masters under bf16 weights."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


def orthogonal(matrices: Tensor) -> Tensor:
    """A stack of matrices with all singular values brought near one (Newton-Schulz, as in Muon)."""
    x = matrices.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        # coefficients chosen by Muon's author for steepness at zero, not for exact convergence
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * (square @ square)) @ x
    made: Tensor = x.mT if tall else x
    return made


class Optimiser:
    """Moves the masters and copies them back; `rate` is the share of the peak learning rates to use."""

    def __init__(self, named: Iterable[tuple[str, nn.Parameter]], matrix_rate: float, other_rate: float) -> None:
        self.weights = dict(named)
        self.masters = {name: weight.detach().float().clone() for name, weight in self.weights.items()}
        self.first = {name: torch.zeros_like(master) for name, master in self.masters.items()}
        self.second = {name: torch.zeros_like(m) for name, m in self.masters.items() if not self.is_matrix(name)}
        self.rates = matrix_rate, other_rate
        self.steps = 0
        self.stacks: dict[torch.Size, list[str]] = defaultdict(list)  # equal shapes are orthogonalised together
        for name in filter(self.is_matrix, self.weights):
            self.stacks[self.weights[name].shape].append(name)

    def is_matrix(self, name: str) -> bool:
        return self.weights[name].ndim == 2 and "embedding" not in name

    @torch.no_grad()
    def step(self, rate: float) -> None:
        self.steps += 1
        gradients = {name: weight.grad.float() for name, weight in self.weights.items() if weight.grad is not None}
        matrix_rate, other_rate = rate * self.rates[0], rate * self.rates[1]
        for shape, names in self.stacks.items():
            for name in names:
                self.first[name].lerp_(gradients[name], 0.05)
            pushed = torch.stack([gradients[name].lerp(self.first[name], 0.95) for name in names])
            scale = matrix_rate * max(1.0, shape[0] / shape[1]) ** 0.5
            for name, move in zip(names, orthogonal(pushed).float(), strict=True):
                self.masters[name].mul_(1 - 0.05 * matrix_rate).sub_(move, alpha=scale)
        for name, second in self.second.items():
            gradient = gradients[name]
            self.first[name].lerp_(gradient, 0.1)
            second.lerp_(gradient.square(), 0.05)
            mean = self.first[name] / (1 - 0.9**self.steps)
            spread = (second / (1 - 0.95**self.steps)).sqrt_().add_(1e-10)
            self.masters[name].addcdiv_(mean, spread, value=-other_rate)
        for name, weight in self.weights.items():
            weight.copy_(self.masters[name])
            weight.grad = None

    def state(self) -> dict[str, Any]:
        return {"masters": self.masters, "first": self.first, "second": self.second, "steps": self.steps}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        self.steps = state["steps"]
        for mine, theirs in ((self.masters, "masters"), (self.first, "first"), (self.second, "second")):
            for name, value in mine.items():
                value.copy_(state[theirs][name])
        for name, weight in self.weights.items():
            weight.copy_(self.masters[name])
