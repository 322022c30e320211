"""Worlds small enough to count: a denoiser without a network, whose belief at every cell is the exact posterior.

A world is a list of texts, all equally likely. The probability of a word in a cell is its share among the texts that
agree with the written cells. So every error is caused by writing several words in parallel, never by the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import permutations, product
from typing import Any

import numpy as np

from unmask.canvas import BaseTokenizer, Bools, Card, Floats, Ints
from unmask.errors import InvalidRequest
from unmask.models.family import Family
from unmask.models.interface import Denoiser, Finish, ModelInput, Table

END, MASK = "<end>", "<mask>"
LONGEST = 64  # cells; those after a text hold END
FORBIDDEN = -1e4  # logit of an impossible word: its exponential is 0 in double precision

Texts = tuple[tuple[str, ...], ...]


def rows_of(size: int) -> Texts:
    """Every order of the numbers from 1 to `size`."""
    return tuple(permutations(str(n) for n in range(1, size + 1)))


def sudokus(size: int) -> Texts:
    """Every 4 × 4 sudoku, row by row: each number once in each row, column and quarter."""
    found: list[tuple[int, ...]] = []

    def extend(cells: list[int]) -> None:
        at = len(cells)
        if at == 16:
            found.append(tuple(cells))
            return
        row, column = divmod(at, 4)
        for number in range(4):
            if all(
                number != other or not (r == row or c == column or (r // 2 == row // 2 and c // 2 == column // 2))
                for (r, c), other in zip((divmod(k, 4) for k in range(at)), cells, strict=True)
            ):
                extend([*cells, number])

    extend([])
    return tuple(tuple(str(n + 1) for n in cells) for cells in found)


def brackets(size: int) -> Texts:
    """Every balanced text of `size` brackets of two kinds."""
    found: list[tuple[str, ...]] = []

    def extend(text: list[str], waiting: list[str]) -> None:
        left = size - len(text)
        if not left:
            found.append(tuple(text))
        if waiting:
            extend([*text, waiting[-1]], waiting[:-1])
        if len(waiting) < left:
            for opens, closes in ("()", "[]"):
                extend([*text, opens], [*waiting, closes])

    extend([], [])
    return tuple(text for text in found if len(text) == size)


def sums(size: int) -> Texts:
    """Every sum of two numbers below `size`, its result with two digits."""
    return tuple((str(a), "+", str(b), "=", *f"{a + b:02}") for a, b in product(range(size), repeat=2))


# by name: the function that lists its texts, the allowed sizes, and the default size
WORLDS: dict[str, tuple[Callable[[int], Texts], Sequence[int], int]] = {
    "permutations": (rows_of, range(2, 9), 4),
    "sudoku4": (sudokus, (4,), 4),
    "balanced": (brackets, range(2, 13, 2), 8),
    "smallsums": (sums, range(2, 11), 10),
}


def prepare(family: str, what: str, **_: Any) -> Finish:
    """`permutations`, or with a size: `permutations:6`."""
    make_texts, sizes, default = WORLDS[family]
    if what and (not what.isdigit() or int(what) not in sizes):
        raise InvalidRequest(f"the size of '{family}' must be one of {', '.join(map(str, sizes))}, not '{what[:20]}'")
    size = int(what or default)
    return lambda: Oracle(f"{family}:{size}", _texts(make_texts, size))


@lru_cache(maxsize=8)
def _texts(make_texts: Callable[[int], Texts], size: int) -> Texts:
    return make_texts(size)


class Oracle(Denoiser):
    """A denoiser whose probabilities are counted over all texts of a world."""

    tokenizer: WordListTokenizer
    numpy_logits = True

    def __init__(self, name: str, texts: Texts) -> None:
        words = sorted({word for text in texts for word in text})
        self.tokenizer = WordListTokenizer((*words, END, MASK))
        place = {word: at for at, word in enumerate(words)}
        self.end, self.mask = len(words), len(words) + 1
        self.texts: Ints = np.array([[place[word] for word in text] for text in texts])
        self.card = Card(
            name=name,
            family="oracle",
            words=len(words) + 2,
            longest=LONGEST,
            ends=(self.end,),
            never=(self.mask,),
            weights=name,
            tokenizer=self.tokenizer.digest,
            number="fp64",
            both=True,
            note=f"All {len(texts):,} texts of a small world, counted: its beliefs are exact, so every wrong text is "
            "the price of writing several words at once.",
            preset={"preset": "llada", "settings": {"end": "stop"}},
        )

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        return [self._rows(t) for t in model_inputs]

    def belief(self, tokens: Ints, closed: Bools) -> Floats:
        """Probabilities [L, V] of each word in each cell, given the tokens of the closed cells."""
        cells = min(len(tokens), self.texts.shape[1])
        differ = (self.texts[:, :cells] != tokens[:cells])[:, closed[:cells]].sum(1)
        # if no text agrees with all closed cells, take those that agree with most of them
        left = self.texts[differ == differ.min(), :cells]
        found = np.zeros((len(tokens), self.card.words))
        for cell in range(cells):
            found[cell] = np.bincount(left[:, cell], minlength=self.card.words)
        found[:cells] /= len(left)
        found[cells:, self.end] = 1
        return found

    def _rows(self, model_input: ModelInput) -> Floats:
        cells = (
            len(model_input.tokens) if model_input.attention_mask is None else int(model_input.attention_mask[0].sum())
        )
        tokens, closed = model_input.tokens[:cells], ~model_input.open[:cells]
        place = np.arange(cells)
        rows = model_input.positions[model_input.rows]
        whole = None if model_input.causal else self.belief(tokens, closed)
        found = []
        for row, cell in zip(model_input.rows, rows, strict=True):
            if model_input.causal:  # from the tokens to its left
                found.append(self.belief(tokens, place < cell)[cell])
            elif row >= cells:  # a shadow: it sees every cell but its own
                found.append(self.belief(tokens, closed & (place != cell))[cell])
            else:
                assert whole is not None
                found.append(whole[cell])
        table = np.array(found).reshape(len(found), self.card.words)
        with np.errstate(divide="ignore"):
            logits: Floats = np.maximum(np.log(table), FORBIDDEN)
        return logits


class WordListTokenizer(BaseTokenizer):
    """A tokenizer of a few words, each a token; spaces between them are optional."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.digest = " ".join(words)
        self._place = {word: at for at, word in enumerate(words)}
        self._part = re.compile("|".join(re.escape(w) for w in sorted(words[:-2], key=len, reverse=True)) + r"|\S")

    def encode(self, text: str) -> list[int]:
        parts = self._part.findall(text)
        for part in parts:
            if part not in self._place:
                raise InvalidRequest(f"this world has no word '{part}'; its words are {' '.join(self.words[:-2])}")
        return [self._place[part] for part in parts]

    def decode(self, tokens: Sequence[int]) -> str:
        return " ".join(self.words[t] for t in tokens if 0 <= t < len(self.words) - 2)

    def piece(self, token: int) -> str:
        return f" {self.words[token]}"


FAMILY = Family(builtin_names=tuple(WORLDS), prepare=prepare)
