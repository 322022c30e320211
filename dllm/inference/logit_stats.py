"""Statistics of a table of logits, computed on its device without synchronising."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from math import isfinite

import numpy as np

from unmask.inference.processors import Processor
from unmask.inference.sampling import prefer_argmax, sample, topk
from unmask.models import Table
from unmask.models.array_ops import astype, gather, is_numpy, on_host, softmax, to_numpy

CACHED = 3 * 2**18  # logits that fit in the cores' caches beside as many probabilities


@dataclass(frozen=True, eq=False)
class LogitStats:
    """What to compute for each row: the proposed token, its confidence, the top candidates and the entropy's terms."""

    candidates: int
    sampling_processors: Sequence[Processor]  # applied to the model's distribution before sampling
    of_sampled: bool  # whether confidences come from the distribution that is sampled
    background: Table | None  # [V] unconditional probability of each token, if the policy needs it
    draws: Table | None  # [rows] uniform draws, if tokens are sampled
    targets: Table | None  # [rows, 1 or 2] tokens whose probabilities are needed too

    def collect(self, rows: slice, x: Table, plain: Table, cut: Table, keep: bool = False) -> dict[str, Table]:
        """The statistics of these rows, by name.

        `x` are the model's logits, `plain` their softmax, `cut` the logits that tokens are sampled from.

        The mean is computed in place in one of the tables, since a third would cost as much as all the rest: in the
        probabilities, which are still in the CPU's cache, or in the logits if `keep` asks to keep the probabilities."""
        found = dict[str, Table]()
        shaped = plain if cut is x else softmax(cut)
        p, y = (shaped, cut) if self.of_sampled else (plain, x)
        values, best = topk(p, self.candidates)
        if _may_tie(values):
            best = prefer_argmax(values, best, y)
        first = best[:, :1]
        if self.draws is not None:
            first = sample(shaped, self.draws[rows])[:, None]
            found |= {"token": first, "sure": gather(p, first)}
        if self.background is not None:
            found["common"] = self.background[first]
        if self.targets is not None:
            found["stands"] = gather(plain, self.targets[rows])
        # the largest logit, since a maximum over the rows would cost as much as all the rest
        found |= {"probs": values, "ids": best, "top": gather(y, best[:, :1])}
        weighted, factor = (y, p) if keep else (p, y)
        weighted *= factor
        return found | {"mean": _row_sums(weighted)}


def _may_tie(values: Table) -> bool:
    """Whether a row's two largest values may be equal; always true on a GPU, where looking would synchronise."""
    if not on_host(values):
        return True
    two = to_numpy(astype(values[:, :2], "float32"))
    return bool(np.count_nonzero(two[:, 0] == two[:, 1]))


def _row_sums(weighted: Table) -> Table:
    """Sum of each row; tokens with a logit of minus infinity count as 0."""
    if on_host(weighted):
        sums = weighted.sum(-1)
        if isfinite(np.add.reduce(to_numpy(astype(sums, "float32")))):
            return sums
    return np.nansum(weighted, -1) if is_numpy(weighted) else weighted.nansum(-1)


def by_chunks(collect: Callable[[slice], dict[str, Table]], x: Table, threads: int) -> list[dict[str, Table]]:
    """What `collect` finds in each chunk of the rows, in order. torch has threads of its own; numpy gets them here."""
    rows, words = x.shape
    if not is_numpy(x):
        return [collect(part) for part in row_chunks(rows, words, threads)]
    parts = row_chunks(rows, words, 1)
    helpers = min(threads, len(parts)) - 1
    if helpers < 1:
        return [collect(part) for part in parts]
    found: list[dict[str, Table]] = [{}] * len(parts)
    todo = iter(enumerate(parts))  # shared: each thread takes the next

    def work() -> None:
        for at, part in todo:
            found[at] = collect(part)

    # numpy's settings for errors are in the context
    others = [_pool(helpers).submit(copy_context().run, work) for _ in range(helpers)]
    work()
    for other in others:
        other.result()
    return found


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "rows")


def row_chunks(rows: int, words: int, threads: int) -> list[slice]:
    """Splits the rows into chunks that fit the cores' caches, so that a table is read from memory once, not five times.

    A chunk has at least one row a thread: threads that split the sum of a single row would change its last bits."""
    each = threads * max(1, CACHED // words)
    parts = min(-(-rows // each), rows // threads)
    if parts < 2:
        return [slice(0, rows)]
    ends = [rows * (i + 1) // parts for i in range(parts)]
    return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
