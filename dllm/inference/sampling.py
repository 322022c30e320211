"""Tokens from a table of probabilities: the top k, the argmax in ties, and a sample."""

from __future__ import annotations

import numpy as np

from unmask.models import Table
from unmask.models.array_ops import (
    astype,
    concat,
    gather,
    is_numpy,
    like,
    on_host,
    row_max,
    search_right,
    where,
)

CHUNK = 256  # tokens summed together in the first search of `sample`
FEW = 8  # numbers that are found one after another
SMALL = 2**13  # table size up to which a plain top-k is faster than chunks: one row of the bundled models


def topk(p: Table, k: int) -> tuple[Table, Table]:
    """The k largest values of each row and their indices, without sorting the vocabulary."""
    rows, words = p.shape
    if words <= 1024 or rows * words <= SMALL or not on_host(p):
        return _topk(p, min(k, words))
    # the k largest lie in the k groups whose maxima are largest; maxima are cheap, a top-k of everything is not
    width = 16 if is_numpy(p) else 64
    groups = words // width  # token t is in group t modulo this number, so that maxima are taken of whole vectors
    whole = groups * width
    table = (p if whole == words else p[:, :whole]).reshape(rows, width, groups)
    most = min(k, groups)
    best = topk(table.max(1), most)[1] if is_numpy(p) else _topk(table.amax(1), most)[1]
    candidates = (best[:, :, None] + like(p, np.arange(0, whole, groups))).reshape(rows, -1)
    if whole < words:
        rest = like(p, np.broadcast_to(np.arange(whole, words), (rows, words - whole)))
        candidates = concat([candidates, rest])
    values, at = _topk(gather(p, candidates), k)
    return values, gather(candidates, at)


def _topk(p: Table, k: int) -> tuple[Table, Table]:
    if not is_numpy(p):
        values, ids = p.topk(k, dim=-1)
        return values, ids
    if k <= FEW:
        return _first_few(p, k)
    ids = _largest(p, k)
    order = np.argsort(-np.take_along_axis(p, ids, -1), axis=-1, kind="stable")
    ids = np.take_along_axis(ids, order, -1)
    return np.take_along_axis(p, ids, -1), ids


def _first_few(p: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """As the rest of `_topk`, to the last bit, in half the time: the largest, again and again."""
    left, ids, every = p.copy(), np.empty((len(p), k), np.int64), np.arange(len(p))
    for i in range(k):
        ids[:, i] = at = left.argmax(-1)
        left[every, at] = -np.inf
    return np.take_along_axis(p, ids, -1), ids


def _largest(p: np.ndarray, k: int) -> np.ndarray:
    """The columns of the k largest values of each row, in ascending order; of equal values the first columns.

    numpy finds the k-th value quickly, but its place slowly where many values are equal, as those of a server are."""
    least = np.partition(p, -k, axis=-1)[:, -k, None]
    above, equal = p > least, p == least
    chosen = above | (equal & (equal.cumsum(-1) <= k - above.sum(-1, keepdims=True)))
    found: np.ndarray = np.nonzero(chosen)[1]
    if len(found) != k * len(p):  # a row that has NaN: it is refused where it is read
        return np.sort(np.argpartition(p, -k, axis=-1)[:, -k:], axis=-1)
    return found.reshape(len(p), k)


def prefer_argmax(values: Table, ids: Table, logits: Table) -> Table:
    """Where probabilities tie at the top, the proposal is the argmax of the logits, as in published decoders."""
    first = logits.argmax(axis=-1, keepdims=True)
    led = concat([first, where(ids[:, 1:] == first, ids[:, :1], ids[:, 1:])])
    return where(values[:, :1] == values[:, 1:2], led, ids)


def sample(p: Table, draws: Table) -> Table:
    """One token a row by inverse CDF, from one uniform draw a row: first a chunk of tokens, then one of them.

    A cumulative sum of the whole table in double precision would cost several times as much."""
    rows, words = p.shape
    whole = words // CHUNK * CHUNK
    sums = p[:, :whole].reshape(rows, whole // CHUNK, CHUNK).sum(-1)
    if whole < words:
        sums = concat([sums, p[:, whole:].sum(axis=-1, keepdims=True)])
    cdf = astype(sums, "float64").cumsum(axis=-1)
    wanted = draws[:, None] * cdf[:, -1:]
    which = search_right(cdf, wanted).clip(max=cdf.shape[1] - 1)
    # position within the chunk, 0 to 1
    into = (wanted - gather(cdf, which)) / astype(gather(sums, which), "float64") + 1
    place = like(p, np.arange(CHUNK))
    at = which * CHUNK + place
    chunk = where(at < words, astype(gather(p, at.clip(max=words - 1)), "float64"), 0.0)
    share = chunk.cumsum(axis=-1)
    found = search_right(share, into * share[:, -1:])
    # rounding must not choose a token of probability 0
    last = row_max(where(chunk != 0, place[None], 0))
    return gather(at, where(found < last, found, last))[:, 0]
