"""A key that cannot be printed: code that sends it must call `reveal`."""

from __future__ import annotations


class Secret:
    """Text that shows in no log, repr, frame, trace or exception."""

    __slots__ = ("_hidden",)

    def __init__(self, text: str) -> None:
        self._hidden = text.strip()

    def __repr__(self) -> str:
        return "Secret(…)" if self._hidden else "Secret()"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._hidden)

    def __reduce__(self) -> str:
        raise TypeError("a secret cannot be pickled")

    def reveal(self) -> str:
        """The text itself; pass it on without keeping a copy."""
        return self._hidden
