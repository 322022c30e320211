"""Writes an ONNX file: the few messages of its protobuf schema that a network needs, without the package `onnx`."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

IR_VERSION, OPSET = 10, 23
DTYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10}  # TensorProto.DataType
FLOAT, INT, STRING, INTS = 1, 2, 3, 7  # AttributeProto.AttributeType
EXTERNAL = 1  # TensorProto.DataLocation
INLINE, PAGE = 4096, 4096  # bytes up to which a constant stays in the graph; alignment of the others in their own file


class GraphWriter:
    """Collects nodes, constants, inputs and outputs of a graph; `file` encodes them."""

    def __init__(self, external: BinaryIO | None = None) -> None:
        """Large constants are written to `external`, a file beside the graph, which ONNX Runtime maps into memory; a
        graph alone may have 2 GB at most."""
        self.external = external
        self.nodes: list[bytes] = []
        self.ports: list[bytes] = []  # inputs and outputs, encoded
        self.domains: set[str] = set()
        self.constants: dict[bytes, tuple[str, bytes]] = {}  # by the hash of what is encoded; its name, and the rest

    def constant(self, value: Any, dtype: str = "float32") -> str:
        """The name of a constant; equal ones are stored once."""
        array = np.asarray(value, dtype)
        if self.external is not None and array.nbytes > INLINE:
            return self._external_constant(array, DTYPES[dtype], self.external)
        encoded = (
            b"".join(_field(1, size) for size in array.shape) + _field(2, DTYPES[dtype]) + _field(9, array.tobytes())
        )
        name, _ = self.constants.setdefault(sha256(encoded).digest(), (f"c{len(self.constants)}", encoded))
        return name

    def _external_constant(self, array: Any, dtype: int, file: BinaryIO) -> str:
        begin = -(-file.tell() // PAGE) * PAGE
        file.seek(begin)
        file.write(np.ascontiguousarray(array).data)
        where = {"location": Path(file.name).name, "offset": str(begin), "length": str(array.nbytes)}
        encoded = b"".join(_field(1, size) for size in array.shape) + _field(2, dtype)
        encoded += b"".join(_field(13, _field(1, key) + _field(2, value)) for key, value in where.items())
        name = f"c{len(self.constants)}"
        self.constants[name.encode()] = name, encoded + _field(14, EXTERNAL)
        return name

    def node(self, op: str, *inputs: str, outputs: Sequence[str] = (), domain: str = "", **attributes: Any) -> str:
        """Adds a node; returns the name of its first output. `domain` is that of an operator outside the standard."""
        outputs = outputs or (f"x{len(self.nodes)}",)
        names = b"".join(_field(1, name) for name in inputs) + b"".join(_field(2, name) for name in outputs)
        rest = b"".join(_field(5, _attribute(name, value)) for name, value in attributes.items())
        self.nodes.append(names + _field(4, op) + rest + (_field(7, domain) if domain else b""))
        if domain:
            self.domains.add(domain)
        return outputs[0]

    def input(self, name: str, dtype: str, *shape: str | int) -> str:
        """Declares an input; a size is a number, or a name if it varies."""
        return self._port(11, name, dtype, shape)

    def output(self, name: str, dtype: str, *shape: str | int) -> str:
        """Declares an output, which a node makes."""
        return self._port(12, name, dtype, shape)

    def _port(self, number: int, name: str, dtype: str, shape: Sequence[str | int]) -> str:
        dims = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
        tensor = _field(1, DTYPES[dtype]) + _field(2, dims)
        self.ports.append(_field(number, _field(1, name) + _field(2, _field(1, tensor))))
        return name

    def file(self) -> list[bytes]:
        """The whole model as an .onnx file, in pieces that are written one after the other."""
        pieces = [_field(1, node) for node in self.nodes] + [_field(2, "unmask"), *self.ports]
        for name, rest in self.constants.values():
            named = _field(8, name)
            pieces += [_length(5, len(named) + len(rest)), named, rest]
        before = _field(1, IR_VERSION) + _field(8, _field(1, "") + _field(2, OPSET))
        before += b"".join(_field(8, _field(1, domain) + _field(2, 1)) for domain in sorted(self.domains))
        return [before, _length(7, sum(map(len, pieces))), *pieces]


def _attribute(name: str, value: float | str | Sequence[int]) -> bytes:
    if isinstance(value, str):
        return _field(1, name) + _field(4, value) + _field(20, STRING)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, INT)
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, FLOAT)
    return _field(1, name) + b"".join(_field(8, one) for one in value) + _field(20, INTS)


def _field(number: int, value: int | float | str | bytes) -> bytes:
    """A protobuf field: an integer as a varint, a float in four bytes, text and bytes with their length before them."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + np.float32(value).tobytes()
    raw = value.encode() if isinstance(value, str) else value
    return _length(number, len(raw)) + raw


def _length(number: int, size: int) -> bytes:
    """The beginning of a field of so many bytes."""
    return _varint(number << 3 | 2) + _varint(size)


def _varint(value: int) -> bytes:
    value, found = value % 2**64, bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
