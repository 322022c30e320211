"""Ranks cells by a score; ties are broken by position."""

from __future__ import annotations

import numpy as np

from unmask.belief import ORDER
from unmask.canvas import Bools, Floats, Ints
from unmask.decide.interface import Choice, Reason, View


def order(eligible: Bools, score: Floats) -> Ints:
    """The eligible cells, the highest score first; ties by position."""
    cells = eligible.nonzero()[0]
    return cells[(-score[cells]).argsort(kind="stable")]


def ranked(eligible: Bools, score: Floats) -> Ints:
    """The rank of each eligible cell, 1 for the highest score; 0 elsewhere."""
    cells = order(eligible, score)
    rank = np.zeros(len(eligible), np.int64)
    rank[cells] = np.arange(1, len(cells) + 1)
    return rank


def best(view: View, score: Floats, quota: int | None = None) -> Bools:
    """The eligible cells of highest score, as many as the quota."""
    chosen = np.zeros(len(score), bool)
    chosen[order(view.eligible, score)[: view.quota if quota is None else quota]] = True
    return chosen


def by_rank(view: View, score: Floats, quota: int | None = None) -> Choice:
    """The choice that writes the best cells, with the rank of each as its reason."""
    quota = view.quota if quota is None else quota
    cells = order(view.eligible, score)
    write, rank = np.zeros(len(score), bool), np.zeros(len(score))
    write[cells[:quota]] = True
    rank[cells] = np.arange(1, len(cells) + 1)
    words = f"rank {{}} of {len(cells)}, quota {quota}"
    if view.block_passes > 1 and view.block_pass >= view.block_passes - 1:
        words = f"forced by the last pass: rank {{}} of {len(cells)}"
    return Choice(write=write, why=(Reason(write, words, rank),))


def gumbel_scores(view: View, score: Floats, heat: float) -> Floats:
    """Scores with Gumbel noise: their order is a sample without replacement from softmax(score / heat)."""
    if not heat:
        return score
    noise: Floats = -np.log(-np.log(np.clip(view.random_draws(ORDER), 1e-12, 1 - 1e-12)))
    return score + heat * noise
