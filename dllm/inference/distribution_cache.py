"""A cache of the distributions of the last canvases. Derived data: losing an entry costs one more forward."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from unmask.canvas import Ints


class DistributionCache:
    """The last few distributions, keyed by canvas and logit processors."""

    def __init__(self, capacity: int = 2) -> None:  # the last pass's, and that of a prefetch an edit made useless
        self.capacity, self.kept = capacity, OrderedDict[bytes, tuple[Ints, Any]]()

    def get(self, key: bytes) -> tuple[Ints, Any] | None:
        return self.kept.get(key)

    def put(self, key: bytes, rows: Ints, probabilities: Any) -> None:
        self.kept[key] = (rows, probabilities)
        while len(self.kept) > self.capacity:
            self.kept.popitem(last=False)
