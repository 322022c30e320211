"""Cost of a pass apart from the forward: the step of every policy, and everything outside the network."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np
import torch

from bench.loop import Random
from bench.row import Row, at_most
from bench.timer import median, over
from unmask.canvas import blank
from unmask.decide import get_policy, policy_names
from unmask.inference import DistributionCache, infer
from unmask.models import ModelInput, full_input
from unmask.models.toy import Toy
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step

CELLS, WORDS = 128, 4096


def rows(tiny: bool = False) -> Iterator[Row]:
    toy, slowest, which = Toy(), 0.0, ""
    for name in policy_names()[: 3 if tiny else None]:
        if get_policy(name).needs.verify:
            continue  # needs a model that can also decode left to right
        state = start(blank([CELLS]), Settings(name, passes=32))
        for _ in range(3):
            state, _ = step(state, infer(toy, [state], [True])[0])
        belief = infer(toy, [state], [True])[0]
        took = median(lambda s=state, b=belief: step(s, b), 3 if tiny else 60)  # type: ignore[misc]
        slowest, which = max((slowest, which), (took, name))
    yield at_most(f"A pure step at {CELLS} cells, slowest policy", slowest, 0.3, " ms", note=f" ({which})")
    for number in ("fp32",) if tiny else ("fp32", "bf16"):
        for watched in (False, True):
            share = 100 * overhead(Random(WORDS, 6, number), watched, 2 if tiny else 8)
            who = "every cell watched" if watched else "only what is needed"
            what = f"all but the network, a forward being 100 %: {number}, {who}"
            yield at_most(what, share, 10, " %", 1)


def overhead(model: Random, watched: bool, rounds: int) -> float:
    """Time of inference and step beyond the bare forward, as a share of it."""
    states = [start(blank([CELLS]), Settings(passes=CELLS))]
    while not states[-1].done and len(states) < 6 * rounds:
        states.append(step(states[-1], infer(model, [states[-1]], [watched])[0])[0])
    shares, distribution_cache = [], DistributionCache()
    for state in states[::6]:
        # the bare forward computes the rows of this pass
        model_input = full_input(state.canvas)
        if watched:
            model_input = ModelInput(model_input.tokens, model_input.open, np.arange(CELLS), model_input.positions)

        def bare(model_input: ModelInput = model_input) -> None:
            with torch.inference_mode():
                model.logits([model_input])

        def whole(state: State = state) -> None:
            (belief,) = infer(model, [state], [watched], [distribution_cache])
            step(state, belief)

        shares.append(over(whole, bare, rounds))
    return statistics.median(shares)
