"""A text with blanks, as tokens and counts of open cells; and words as the tokens that would stand there."""

from __future__ import annotations

import re

from unmask.canvas.canvas import Canvas
from unmask.canvas.card import BaseTokenizer
from unmask.errors import InvalidRequest

# C0 but line ends and tabs, DEL, C1, and the marks that turn the order of what follows
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The same text with a sign for each control character: `␛` for ESC, which begins a terminal's commands."""
    return _CONTROL.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


# an underscore a cell, three at the least; or a count in brackets
BLANK = re.compile(r"_{3,}|\[MASK(?::(\d{1,5}))?\]")
OPENING = "\"'([{“‘-"  # a word behind one of these carries no space of its own


def parts_of(text: str, length: int, tokenizer: BaseTokenizer) -> list[list[int] | int]:
    """Given tokens and counts of open cells, in reading order: `length` cells behind the text, or just its blanks.

    `Mia had ___ eggs` has three open cells, and `[MASK:6]` six."""
    blanks = list(BLANK.finditer(text))
    if not blanks:
        return [tokenizer.encode_prompt(text) if text else [], length]
    parts: list[list[int] | int] = []
    at = 0
    for found in blanks:
        # words carry the space before them, so the one before a blank belongs to what is written there
        parts += [tokenizer.encode(text[at : found.start()].removesuffix(" ")), _cells(found)]
        at = found.end()
    return [*parts, tokenizer.encode(text[at:])]


def encode_at(canvas: Canvas, cell: int, text: str, tokenizer: BaseTokenizer) -> list[int]:
    """A text as tokens from a cell on: its first word carries a space where one belongs."""
    if not text:
        raise InvalidRequest("an empty word cannot be meant: type one, or erase the cell")
    if not 0 <= cell < len(canvas):
        raise InvalidRequest(f"there is no cell {cell}: the canvas has {len(canvas)}, counted from 0")
    left = int(canvas.tokens[cell - 1]) if cell else -1
    before = tokenizer.piece(left) if left >= 0 else "x" if cell else "\n"
    glued = text[0].isspace() or not text[0].isalnum() or before[-1:].isspace() or before[-1:] in OPENING
    tokens = tokenizer.encode(text if glued else " " + text)
    if cell + len(tokens) > len(canvas):
        room = len(canvas) - cell
        raise InvalidRequest(f"'{text}' needs {len(tokens)} cells from cell {cell} on, and there are only {room}")
    return tokens


def single_tokens(text: str, tokenizer: BaseTokenizer) -> list[int]:
    """The tokens that are this word and nothing else, with and without the space before it."""
    if not text:
        raise InvalidRequest("an empty word cannot be meant: type one")
    forms = {tuple(tokenizer.encode(form)) for form in (text, " " + text.lstrip())}
    tokens = sorted(form[0] for form in forms if len(form) == 1)
    if not tokens:
        raise InvalidRequest(f"'{text}' is {min(map(len, forms))} tokens for this model; choose one of them")
    return tokens


def _cells(found: re.Match[str]) -> int:
    if found[0].startswith("_"):
        return len(found[0])
    cells = int(found[1] or 1)
    if cells < 1:
        raise InvalidRequest("a blank needs at least one cell")
    return cells
