"""The letters that a model's words are made of, and its words as rows of letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Bools

LONGEST = 48  # letters; longer words are runs of spaces or dashes, which nobody misses
MARK = re.compile(r"<\|.*\|>|\[[A-Z]+\d*\]|</?(s|pad|unk|bos|eos)>", re.I)  # words that stand for no text


class Alphabet:
    """The words of a vocabulary as letters; made once for a model."""

    def __init__(self, pieces: Sequence[str]) -> None:
        # a word that is only a part of a letter's bytes cannot be read alone, so no constraint allows it
        usable = ["" if "\ufffd" in p or len(p) > LONGEST or MARK.fullmatch(p) else p for p in pieces]
        self.words = len(pieces)
        self.lengths = np.array([len(p) for p in usable], np.int32)
        codes = np.frombuffer("".join(usable).encode("utf-32-le"), np.uint32)
        self.letters, index = np.unique(codes, return_inverse=True)
        # [words, longest] the place of each letter in `letters`; what stands behind a word's end is never read
        self.spelled = np.zeros((self.words, max(int(self.lengths.max(initial=0)), 1)), np.int32)
        row = np.repeat(np.arange(self.words), self.lengths)
        column = np.arange(len(codes)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        self.spelled[row, column] = index

    def __len__(self) -> int:
        return len(self.letters)

    def between(self, low: int, high: int) -> Bools:
        """The letters from one code point to another."""
        return (self.letters >= low) & (self.letters <= high)

    def category(self, name: str) -> Bools:
        """Digits, spaces or letters of words, as `re` understands them."""
        return self._categories[name]

    @cached_property
    def _categories(self) -> dict[str, NDArray[np.bool_]]:
        text = [chr(code) for code in self.letters]
        return {
            "digit": np.array([c.isdecimal() for c in text], bool),
            "space": np.array([c.isspace() for c in text], bool),
            "word": np.array([c.isalnum() or c == "_" for c in text], bool),
        }
