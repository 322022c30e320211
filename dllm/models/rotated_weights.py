"""The same network with its vectors turned by a fixed orthogonal matrix, which spreads outliers over all of them.

Eight bits a number are coarse where one number of a vector is a hundred times the others. The matrix is folded into the
weights, after the gains of the norms, so that the network's function is the same (QuaRot, arXiv:2404.00456). The values
of each head are turned as well, and the inputs of `down` by a small matrix that the network itself applies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from unmask.models.architecture import Architecture
from unmask.models.checkpoint_weights import Array, CheckpointWeights

INNER = 128  # numbers of the feed-forward part that are turned together, since that costs time in each pass


def inner_size(ffn_width: int) -> int:
    """How many inputs of `down` are turned together: a power of two."""
    return min(INNER, _power_of_two(ffn_width))


@cache
def hadamard(size: int) -> Array:
    """An orthogonal matrix [size, size] of entries of equal size; symmetric, and a power of two."""
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix / np.float32(len(matrix) ** 0.5)


@cache
def orthogonal(size: int) -> Array:
    """An orthogonal matrix of any size, of entries of about equal size: Hadamard's times a cosine transform."""
    even = _power_of_two(size)
    odd = size // even
    rows, columns = np.mgrid[:odd, :odd]
    cosine = np.cos(np.pi * (columns + 0.5) * rows / odd) * (2 / odd) ** 0.5
    cosine[0] /= 2**0.5
    return np.kron(hadamard(even), cosine.astype(np.float32))


def turn(x: Array, signed: bool = True) -> Array:
    """Vectors along the last axis times the matrix of their width: random signs, then a mix in two steps.

    One step mixes numbers that are near each other, the next those that are far: less work than all at once."""
    width = x.shape[-1]
    near = next(n for n in range(int(width**0.5), 0, -1) if width % n == 0)
    far = width // near
    if near == 1:
        return np.asarray(x * signs(width) @ orthogonal(width), np.float32)
    parts = (x * signs(width)).reshape(-1, far, near) @ orthogonal(near)
    mixed = np.matmul(orthogonal(far).T, parts)
    return np.ascontiguousarray(mixed.reshape(x.shape), np.float32)


@cache
def signs(width: int) -> Array:
    drawn: Array = np.random.default_rng(0).choice(np.array([-1, 1], np.float32), width)
    return drawn


def can_turn(shape: Architecture) -> bool:
    """Whether turning changes nothing: norms must not subtract a mean, and come before what they feed."""
    plain = not shape.layer_norm and shape.norms_first and shape.gates == 2
    return plain and not {"positions", "token_types", "head_dense"} & set(shape.parts)


class RotatedWeights(Mapping[str, Array]):
    """A network's weights by role, turned when they are asked for; gains of norms are ones."""

    def __init__(self, weights: CheckpointWeights, shape: Architecture) -> None:
        self.weights, self.shape = weights, shape

    def __iter__(self) -> Iterator[str]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    def __contains__(self, role: object) -> bool:
        return role in self.weights

    def __getitem__(self, role: str) -> Array:
        return self._turned(role, self.weights[role])

    def rows(self, role: str, begin: int, end: int, head: bool = False) -> Array:
        """Some rows of a table; with `head` those of the output head, which may be the embedding."""
        return self._turned("head" if head else role, self.weights.rows(role, begin, end))

    def _turned(self, role: str, weight: Array) -> Array:
        bias = role.endswith(".bias")
        layer, _, name = role.removesuffix(".bias").rpartition(".")
        if name in ("attention_norm", "ffn_norm", "last_norm"):
            return np.ones_like(weight)
        if name == "v":
            weight = _turn_parts(weight.T, _power_of_two(self.shape.head_width)).T
        if name == "o" and not bias:
            weight = _turn_parts(weight, _power_of_two(self.shape.head_width))
        if name == "down" and not bias:
            weight = _turn_parts(weight, inner_size(self.shape.ffn_width))
        if name in ("o", "down"):  # they write to the vector that the layers pass on
            return turn(weight.T).T
        if name == "embedding":
            return turn(weight)
        if name in _READERS and not bias:
            return turn(weight * self.weights[f"{layer}.{_READERS[name]}".lstrip(".")])
        return weight


# roles that read the vector that the layers pass on, and the norm before them
_READERS = dict.fromkeys(("q", "k", "v"), "attention_norm") | dict.fromkeys(("gate", "up"), "ffn_norm")
_READERS["head"] = "last_norm"


def _turn_parts(x: Array, size: int) -> Array:
    """Each part of so many numbers times a Hadamard matrix."""
    return (x.reshape(*x.shape[:-1], -1, size) @ hadamard(size)).reshape(x.shape)


def _power_of_two(number: int) -> int:
    """The largest power of two that divides a number."""
    return number & -number
