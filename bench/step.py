"""What a pass costs beside the forward: the pure step of every policy, and everything that is not the network."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

from dllm.canvas import Card, blank
from dllm.decide import named, names
from dllm.models import Denoiser, Thought, everything
from dllm.models.fused import Fused
from dllm.models.toy import Numbers, Toy
from dllm.models.transformer import Shape, Transformer
from dllm.run.settings import Settings
from dllm.run.state import start
from dllm.run.step import step
from dllm.think import Recall, think

CELLS, WORDS = 128, 4096


class Random(Denoiser):
    """A network of the embedded pair's size with random weights."""

    def __init__(self, number: str) -> None:
        torch.manual_seed(0)
        self.network = Fused(Transformer(Shape(WORDS, 256, 6, 4, 256, False)), number)
        self.speller = Numbers(WORDS)
        self.card = Card("random", "bench", WORDS, 256, never=(1,))

    def logits(self, thoughts: list[Thought]) -> list[torch.Tensor]:
        ids = torch.from_numpy(np.stack([np.where(t.open, 1, t.tokens) for t in thoughts]))
        hidden, _ = self.network.read(ids)
        return [self.network.speak(h[torch.from_numpy(t.rows)]) for h, t in zip(hidden, thoughts, strict=True)]


def spent(work: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def median(work: Callable[[], object], rounds: int) -> float:
    return statistics.median(spent(work) for _ in range(rounds))


def over(work: Callable[[], object], bare: Callable[[], object], rounds: int = 15) -> float:
    """What the work takes beyond the bare, as a share of it: turn by turn, so that what else runs here meets both,
    and by each one's quicker quarter, since what else runs here can only add."""
    pairs = [(spent(work), spent(bare)) for _ in range(rounds)]
    quicker = [statistics.quantiles(times, n=4)[0] for times in zip(*pairs, strict=True)]
    return quicker[0] / quicker[1] - 1


def main() -> None:
    toy = Toy()
    print(f"step of {CELLS} cells, ms (<= 0.3)")
    for name in names():
        if named(name).needs.verify:
            continue  # needs a model that answers both ways
        state = start(blank([CELLS]), Settings(name, passes=32))
        for _ in range(3):
            state, _ = step(state, think(toy, [state], [True])[0])
        belief = think(toy, [state], [True])[0]
        print(f"  {name:16} {median(lambda s=state, b=belief: step(s, b), 60):.3f}")  # type: ignore[misc]
    print(f"all but the network, {CELLS} cells, {WORDS} words, 256 x 6, as a share of the bare forward (<= 10 %)")
    for title in ("fp32", "bf16"):
        model = Random(title)
        for watched in (False, True):
            states = [start(blank([CELLS]), Settings(passes=CELLS))]
            while not states[-1].done and len(states) < 100:
                states.append(step(states[-1], think(model, [states[-1]], [watched])[0])[0])
            shares, recall = [], Recall()
            for state in states[::6]:
                # the bare forward answers the rows that this pass asks about
                thought = everything(state.canvas)
                if watched:
                    thought = Thought(thought.tokens, thought.open, np.arange(CELLS), thought.positions)

                def bare(thought: Thought = thought) -> None:
                    with torch.inference_mode():
                        model.logits([thought])  # noqa: B023

                def whole(state: object = state) -> None:
                    (belief,) = think(model, [state], [watched], [recall])  # type: ignore[list-item] # noqa: B023
                    step(state, belief)  # type: ignore[arg-type]

                shares.append(over(whole, bare))
            who = "every cell watched" if watched else "only what is asked"
            print(f"  {title}, {who:18} {100 * statistics.median(shares):5.1f} %")


if __name__ == "__main__":
    main()
