"""What a model believed of the last canvases: kept so that it need not be thought again, and lost without harm."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from unmask.canvas import Ints


class DistributionCache:
    """The last few distributions, by the canvas they were about and how they were shaped."""

    def __init__(self, room: int = 2) -> None:  # the last pass's, and that of a thought which an edit overtook
        self.room, self.kept = room, OrderedDict[bytes, tuple[Ints, Any]]()

    def get(self, key: bytes) -> tuple[Ints, Any] | None:
        return self.kept.get(key)

    def put(self, key: bytes, rows: Ints, probabilities: Any) -> None:
        self.kept[key] = (rows, probabilities)
        while len(self.kept) > self.room:
            self.kept.popitem(last=False)
