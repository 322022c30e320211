"""A text with blanks becomes a canvas."""

from __future__ import annotations

import re

from dllm.canvas.canvas import Canvas, blank
from dllm.canvas.card import Card, Speller
from dllm.canvas.refused import Refused

# an underscore a cell, three at the least; or a count in brackets
BLANK = re.compile(r"_{3,}|\[MASK(?::(\d{1,5}))?\]")


def opened(text: str, length: int, speller: Speller, card: Card) -> Canvas:
    """The canvas of a prompt: `length` open cells behind it, or, where it holds blanks, just those.

    `Mia had ___ eggs` has three open cells, and `[MASK:6]` six."""
    parts: list[list[int] | int] = []
    pieces = list(BLANK.finditer(text))
    if not pieces:
        if length < 1:
            raise Refused(f"the length must be at least 1, not {length}")
        ask = getattr(speller, "ask", speller.encode)  # a turn of a conversation, where the model was taught one
        parts = [ask(text), length] if text else [length]
    else:
        at = 0
        for found in pieces:
            # words carry the space before them, so the one before a blank belongs to what is written there
            parts += [speller.encode(text[at : found.start()].removesuffix(" ")), _cells(found)]
            at = found.end()
        parts.append(speller.encode(text[at:]))
    total = sum(p if isinstance(p, int) else len(p) for p in parts)
    if total > card.longest:
        raise Refused(f"prompt and answer have {total} cells; this model sees at most {card.longest}")
    return blank([p for p in parts if p != []])


def between(prefix: str, suffix: str, length: int, speller: Speller, card: Card) -> Canvas:
    """Open cells between two given texts."""
    if length < 1:
        raise Refused(f"the length must be at least 1, not {length}")
    parts = [speller.encode(prefix), length, speller.encode(suffix)]
    if (total := len(parts[0]) + length + len(parts[2])) > card.longest:  # type: ignore[arg-type]
        raise Refused(f"prefix, answer and suffix have {total} cells; this model sees at most {card.longest}")
    return blank([p for p in parts if p != []])  # type: ignore[misc]


def _cells(found: re.Match[str]) -> int:
    if found[0].startswith("_"):
        return len(found[0])
    cells = int(found[1] or 1)
    if cells < 1:
        raise Refused("a blank needs at least one cell")
    return cells
