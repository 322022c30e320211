"""Sweeps whose true rates are known: whether each run of each decoder on each prompt is right, drawn at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.canvas import Floats

Runs = np.ndarray  # [prompts, runs], 0 or 1


def difficulty(random: np.random.Generator, rate: float, correlation: float, size: int) -> Floats:
    """The rate of each prompt: a beta distribution, whose runs have this correlation."""
    if correlation == 0:
        return np.full(size, rate)
    if correlation == 1:
        return (random.random(size) < rate).astype(float)
    whole = 1 / correlation - 1
    return random.beta(rate * whole, (1 - rate) * whole, size)


def sweep(
    random: np.random.Generator,
    rates: Sequence[float],
    correlation: float,
    prompts: int,
    runs: int,
    shared: float = 0.0,
    model: str = "beta",
) -> list[Runs]:
    """One sweep: for each decoder's true rate, its right texts.

    `shared` is the share of prompts that are equally difficult for all decoders, in the model `beta`. The model
    `mixture` is harsher: a prompt has with the probability `correlation` only one text, else independent ones."""
    common = random.random(prompts) < shared
    place = random.permutation(prompts)  # a shared prompt is as difficult for each decoder, compared with other prompts
    found = []
    for rate in rates:
        if model == "mixture":
            alike = random.random(prompts) < correlation
            texts = random.random((prompts, runs)) < rate
            found.append(np.where(alike[:, None], texts[:, :1], texts))
            continue
        own = difficulty(random, rate, correlation, prompts)
        own = np.where(common, np.sort(own)[place], random.permutation(own))
        found.append(random.random((prompts, runs)) < own[:, None])
    return [texts.astype(float) for texts in found]
