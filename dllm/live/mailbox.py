"""A session's queue of commands, which are handled between two passes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.run.command import Command, Edit, Fork, Revert, Switch, Tune, Undo, is_edit


@dataclass(frozen=True)
class Envelope:
    """A command, or several edits that are one request, with its number and moment."""

    command: Command | tuple[Edit, ...]
    ref: int | None = None  # the number the client gave the request, returned with the answer
    at: int | None = None  # the moment it was made at, where that is not the newest
    keep: bool = False  # what a person changed after that moment is changed there, too

    @property
    def name(self) -> str:
        one = self.command[0] if isinstance(self.command, tuple) else self.command
        return type(one).__name__.lower()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Its edits; empty for a command that edits nothing."""
        if isinstance(self.command, tuple):
            return self.command
        return (self.command,) if is_edit(self.command) else ()

    @property
    def changes_run(self) -> bool:
        """Whether a person changes the run with it, which can be undone."""
        return bool(self.edits) or isinstance(self.command, Fork | Revert | Switch) or self.command == Undo()


class Mailbox:
    """Envelopes in the order they came. Successive settings, as of a slider that is dragged, are merged into one."""

    def __init__(self) -> None:
        self._queue: deque[Envelope] = deque()
        self.news = asyncio.Event()

    def __len__(self) -> int:
        return len(self._queue)

    def put(self, envelope: Envelope) -> None:
        if len(self._queue) >= config().commands:
            raise InvalidRequest("too many commands are waiting: try again in a moment")
        self._queue.append(envelope)
        self.news.set()

    def take(self) -> Envelope:
        envelope = self._queue.popleft()
        while self._queue and (merged := _merge(envelope, self._queue[0])) is not None:
            envelope = merged
            self._queue.popleft()
        return envelope

    @property
    def has_edits(self) -> bool:
        return any(envelope.edits for envelope in self._queue)

    async def wait(self, seconds: float | None = None) -> None:
        """Wait for an envelope or a `ring`, at most so many seconds."""
        self.news.clear()  # an envelope that was taken must not wake it again
        if not self._queue:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.news.wait(), seconds)

    def ring(self) -> None:
        """Wake the reader without an envelope."""
        self.news.set()


def _merge(first: Envelope, then: Envelope) -> Envelope | None:
    """Two changes of settings merged into one, if both were made at the same moment."""
    one, two = first.command, then.command
    if (
        (first.at, first.keep) != (then.at, then.keep)
        or not isinstance(one, Tune)
        or not isinstance(two, Tune)
        or two.preset
    ):
        return None  # a preset replaces all settings, so the first must not be merged into it
    return Envelope(Tune(_merge_changes(one.changes, two.changes), one.preset), then.ref, then.at, then.keep)


def _merge_changes(first: Mapping[str, Any], then: Mapping[str, Any]) -> dict[str, Any]:
    both = {**first, **then}
    options = first.get("options"), then.get("options")
    if all(isinstance(x, Mapping) for x in options) and "policy" not in then:
        both["options"] = {**options[0], **options[1]}  # type: ignore[dict-item]
    return both
