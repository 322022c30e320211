"""Who may do what with a session. Each right holds those before it: an owner may steer, and who may steer may watch."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from unmask.errors import Refused
from unmask.run.command import Command, Drop, Peek, Rename


class Right(IntEnum):
    """What a key opens."""

    WATCH = 0  # see the run, its history and its file
    STEER = 1  # edit, play, rewind, branch
    OWN = 2  # end it, name and drop its branches, say who may steer

    @classmethod
    def read(cls, name: object) -> Right:
        found = [right for right in cls if str(right) == name]
        if not found:
            raise Refused(f"a right is one of {', '.join(map(str, cls))}")
        return found[0]

    def __str__(self) -> str:
        return self.name.lower()


def needed(command: Command) -> Right:
    """The right that a command asks for."""
    match command:
        case Peek():
            return Right.WATCH
        case Rename() | Drop():
            return Right.OWN
        case _:
            return Right.STEER


@dataclass(eq=False)
class Guest:
    """One connection that follows a session."""

    right: Right
    key: Right  # what the key it came with opens
    changed: Callable[[], None]  # called when what it may do, or what it may pass on, is another


class Rights:
    """The keys of a session, and what each of those who follow it may do."""

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        known = keys or {}  # a session that comes back has the keys it had
        self.keys = {right: known.get(str(right)) or secrets.token_urlsafe(18) for right in Right}
        self.guests: dict[str, Guest] = {}

    def plain(self) -> dict[str, str]:
        """All keys, for the one who keeps the session."""
        return {str(right): key for right, key in self.keys.items()}

    def opened_by(self, key: str) -> Right:
        """The right that this key gives, or a refusal; every key is compared, so that the time tells nothing."""
        given = key.encode("utf-8", "replace")
        found = [right for right, ours in self.keys.items() if secrets.compare_digest(given, ours.encode())]
        if not found:
            raise Refused("this session is somebody else's")
        return found[0]

    def join(self, right: Right, changed: Callable[[], None]) -> str:
        """The name of one more who follows."""
        name = secrets.token_urlsafe(6)
        self.guests[name] = Guest(right, right, changed)
        return name

    def leave(self, name: str) -> None:
        self.guests.pop(name, None)

    def known_to(self, name: str) -> dict[str, str]:
        """The keys that a guest may pass on. One who was let steer learns none: that can be taken back."""
        guest = self.guests[name]
        return {str(right): key for right, key in self.keys.items() if right <= min(guest.right, guest.key)}

    def give(self, name: str, right: Right) -> None:
        """Let one who watches steer, or no longer. Who came with a key to steer leaves it useless behind."""
        guest = self.guests.get(name)
        if guest is None:
            raise Refused("nobody of this name follows the run now")
        if Right.OWN in (guest.key, right):
            raise Refused("only the owner's key makes an owner, and nobody takes that back")
        guest.right = right
        renewed = right < guest.key
        if renewed:
            guest.key = right
            self.keys[Right.STEER] = secrets.token_urlsafe(18)
        for other in self.guests.values() if renewed else (guest,):
            other.changed()

    def check(self, name: str, right: Right) -> None:
        """Refused unless this guest may."""
        guest = self.guests[name]
        if guest.right < right:
            why = {Right.STEER: "its owner says who may steer it", Right.OWN: "that is for its owner"}
            raise Refused(f"you may {guest.right} this run, no more: {why[right]}")
