"""A table of logits is read: all that is wanted of a row is worked out where the table lies, and without waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from unmask.inference.host_transfer import HostTransfer
from unmask.inference.processors import Processor
from unmask.inference.sampling import prefer_argmax, sample, topk

if TYPE_CHECKING:
    from torch import Tensor


CACHED = 2**18  # numbers of a table that a core's own cache holds, beside as many probabilities


@dataclass(frozen=True, eq=False)
class LogitStats:
    """What is read off a row, and by what."""

    candidates: int
    sampling_processors: Sequence[
        Processor
    ]  # what a word is drawn from, where that is not the model's own distribution
    of_sampled: bool  # whether confidences are those of what is drawn from
    background: Tensor | None  # how likely each word is anywhere, where that is wanted
    draws: Tensor | None  # [rows] a draw for each, where words are drawn
    targets: Tensor | None  # [rows, one or two] words whose probabilities are wanted too

    def collect(self, transfer: HostTransfer, rows: slice, x: Tensor, plain: Tensor, cut: Tensor, keep: bool) -> None:
        """From logits as the model has them, their probabilities, and logits as words are drawn from them.

        One of the tables is spent on the mean, since a third would cost as much as all the rest: the probabilities,
        which the cache still holds, or the logits where the former are to be kept."""
        shaped = plain if cut is x else cut.softmax(-1)
        p, y = (shaped, cut) if self.of_sampled else (plain, x)
        values, best = topk(p, self.candidates)
        if _may_tie(values):
            best = prefer_argmax(values, best, y)
        first = best[:, :1]
        if self.draws is not None:
            first = sample(shaped, self.draws[rows])[:, None]
            transfer.put("token", first)
            transfer.put("sure", p.gather(1, first))
        if self.background is not None:
            transfer.put("common", self.background[first])
        if self.targets is not None:
            transfer.put("stands", plain.gather(1, self.targets[rows]))
        transfer.put("probs", values)
        transfer.put("ids", best)
        # the largest logit, since a maximum over the rows would cost as much as all the rest
        transfer.put("top", y.gather(1, best[:, :1]))
        transfer.put("mean", _mean(y.mul_(p) if keep else p.mul_(y)))


def _may_tie(values: Tensor) -> bool:
    """A host that computes may look first; one that would have to wait for its device may not."""
    if values.device.type != "cpu":
        return True
    two = values[:, :2].float().numpy()
    return bool(np.count_nonzero(two[:, 0] == two[:, 1]))


def _mean(weighed: Tensor) -> Tensor:
    """Sums of the rows; what the model itself forbids may come as minus infinity, and weighs nothing."""
    if weighed.device.type == "cpu":
        sums = weighed.sum(-1)
        if isfinite(np.add.reduce(sums.float().numpy())):
            return sums
    return weighed.nansum(-1)


def row_chunks(rows: int, words: int, whole: bool) -> list[slice]:
    """The rows in parts that each core's cache holds, so that a table comes from memory once and not five times.

    A row is alone only where one thread works: several would split its sum, which then ends in other bits."""
    import torch

    threads = torch.get_num_threads()
    each = threads * max(1, CACHED // words)
    parts = 1 if whole else min(-(-rows // each), rows // threads)
    if parts < 2:
        return [slice(0, rows)]
    ends = [rows * (i + 1) // parts for i in range(parts)]
    return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
