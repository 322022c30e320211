"""A text that is true in its world, and what is found out about a text that may not be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from zlib import crc32


@dataclass(frozen=True)
class Fact:
    """What was looked at, whether it holds, and the reason if it does not."""

    what: str
    holds: bool
    why: str = ""


def fact(what: str, holds: bool, why: str) -> Fact:
    """The reason is kept only when it is needed."""
    return Fact(what, holds, "" if holds else why)


@dataclass(frozen=True)
class Document:
    """A text, where its question ends, what kind of text it is, and what happens in it."""

    text: str
    prompt: str
    shape: str
    plot: str = ""
    key: str = ""  # what must not return in training if it is examined; the prompt, unless the prompt says too little

    @property
    def held_out(self) -> bool:
        """Whether this question is kept for examination: one in sixteen, whatever the seed."""
        return crc32((self.key or self.prompt).encode()) % 16 == 0


@dataclass(frozen=True)
class Verdict:
    """What was found: the facts that can be held against each other, and every reason why the text is not good."""

    facts: tuple[Fact, ...]
    reasons: tuple[str, ...] = ()
    plot: str = ""  # which of the world's plots it tells
    known: bool = True  # the text is of a kind that can be judged

    @property
    def right(self) -> bool:
        """Every checkable fact holds, and there is one."""
        return bool(self.facts) and all(fact.holds for fact in self.facts)

    @property
    def strict(self) -> bool:
        """Right, whole and well formed: a text the world itself could have written."""
        return self.right and not self.reasons


def first_line(question: str, answer: str) -> tuple[str, str]:
    """A text cut behind its first line, which is what was asked wherever the prompt ended."""
    head, _, rest = f"{question}{answer}".partition("\n")
    return head, rest


@dataclass(frozen=True)
class World:
    """A kind of text: how it begins, how it is written, and how it is read back."""

    shape: str
    title: str  # the word before the first colon
    write: Callable[[Random, bool], Document]  # the flag asks for what no training document has
    read: Callable[[str, str], Verdict]  # the question and the answer, both without title and colon
