"""Which cells of a row the denoiser must guess, and how much each guess counts."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dllm.train.data import Rows

LEAST = 0.03  # the smallest share of cells that is ever hidden
GENTLE = 0.1  # below this share the weight 1/t grows no more: rows with three open cells are mostly noise


@dataclass(frozen=True)
class Lesson:
    """One batch: what is shown, which rows of the flattened hidden vectors to judge, and against what."""

    ids: Tensor  # [B, L]
    where: Tensor  # [K] into B * L
    target: Tensor  # [K]
    weight: Tensor  # [K]
    scale: float  # what the weighted sum is divided by


def returning(truth: np.ndarray, rows: Rows, before: bool = False) -> np.ndarray:
    """Cells whose word stands in the same row elsewhere, or `before` them; words that stand everywhere left out."""
    said = rows.words.alike[truth]
    same = said[:, :, None] == said[:, None, :]
    found = np.tril(same, -1).any(-1) if before else same.sum(-1) > 1
    cells: np.ndarray = found & ~rows.common[truth]
    return cells


def masked(
    rows: Rows,
    chosen: np.ndarray,
    mask: int,
    rng: np.random.Generator,
    room: float | None = 0.5,
    recall: float = 0.0,
) -> Lesson:
    """Hide a share t of each row, spread evenly over the batch and weighted by 1/t (LLaDA, arXiv:2502.09992, eq. 3).

    `room` fixes K as a share of all cells, so that a compiled step sees one shape only. A share `recall` of the rows
    is judged by its words that return alone: without such rows names were guessed by fashion for tens of millions of
    tokens, since nothing rewards carrying a name's identity until something looks it up, and the other way round.
    """
    truth = rows.ids[chosen].astype(np.int64)
    count, length = truth.shape
    t = LEAST + (1 - LEAST) * (rng.permutation(count) + rng.random(count)) / count
    place = np.arange(length)
    cut = rng.random((2, count, 1)) * length
    low, high = cut.min(axis=0), cut.max(axis=0)
    kind = rng.random((count, 1))
    free = np.where(
        kind < 0.35,
        True,  # anything may be open
        np.where(
            kind < 0.7,
            ~rows.asked[chosen],  # the questions are given
            np.where(kind < 0.85, place >= cut[0] * 0.7, (place >= low) & (place < high)),  # a beginning, or both sides
        ),
    )
    share, judged = np.broadcast_to(t[:, None], truth.shape), np.broadcast_to(free, truth.shape)
    if recall:
        again = returning(truth, rows) & free
        seeks = ((rng.random(count) < recall) & again.any(1))[:, None]
        share = np.where(seeks, np.where(again, 0.2 + 0.6 * share, 0.4 * share), share)
        judged = np.where(seeks, again, judged)
    hidden = (rng.random((count, length)) < share) & free
    ids = np.where(hidden, mask, truth)
    where = np.flatnonzero(hidden & judged)
    weight = (1 / np.maximum(share, GENTLE)).reshape(-1)[where].astype(np.float32)
    target = truth.reshape(-1)[where]
    if room is not None:
        fixed = int(room * count * length)
        if len(where) > fixed:
            kept = np.sort(rng.choice(len(where), fixed, replace=False))
            where, weight, target = where[kept], weight[kept], target[kept]
        rest = fixed - len(where)
        where, target, weight = np.pad(where, (0, rest)), np.pad(target, (0, rest)), np.pad(weight, (0, rest))
    return Lesson(
        torch.from_numpy(ids),
        torch.from_numpy(where),
        torch.from_numpy(target),
        torch.from_numpy(weight),
        max(1.0, float(judged.sum())),
    )


def following(rows: Rows, chosen: np.ndarray, separator: int, recall: float = 0.0) -> Lesson:
    """What comes next, everywhere: the twin's lesson. It opens on a separator, as its reading does.

    Words that return count for more, by as much as `recall` says, as the denoiser sees them more often.
    """
    truth = torch.from_numpy(rows.ids[chosen].astype(np.int64))
    ids = torch.cat([torch.full_like(truth[:, :1], separator), truth[:, :-1]], dim=1)
    target = truth.reshape(-1)
    weight = torch.ones(len(target))
    if recall:
        weight += 10 * recall * torch.from_numpy(returning(rows.ids[chosen], rows, before=True).reshape(-1)).float()
    return Lesson(ids, torch.arange(len(target)), target, weight, float(weight.sum()))
