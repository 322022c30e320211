"""What the layers of a network held in one forward, at one row: for the lenses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.models.architecture import Architecture
from unmask.models.array_ops import softmax
from unmask.models.checkpoint_weights import Array
from unmask.models.interface import Table


@dataclass(frozen=True, eq=False)
class Tap:
    """The first text's last requested row, in each layer."""

    states: Table  # [layers + 1, W] each layer's input, and the last one's output


@dataclass(frozen=True, eq=False)
class AttentionTap(Tap):
    """The same with what attention is computed from: queries and keys, normalised and rotated by position."""

    shape: Architecture
    queries: Array  # [layers, heads * head_width]
    keys: Sequence[Array]  # of each layer, [kv_heads, columns, head_width]
    masks: Sequence[Array]  # [columns] added to the scores: in most layers, and in those with a window

    def attention(self, layer: int, head: int) -> Array:
        """The weights [columns] with which a head of a layer attends to each token, those of a cache first."""
        shape = self.shape
        query = self.queries[layer].reshape(shape.heads, shape.head_width)[head].astype(np.float64)
        keys = self.keys[layer][head // (shape.heads // shape.kv_heads)]
        mask = self.masks[bool(shape.windows and shape.windows[layer])]
        weights: Array = softmax((keys @ query * shape.head_width**-0.5 + mask)[None])[0]
        return weights
