"""Who may do what with a session. Each right holds those before it: an owner may steer, and who may steer may watch."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from unmask.errors import InvalidRequest
from unmask.run.command import Command, Drop, Peek, Rename


class Permission(IntEnum):
    """What a key opens."""

    WATCH = 0  # see the run, its history and its file
    STEER = 1  # edit, play, rewind, branch
    OWN = 2  # end it, name and drop its branches, say who may steer

    @classmethod
    def parse(cls, name: object) -> Permission:
        found = [right for right in cls if str(right) == name]
        if not found:
            raise InvalidRequest(f"a right is one of {', '.join(map(str, cls))}")
        return found[0]

    def __str__(self) -> str:
        return self.name.lower()


def required_permission(command: Command) -> Permission:
    """The right that a command asks for."""
    match command:
        case Peek():
            return Permission.WATCH
        case Rename() | Drop():
            return Permission.OWN
        case _:
            return Permission.STEER


@dataclass(eq=False)
class Viewer:
    """One connection that follows a session."""

    right: Permission
    key: Permission  # what the key it came with opens
    changed: Callable[[], None]  # called when what it may do, or what it may pass on, is another


class Permissions:
    """The keys of a session, and what each of those who follow it may do."""

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        known = keys or {}  # a session that comes back has the keys it had
        self.keys = {right: known.get(str(right)) or secrets.token_urlsafe(18) for right in Permission}
        self.viewers: dict[str, Viewer] = {}

    def to_dict(self) -> dict[str, str]:
        """All keys, for the one who keeps the session."""
        return {str(right): key for right, key in self.keys.items()}

    def opened_by(self, key: str) -> Permission:
        """The right that this key gives, or a refusal; every key is compared, so that the time tells nothing."""
        given = key.encode("utf-8", "replace")
        found = [right for right, ours in self.keys.items() if secrets.compare_digest(given, ours.encode())]
        if not found:
            raise InvalidRequest("this session is somebody else's")
        return found[0]

    def join(self, right: Permission, changed: Callable[[], None]) -> str:
        """The name of one more who follows."""
        name = secrets.token_urlsafe(6)
        self.viewers[name] = Viewer(right, right, changed)
        return name

    def leave(self, name: str) -> None:
        self.viewers.pop(name, None)

    def keys_for(self, name: str) -> dict[str, str]:
        """The keys that a guest may pass on. One who was let steer learns none: that can be taken back."""
        guest = self.viewers[name]
        return {str(right): key for right, key in self.keys.items() if right <= min(guest.right, guest.key)}

    def give(self, name: str, right: Permission) -> None:
        """Let one who watches steer, or no longer. Who came with a key to steer leaves it useless behind."""
        guest = self.viewers.get(name)
        if guest is None:
            raise InvalidRequest("nobody of this name follows the run now")
        if Permission.OWN in (guest.key, right):
            raise InvalidRequest("only the owner's key makes an owner, and nobody takes that back")
        guest.right = right
        renewed = right < guest.key
        if renewed:
            guest.key = right
            self.keys[Permission.STEER] = secrets.token_urlsafe(18)
        for other in self.viewers.values() if renewed else (guest,):
            other.changed()

    def check(self, name: str, right: Permission) -> None:
        """Refused unless this guest may."""
        guest = self.viewers[name]
        if guest.right < right:
            why = {Permission.STEER: "its owner says who may steer it", Permission.OWN: "that is for its owner"}
            raise InvalidRequest(f"you may {guest.right} this run, no more: {why[right]}")
