"""What a forward returned, reduced at once: five likeliest tokens, entropy, and what any other probability needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.canvas import Floats, Ints
from unmask.features.record.arrays import is_array, is_tensor, to_numpy
from unmask.run.frame import CANDIDATES


def logits_in(output: Any) -> Any:
    """The logits in what a model returned; None where there are none."""
    if is_array(output):
        return output if len(output.shape) in (2, 3) else None
    if isinstance(output, Mapping):
        return output.get("logits")
    if hasattr(output, "logits"):
        return output.logits
    if isinstance(output, list | tuple):
        return next((part for part in output if is_array(part) and len(part.shape) == 3), None)
    return None


@dataclass(eq=False)
class Logits:
    """Logits of some cells of each row of a batch, with their reductions on the device that they are on."""

    cells: Ints  # [T] the cell whose input each row of the logits belongs to
    values: Any  # [B, T, V] as the model returned them; a copy where a change in place could not be noticed
    version: int | None  # of the values, where the library counts changes in place
    log_total: Any  # [B, T] log of the sum of exponentials
    top_ids: Any  # [B, T, K]
    top_logs: Any  # [B, T, K] log probabilities
    entropy: Any  # [B, T] in nats; NaN where a logit is infinite

    @property
    def words(self) -> int:
        return int(self.values.shape[-1])

    def entropies(self, row: int) -> Floats:
        """The entropy of each cell; where tokens have probability 0, of the five likeliest and the rest as one."""
        nats: Floats = to_numpy(self.entropy[row]).astype(np.float64)
        if not np.isfinite(nats).all():
            logs = to_numpy(self.top_logs[row]).astype(np.float64)
            rest = np.maximum(1 - np.exp(logs).sum(-1), 0)
            parts = np.concatenate([np.exp(logs), rest[:, None]], 1)
            least = -(parts * np.log(np.maximum(parts, 1e-30))).sum(-1)
            nats = np.where(np.isfinite(nats), nats, least)
        return nats

    def probabilities(self, row: int, places: Ints, tokens: Ints) -> Floats:
        """Of these tokens at these places of `cells`; NaN where the loop has overwritten the logits."""
        found = np.full(len(places), np.nan)
        if not len(places):
            return found
        ids, logs = to_numpy(self.top_ids[row]), to_numpy(self.top_logs[row])
        same = ids[places] == tokens[:, None]
        found[same.any(1)] = logs[places][same]
        rest = np.flatnonzero(np.isnan(found))
        if rest.size and (self.version is None or self.values._version == self.version):
            at, what = places[rest].tolist(), tokens[rest].tolist()
            picked = to_numpy(self.values[row][at, what]).astype(np.float64)
            found[rest] = picked - to_numpy(self.log_total[row])[at]
        chances: Floats = np.exp(found)
        return chances


def reduce(logits: Any, cells: Ints) -> Logits:
    """The logits of these cells, reduced; the model's own tensor is only read."""
    if not is_tensor(logits):
        return _reduce_numpy(np.array(logits, np.float32), cells)
    values = logits.detach()
    version: int | None = None
    try:
        version = values._version
    except RuntimeError:  # a tensor of inference mode does not count its changes
        values = values.clone()
    wide = values.float()
    k = min(CANDIDATES, int(wide.shape[-1]))
    top, ids = wide.topk(k, dim=-1)
    shares = (wide - top[..., :1]).exp_()
    weight = shares.sum(-1)
    total = top[..., 0] + weight.log()
    mean = (shares[..., None, :] @ wide[..., :, None])[..., 0, 0] / weight  # of the logits, over the distribution
    return Logits(cells, values, version, total, ids, top - total[..., None], total - mean)


def _reduce_numpy(values: Any, cells: Ints) -> Logits:
    k = min(CANDIDATES, values.shape[-1])
    ids = np.argsort(-values, -1, kind="stable")[..., :k]
    highest = values.max(-1, keepdims=True)
    total = np.log(np.exp(values - highest).sum(-1)) + highest[..., 0]
    shares = np.exp(values - total[..., None])
    mean = (shares * np.maximum(values, -1e9)).sum(-1)
    logs = np.take_along_axis(values, ids, -1) - total[..., None]
    return Logits(cells, values, None, total, ids, logs, total - mean)
