"""The characters that a model's tokens consist of, and each token as a row of characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import Bools

LONGEST = 48  # characters; longer tokens are runs of spaces or dashes, which no constraint needs
MARK = re.compile(r"<\|.*\|>|\[[A-Z]+\d*\]|</?(s|pad|unk|bos|eos)>", re.I)  # special tokens


class Alphabet:
    """The tokens of a vocabulary as characters; one per tokenizer."""

    def __init__(self, pieces: Sequence[str]) -> None:
        # a token with only some bytes of a character is one letter, U+FFFD
        usable = ["" if len(p) > LONGEST or MARK.fullmatch(p) else p for p in pieces]
        self.words = len(pieces)
        self.lengths = np.array([len(p) for p in usable], np.int32)
        codes = np.frombuffer("".join(usable).encode("utf-32-le"), np.uint32)
        self.letters, index = np.unique(codes, return_inverse=True)
        # [words, longest] each token's characters as indices into `letters`; the padding after a token is never read
        self.spelled = np.zeros((self.words, max(int(self.lengths.max(initial=0)), 1)), np.int32)
        row = np.repeat(np.arange(self.words), self.lengths)
        column = np.arange(len(codes)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        self.spelled[row, column] = index

    def __len__(self) -> int:
        return len(self.letters)

    @cached_property
    def healed(self) -> NDArray[np.int64]:
        """[words] for each token, the longest token that it begins with and that ends before a word or a sign begins:
        for `",` it is `"`. A model that would go on with the first means the second, where only that is allowed."""
        spelled = [tuple(row[:n]) for row, n in zip(self.spelled.tolist(), self.lengths.tolist(), strict=True)]
        number = {text: token for token, text in reversed([*enumerate(spelled)]) if text}
        word, space = self.category("word"), self.category("space")
        found = np.full(self.words, -1, np.int64)
        for token, text in enumerate(spelled):
            for n in range(len(text) - 1, 0, -1):
                if not (word[text[n - 1]] and word[text[n]]) and not space[text[n - 1]] and text[:n] in number:
                    found[token] = number[text[:n]]
                    break
        return found

    @cached_property
    def blanks(self) -> NDArray[np.int64]:
        """The tokens that are nothing but spaces or line ends."""
        space = self.category("space")
        rows = zip(self.spelled, self.lengths.tolist(), strict=True)
        return np.flatnonzero([n > 0 and bool(space[row[:n]].all()) for row, n in rows])

    @cached_property
    def shapes(self) -> NDArray[np.int64]:
        """[words] how each token begins: 0 with a sign, else with a letter: from 1 on for small, capital, and both
        again after a space."""
        found = np.zeros(self.words, np.int64)
        for token, (row, n) in enumerate(zip(self.spelled, self.lengths.tolist(), strict=True)):
            text = "".join(chr(self.letters[i]) for i in row[:n])
            if text.strip().isalpha():
                found[token] = 1 + text.strip()[0].isupper() + 2 * text[0].isspace()
        return found

    def between(self, low: int, high: int) -> Bools:
        """A mask of the characters from one code point to another, inclusive."""
        return (self.letters >= low) & (self.letters <= high)

    def category(self, name: str) -> Bools:
        """A mask of the characters of a class of `re`: "digit", "space" or "word"."""
        return self._categories[name]

    @cached_property
    def _categories(self) -> dict[str, NDArray[np.bool_]]:
        text = [chr(code) for code in self.letters]
        return {
            "digit": np.array([c.isdecimal() for c in text], bool),
            "space": np.array([c.isspace() for c in text], bool),
            "word": np.array([c.isalnum() or c == "_" for c in text], bool),
        }
