"""The game "beat the schedule": a person chooses which cells to write next, on a world with exact probabilities.

A token is sampled for each chosen cell from its exact distribution, as a decoder would. The only possible error is that
tokens sampled in parallel do not fit together; the probability that they do is computed, so the score is not random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from unmask.belief import PROPOSE, random_draws
from unmask.canvas import Bools, Canvas, Floats, blank
from unmask.decide.pause import may_pause
from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.inference.outcomes import ceiling
from unmask.models import load
from unmask.models.oracle import Oracle
from unmask.run.presets import Decoder
from unmask.run.spec import RunSpec

MAX_BEST_CELLS = 4  # most cells for which the best of all schedules is computed
SEEDS = 60  # runs that a decoder's score is measured by
SHOWN = 4  # words shown under a cell


@dataclass(frozen=True, eq=False)
class Game:
    """The state of a game: the cells chosen at each pass, and the canvas they led to."""

    oracle: Oracle
    seed: int
    turns: tuple[tuple[int, ...], ...]
    canvas: Canvas
    chances: tuple[float, ...]  # of each pass: the probability that its tokens would fit together

    @property
    def over(self) -> bool:
        """Whether every cell is written."""
        return not self.canvas.open.any()

    @property
    def right(self) -> bool:
        """Whether the finished canvas is a text of the world."""
        return self.over and bool((self.oracle.texts == self.canvas.tokens).all(1).any())

    @property
    def possible(self) -> bool:
        """Whether some text of the world agrees with the written cells."""
        closed = ~self.canvas.open
        return bool((self.oracle.texts[:, closed] == self.canvas.tokens[closed]).all(1).any())

    @property
    def score(self) -> float:
        """The probability that the tokens of these passes fit together: it depends on the choices, not on the draws."""
        return order_probability(self.oracle, self.turns)

    def to_dict(self) -> dict[str, Any]:
        """The game as JSON values."""
        beliefs = self.oracle.belief(self.canvas.tokens, ~self.canvas.open)
        words = self.oracle.tokenizer.words
        cells = []
        for at, row in enumerate(beliefs):
            top = np.argsort(-row, kind="stable")[:SHOWN]
            shut = not self.canvas.open[at]
            cells.append(
                {
                    "word": words[int(self.canvas.tokens[at])] if shut else None,
                    "top": [] if shut else [[words[int(w)], round(float(row[w]), 4)] for w in top if row[w] > 0],
                }
            )
        return {
            "cells": cells,
            "passes": len(self.turns),
            "chances": [round(c, 4) for c in self.chances],
            "score": round(self.score, 4),
            "over": self.over,
            "right": self.right,
            "possible": self.possible,
            "best": best(self.oracle) if self.over else None,
            "decoders": rivals(self.oracle.card.name, len(self.turns)) if self.over else [],
        }


def play_game(oracle: Oracle, seed: int, turns: Sequence[Sequence[int]]) -> Game:
    """The game after these choices. The same choices with the same seed sample the same tokens."""
    cells = oracle.texts.shape[1]
    canvas, chances, passes = blank([cells]), [], []
    for turn, chosen in enumerate(turns):
        may_pause()
        wanted = sorted({*chosen})
        if not wanted:
            raise InvalidRequest("choose at least one cell")
        if not all(0 <= c < cells and canvas.open[c] for c in wanted):
            raise InvalidRequest(f"a choice names open cells, from 1 to {cells}")
        table = oracle.belief(canvas.tokens, ~canvas.open)
        passes.append(tuple(wanted))
        chances.append(joint_probability(oracle, canvas, wanted, table))
        draws = random_draws(seed, turn, canvas.ids, PROPOSE)
        tokens = canvas.tokens.copy()
        for cell in wanted:
            tokens[cell] = int(np.searchsorted(np.cumsum(table[cell]), draws[cell] * table[cell].sum(), side="right"))
        canvas = canvas.write(canvas.mask(wanted), tokens)
    return Game(oracle, seed, tuple(passes), canvas, tuple(chances))


def joint_probability(oracle: Oracle, canvas: Canvas, cells: Sequence[int], table: Floats) -> float:
    """The probability that tokens sampled independently for these cells are possible together."""
    closed: Bools = ~canvas.open
    agree = oracle.texts[(oracle.texts[:, closed] == canvas.tokens[closed]).all(1)]
    if not len(agree):
        return 0.0
    together = np.unique(agree[:, list(cells)], axis=0)
    return float(np.prod([table[cell, together[:, at]] for at, cell in enumerate(cells)], axis=0).sum())


def order_probability(oracle: Oracle, turns: Sequence[Sequence[int]]) -> float:
    """The probability that sampling these cells in this order agrees with some text of the world."""
    texts, words = oracle.texts, oracle.card.words
    group = np.zeros(len(texts), np.int64)  # texts with the same number agree in all cells written so far
    chances = np.ones(len(texts))  # probability of each text's tokens, so far
    for turn in turns:
        size = np.bincount(group)[group]
        next_group = group
        for cell in turn:
            with_word = group * words + texts[:, cell]
            chances *= np.bincount(with_word)[with_word] / size
            next_group = np.unique(next_group * words + texts[:, cell], return_inverse=True)[1]
        group = next_group
    return float((chances / np.bincount(group)[group]).sum())  # texts that agree to the end count once


def best(oracle: Oracle) -> list[float] | None:
    """The probability that the best schedule of 1, 2, … passes ends right; None on a large canvas."""
    return _best(oracle.card.name) if oracle.texts.shape[1] <= MAX_BEST_CELLS else None


@lru_cache(maxsize=64)
def rivals(name: str, passes: int) -> list[tuple[str, float, float]]:
    """The results of preset decoders on this world: name, mean passes, and the share of seeds that end right."""
    oracle = load(name)
    assert isinstance(oracle, Oracle)
    cells = oracle.texts.shape[1]
    found = []
    for preset, changes in (("llada", {"passes": min(passes, cells), "block": 0}), ("fast-dllm", {}), ("dus", {})):
        spec = RunSpec("", name, cells, preset, {"temperature": 1.0} | changes)
        decoder = Decoder(preset, changes)
        spent, right = 0, 0
        for seed in range(SEEDS):
            may_pause()
            run = list(decode(oracle, replace(spec, seed=seed).start(oracle.card, oracle.tokenizer)))
            spent += len(run)
            right += bool((oracle.texts == run[-1][0].canvas.tokens).all(1).any())
        found.append((decoder.label, spent / SEEDS, right / SEEDS))
    return found


@lru_cache(maxsize=8)
def _best(name: str) -> list[float]:
    oracle = load(name)
    assert isinstance(oracle, Oracle)
    cells = oracle.texts.shape[1]
    right = set(map(tuple, oracle.texts.tolist()))
    return [round(ceiling(oracle, blank([cells]), passes, right), 6) for passes in range(1, cells + 1)]
