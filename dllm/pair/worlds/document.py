"""A text that is true in its world, and what is found out about a text that may not be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from zlib import crc32

from unmask.run.judge import Fact, Verdict


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
