"""What a session is asked, in order, until it is done between two passes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.run.command import EDITS, Command, Edit, Tune


@dataclass(frozen=True)
class Envelope:
    """A command, or several edits that are one request."""

    command: Command | tuple[Edit, ...]
    ref: int | None = None  # the request's own number, which comes back with the answer
    at: int | None = None  # the moment it was made at, where that is not the newest

    @property
    def name(self) -> str:
        one = self.command[0] if isinstance(self.command, tuple) else self.command
        return type(one).__name__.lower()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What it changes; nothing where it is no edit."""
        if isinstance(self.command, tuple):
            return self.command
        return (self.command,) if type(self.command) in EDITS.values() else ()  # type: ignore[return-value]


class Mailbox:
    """Letters in the order they came; a slider that was dragged counts once, at its last place."""

    def __init__(self) -> None:
        self._letters: deque[Envelope] = deque()
        self.news = asyncio.Event()

    def __len__(self) -> int:
        return len(self._letters)

    def put(self, letter: Envelope) -> None:
        if len(self._letters) >= config().commands:
            raise InvalidRequest("too many commands at once: wait for some to be done")
        self._letters.append(letter)
        self.news.set()

    def take(self) -> Envelope:
        letter = self._letters.popleft()
        while self._letters and (both := _merge(letter, self._letters[0])) is not None:
            letter = both
            self._letters.popleft()
        return letter

    @property
    def has_edits(self) -> bool:
        return any(letter.edits for letter in self._letters)

    async def wait(self, seconds: float | None = None) -> None:
        """Until a letter is there, so long at the most; or until somebody rings."""
        self.news.clear()  # or a letter that is long read would wake it again and again
        if not self._letters:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.news.wait(), seconds)

    def ring(self) -> None:
        """Wake the reader, without a letter."""
        self.news.set()


def _merge(first: Envelope, then: Envelope) -> Envelope | None:
    """Two changes of settings as one, where both were made at the same moment."""
    one, two = first.command, then.command
    if first.at != then.at or not isinstance(one, Tune) or not isinstance(two, Tune) or two.preset:
        return None  # another decoder leaves nothing of what came before
    return Envelope(Tune(_merge_changes(one.changes, two.changes), one.preset), then.ref, then.at)


def _merge_changes(first: Mapping[str, Any], then: Mapping[str, Any]) -> dict[str, Any]:
    both = {**first, **then}
    options = first.get("options"), then.get("options")
    if all(isinstance(x, Mapping) for x in options) and "policy" not in then:
        both["options"] = {**options[0], **options[1]}  # type: ignore[dict-item]
    return both
