"""Overhead of a constraint on a pass, as a share of it: 128 cells, a small and a large vocabulary."""

from __future__ import annotations

import random
import statistics
import string
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from bench.step import CELLS
from bench.timer import over
from unmask.canvas import BaseTokenizer, Card, blank
from unmask.inference import DistributionCache, infer
from unmask.models import Denoiser, ModelInput
from unmask.models.transformer import Transformer, TransformerConfig
from unmask.run.constraint_check import compile_constraint
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 30},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"enum": ["red", "blue", "green"]}, "maxItems": 4},
        "when": {"type": "string", "format": "date"},
    },
    "required": ["name", "age"],
}
CONSTRAINTS = {
    "a regular expression": {"kind": "regex", "pattern": r"(\w+ ){5,20}\w+\."},
    "a JSON schema": {"kind": "schema", "schema": PERSON},
    "must contain": {"kind": "contains", "text": "hello world"},
}


class Words(BaseTokenizer):
    """A tokenizer with made-up words: every ASCII character, and random words."""

    def __init__(self, count: int) -> None:
        rng = random.Random(0)
        words = dict.fromkeys(string.printable[:95] + "\n")
        while len(words) < count - 2:
            letters = (rng.choice(string.ascii_lowercase * 3 + '0123456789":{},[]') for _ in range(rng.randint(1, 9)))
            words.setdefault(rng.choice(("", " ")) + "".join(letters))
        self.pieces = ["", "", *words]

    def piece(self, token: int) -> str:
        return self.pieces[token]

    def encode(self, text: str) -> list[int]:
        return [self.pieces.index(letter) for letter in text]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(map(self.piece, tokens))


class Forged(Denoiser):
    """A network of random weights with the tokenizer `Words`."""

    def __init__(self, words: int) -> None:
        torch.manual_seed(0)
        made = Transformer(TransformerConfig(words, 256, 6, 4, 256, False))
        self.network = made.graph()
        self.tokenizer, self.numpy_logits = Words(words), True
        self.card = Card("forged", "bench", words, 256, never=(1,), ends=(0,))

    def logits(self, model_inputs: list[ModelInput]) -> list[np.ndarray]:
        ids = torch.from_numpy(np.stack([np.where(t.open, 1, t.tokens) for t in model_inputs]))
        logits = self.network.logits(ids, torch.arange(ids.shape[1]))
        return [table[t.rows] for table, t in zip(logits, model_inputs, strict=True)]


def main() -> None:
    for words, most in ((4096, 15), (151_936, 25)):
        model = Forged(words)
        for name, row in CONSTRAINTS.items():
            began = time.process_time()
            compile_constraint(model.card, model.tokenizer, Settings(constraint=row))
            made = time.process_time() - began
            states = [start(blank([CELLS]), Settings("random", passes=16, temperature=1.0, constraint=row))]
            while not states[-1].done:
                states.append(step(states[-1], *infer(model, [states[-1]], [True]))[0])
            shares = []
            for state in states[:-1:5]:
                free = replace(state, settings=state.settings.with_changes({"constraint": {}}))

                def work(state: State, distribution_cache: DistributionCache) -> None:
                    step(state, *infer(model, [state], [True], [distribution_cache]))  # noqa: B023

                shares.append(
                    over(lambda s=state: work(s, DistributionCache()), lambda s=free: work(s, DistributionCache()), 5)  # type: ignore[misc]
                )
            cost = 100 * statistics.median(shares)
            print(f"{words} words, {name:22} ready in {made:.2f} s, adds {cost:5.1f} % to a pass (<= {most} %)")


if __name__ == "__main__":
    main()
