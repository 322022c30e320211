"""What this machine can do for a run: whether it has matrix units, and how long the run will take."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from pair.train.data import Rows
from pair.train.optimiser import Optimiser
from pair.train.train import TEACH, TrainConfig, chosen_at, loss_of
from unmask.models.transformer import Transformer


@dataclass(frozen=True)
class Machine:
    matrix_units: bool
    rate: float  # tokens a second, not compiled

    def says(self, recipe: TrainConfig) -> str:
        """In two sentences, what to expect of a run."""
        have = "has matrix units for bf16" if self.matrix_units else "has no matrix units: a factor of eight"
        units = f"This machine {have}."
        kind = f"the {recipe.kind}"
        if recipe.minutes and not recipe.steps:
            million = recipe.minutes * 60 * self.rate / 1e6
            return f"{units} In {recipe.minutes:.0f} minutes {kind} reads about {million:.1f} million tokens."
        tokens = (recipe.steps or 0) * recipe.batch / (2 if recipe.kind == "twin" else 1)
        return f"{units} {recipe.steps} steps of {kind} take about {tokens / self.rate / 60:.0f} minutes."


def matrix_units() -> bool:
    """Whether the processor multiplies bf16 matrices in hardware."""
    if torch.cuda.is_available():
        return True
    table = Path("/proc/cpuinfo")
    flags = table.read_text() if table.exists() else ""
    return "amx_bf16" in flags or "bf16mm" in flags


def looked_at(recipe: TrainConfig, data: dict[int, Rows]) -> Machine:
    """A few short steps of this recipe on weights that are thrown away."""
    network = Transformer(recipe.shape)
    optimiser = Optimiser(network.named_parameters(), 0.0, 0.0)
    network.bfloat16()
    least, tokens = np.inf, 0
    for step in range(3):
        began = time.perf_counter()
        length, chosen = chosen_at(0, replace(recipe, batch=max(recipe.batch // 4, 512)), data, recipe.kind == "twin")
        one = TEACH[recipe.kind](data[length], chosen, recipe.marks, np.random.default_rng(step), 0.0)
        loss_of(network, one, 0.0).backward()
        optimiser.step(0.0)
        tokens = chosen.size * length
        least = min(least, time.perf_counter() - began)
    return Machine(matrix_units(), tokens / least)
