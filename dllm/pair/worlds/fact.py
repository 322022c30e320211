"""A fact: something a text says that can be held against the rest of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """What was looked at, whether it holds, and the reason if it does not."""

    what: str
    holds: bool
    why: str = ""


def fact(what: str, holds: bool, why: str) -> Fact:
    """The reason is kept only when it is needed."""
    return Fact(what, holds, "" if holds else why)
