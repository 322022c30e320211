"""Text to cells: a text with blanks becomes tokens and open cells, a typed word becomes the tokens to pin."""

from __future__ import annotations

import re

from unmask.canvas.canvas import Canvas
from unmask.canvas.card import BaseTokenizer
from unmask.errors import InvalidRequest

# C0 except line ends and tabs, DEL, C1, and the Unicode marks that change the direction of text
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with a visible symbol for each control character, such as `␛` for ESC, so that a terminal is safe."""
    return _CONTROL.sub(_control_symbol, text)


def _control_symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


# one cell per underscore, at least three; or a count in brackets
BLANK = re.compile(r"_{3,}|\[MASK(?::(\d{1,5}))?\]")
OPENING = "\"'([{“‘-"  # no space is added between one of these and the next word
# Thai, Lao, Khmer, Chinese, Japanese: scripts without spaces between words
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]")


def is_unspaced(letter: str) -> bool:
    """Whether a letter belongs to a script that is written without spaces between words."""
    return bool(_UNSPACED.match(letter))


def parts_of(text: str, length: int, tokenizer: BaseTokenizer) -> list[list[int] | int]:
    """Given tokens and counts of open cells, in reading order; without blanks, `length` open cells follow the text.

    `Mia had ___ eggs` has three open cells, and `[MASK:6]` six."""
    blanks = list(BLANK.finditer(text))
    if not blanks:
        return [tokenizer.encode_prompt(text) if text else [], length]
    parts: list[list[int] | int] = []
    at = 0
    for match in blanks:
        # a token includes the space before its word, so the space before a blank belongs to the blank
        parts += [tokenizer.encode(text[at : match.start()].removesuffix(" ")), _cell_count(match)]
        at = match.end()
    return [*parts, tokenizer.encode(text[at:])]


def encode_at(canvas: Canvas, cell: int, text: str, tokenizer: BaseTokenizer) -> list[int]:
    """The tokens that put a text at a cell, with a space before its first word where the cell to the left needs one."""
    if not text:
        raise InvalidRequest("an empty word cannot be pinned: type one, or erase the cell")
    if not 0 <= cell < len(canvas):
        raise InvalidRequest(f"there is no cell {cell}: the canvas has {len(canvas)}, counted from 0")
    left = int(canvas.tokens[cell - 1]) if cell else -1
    before = tokenizer.piece(left) if left >= 0 else "x" if cell else "\n"
    no_space = text[0].isspace() or not text[0].isalnum() or before[-1:].isspace() or before[-1:] in OPENING
    no_space |= not tokenizer.spaced or is_unspaced(text[0]) or is_unspaced(before[-1:])
    tokens = tokenizer.encode(text if no_space else " " + text)
    if not tokens:
        raise InvalidRequest(f"'{text}' has no token in this model's vocabulary: type another word", "text")
    if cell + len(tokens) > len(canvas):
        room = len(canvas) - cell
        raise InvalidRequest(f"'{text}' needs {len(tokens)} cells from cell {cell} on, and there are only {room}")
    return tokens


def single_tokens(text: str, tokenizer: BaseTokenizer) -> list[int]:
    """The tokens that spell exactly this word, with and without a space before it."""
    if not text:
        raise InvalidRequest("an empty word has no token: type one")
    forms = {tuple(tokenizer.encode(form)) for form in (text, " " + text.lstrip())}
    tokens = sorted(form[0] for form in forms if len(form) == 1)
    if not tokens:
        raise InvalidRequest(f"'{text}' is {min(map(len, forms))} tokens for this model; choose one of them")
    return tokens


def _cell_count(match: re.Match[str]) -> int:
    if match[0].startswith("_"):
        return len(match[0])
    cells = int(match[1] or 1)
    if cells < 1:
        raise InvalidRequest("a blank needs at least one cell")
    return cells
