"""Weights in safetensors files: read one matrix at a time, without torch."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unmask.errors import InvalidRequest
from unmask.models.architecture import Part, Shape

Array = NDArray[np.float32]
_STORED = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "F64": np.float64}  # numpy has no bfloat16


@dataclass(frozen=True)
class Tensor:
    """Where a file has a tensor."""

    file: Path
    dtype: str
    shape: Shape
    begin: int  # its first byte


class TensorFiles:
    """The tensors of some safetensors files."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.tensors: dict[str, Tensor] = {}
        for file in files:
            with file.open("rb") as raw:
                size = int.from_bytes(raw.read(8), "little")
                head = json.loads(raw.read(size))
            head.pop("__metadata__", None)
            for key, one in head.items():
                self.tensors[key] = Tensor(file, one["dtype"], tuple(one["shape"]), 8 + size + one["data_offsets"][0])
        if not self.tensors:
            raise FileNotFoundError("no weights are here")

    @property
    def shapes(self) -> dict[str, Shape]:
        return {key: one.shape for key, one in self.tensors.items()}

    def whole(self, key: str) -> Array:
        return self.read(Part(key, self.tensors[key].shape))

    def read(self, part: Part) -> Array:
        """A tensor, or some of its rows, as float32; raises InvalidRequest if a number of it is NaN or infinite."""
        tensor, count = self.tensors[part.key], math.prod(part.shape)
        if (dtype := _STORED.get(tensor.dtype)) is None:
            raise InvalidRequest(f"{part.key} is stored as {tensor.dtype}; there are {', '.join(_STORED)}")
        skipped = part.begin * math.prod(tensor.shape[1:]) * np.dtype(dtype).itemsize
        try:
            stored = np.fromfile(tensor.file, dtype, count, offset=tensor.begin + skipped)
        except OSError as error:
            raise InvalidRequest(f"{tensor.file.name} cannot be read: {error.strerror or error}") from error
        if len(stored) < count:
            raise InvalidRequest(f"{tensor.file.name} ends before {part.key} does")
        if tensor.dtype == "BF16":  # the upper half of a float32
            wide = stored.astype(np.uint32)
            wide <<= 16
            array = wide.view(np.float32)
        else:
            array = stored.astype(np.float32, copy=False)
        if count and not (np.isfinite(array.min()) and np.isfinite(array.max())):
            raise InvalidRequest(f"{part.key} in {tensor.file.name} holds numbers that are NaN or infinite")
        return array.reshape(part.shape)


class CheckpointWeights(Mapping[str, Array]):
    """A network's weights by role (see `Architecture.parts`); each is read from its file when it is asked for."""

    def __init__(self, read: Callable[[Part], Array], parts: Mapping[str, Part]) -> None:
        self.read, self.parts = read, parts

    def __getitem__(self, role: str) -> Array:
        return self.read(self.parts[role])

    def rows(self, role: str, begin: int, end: int) -> Array:
        """Some rows of a weight."""
        part = self.parts[role]
        count = min(end, part.shape[0]) - begin
        return self.read(replace(part, shape=(count, *part.shape[1:]), begin=part.begin + begin))

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __contains__(self, role: object) -> bool:  # the inherited one would read the weight
        return role in self.parts
