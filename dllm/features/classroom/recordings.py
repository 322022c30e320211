"""Recordings that a class sees: trace files that its presenter has uploaded, kept compressed while they are shown."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from hashlib import sha256

from unmask.errors import InvalidRequest

LARGEST = 256 << 10  # bytes of a compressed recording
MOST = 2  # recordings of a class: one for each side


class Recordings:
    """The recordings of one class, by name."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self._files: dict[str, bytes] = {}  # compressed

    def add(self, file: bytes) -> str:
        """Keep a compressed file, and return its name. The oldest that is not shown makes room."""
        if len(file) > LARGEST:
            raise InvalidRequest(
                "this recording is too large for a class: run something instead, and the class sees that"
            )
        name = sha256(file).hexdigest()[:16]
        self._files[name] = file
        unused = [one for one in self._files if one not in self.shown and one != name]
        for one in unused[: max(0, len(self._files) - 2 * MOST)]:
            del self._files[one]
        return name

    def show(self, names: Sequence[str]) -> None:
        """Show these from now on, and forget the others."""
        if unknown := [name for name in names if name not in self._files]:
            raise InvalidRequest(f"the class has no recording '{unknown[0][:20]}': upload it first", "recordings")
        self.shown = list(names)
        self._files = {name: self._files[name] for name in names}

    def get(self, name: str) -> bytes | None:
        return self._files.get(name)


def compress(text: bytes) -> bytes:
    """A file as it is kept and sent."""
    return gzip.compress(text, mtime=0)
