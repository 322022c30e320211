"""Permissions of a session's viewers. Each includes those before it: an owner may steer, and a steerer may watch."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from unmask.errors import InvalidRequest
from unmask.run.command import Command, Drop, Peek, Rename


class Permission(IntEnum):
    """What a viewer may do with a session."""

    WATCH = 0  # see the run, its history and its file
    STEER = 1  # edit, play, rewind, branch
    OWN = 2  # end it, name and drop its branches, say who may steer

    @classmethod
    def parse(cls, name: object) -> Permission:
        found = [right for right in cls if str(right) == name]
        if not found:
            raise InvalidRequest(f"a right must be one of {', '.join(map(str, cls))}")
        return found[0]

    def __str__(self) -> str:
        return self.name.lower()


def required_permission(command: Command) -> Permission:
    match command:
        case Peek():
            return Permission.WATCH
        case Rename() | Drop():
            return Permission.OWN
        case _:
            return Permission.STEER


@dataclass(eq=False)
class Viewer:
    """A connection that follows a session."""

    right: Permission
    key: Permission  # the permission of the key it joined with
    changed: Callable[[], None]  # called when its permission, or the keys it may share, change


class Permissions:
    """The keys of a session, one for each permission, and its viewers."""

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        known = keys or {}  # a restored session keeps its keys
        self.keys = {right: known.get(str(right)) or secrets.token_urlsafe(18) for right in Permission}
        self.viewers: dict[str, Viewer] = {}

    def to_dict(self) -> dict[str, str]:
        """All keys by permission, for storing the session."""
        return {str(right): key for right, key in self.keys.items()}

    def opened_by(self, key: str) -> Permission:
        """The permission of a key. Every key is compared, so that the response time reveals nothing."""
        given = key.encode("utf-8", "replace")
        found = [right for right, ours in self.keys.items() if secrets.compare_digest(given, ours.encode())]
        if not found:
            raise InvalidRequest("this session is somebody else's")
        return found[0]

    def join(self, right: Permission, changed: Callable[[], None]) -> str:
        """Add a viewer; returns its name."""
        name = secrets.token_urlsafe(6)
        self.viewers[name] = Viewer(right, right, changed)
        return name

    def leave(self, name: str) -> None:
        self.viewers.pop(name, None)

    def keys_for(self, name: str) -> dict[str, str]:
        """The keys that a viewer may share. A viewer whom the owner let steer gets no steering key: the owner may take
        the permission back."""
        viewer = self.viewers[name]
        return {str(right): key for right, key in self.keys.items() if right <= min(viewer.right, viewer.key)}

    def give(self, name: str, right: Permission) -> None:
        """Let a viewer steer, or only watch. If it joined with the steering key, that key is replaced."""
        viewer = self.viewers.get(name)
        if viewer is None:
            raise InvalidRequest("no viewer of this name follows the run now")
        if Permission.OWN in (viewer.key, right):
            raise InvalidRequest("an owner's permission comes with the owner's key and cannot be given or taken back")
        viewer.right = right
        renewed = right < viewer.key
        if renewed:
            viewer.key = right
            self.keys[Permission.STEER] = secrets.token_urlsafe(18)
        for other in self.viewers.values() if renewed else (viewer,):
            other.changed()

    def check(self, name: str, right: Permission) -> None:
        """Refuse a viewer that lacks a permission."""
        viewer = self.viewers[name]
        if viewer.right < right:
            why = {Permission.STEER: "its owner says who may steer it", Permission.OWN: "that is for its owner"}
            raise InvalidRequest(f"you may {viewer.right} this run, no more: {why[right]}")
