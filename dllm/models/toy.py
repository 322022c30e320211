"""A test model with reproducible logits: each cell's are a hash of the tokens within three cells of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import BaseTokenizer, Card, Ints
from unmask.errors import UNKNOWN_TEXT, InvalidRequest
from unmask.models.family import Family
from unmask.models.interface import Denoiser, Finish, ModelInput, Table

REACH, SHARPNESS = 3, 2.0  # cells to each side; scale of the logits
_SPLITMIX = tuple(np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def prepare(family: str, what: str, words: int = 50, seed: int = 0, mask: int = 49, **_: Any) -> Finish:
    """`toy` or `toy:SEED`."""
    if what and not what.isdigit():
        raise InvalidRequest(f"the toy's seed must be a number, not '{what}'")
    return lambda: Toy(words, int(what or seed), mask)


class Toy(Denoiser):
    """A denoiser without training, whose logits are hashes: for tests and parity cases."""

    numpy_logits = True

    def __init__(
        self, words: int = 50, seed: int = 0, mask: int = 49, background: Sequence[float] | None = None
    ) -> None:
        self.seed, self.mask, self.tokenizer = seed, mask, NumberTokenizer(words)
        self.background = None if background is None else np.array(background, np.float64)
        self.card = Card(
            name=f"toy {seed}",
            family="toy",
            words=words,
            longest=4096,
            never=(mask,),
            weights=f"toy-{words}-{seed}-{mask}",
            number="fp64",
            both=True,
            trained=False,
            note="hashed numbers, for tests",
        )

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        return [self._rows(t) for t in model_inputs]

    def _rows(self, model_input: ModelInput) -> NDArray[np.float64]:
        if model_input.causal and len(model_input.rows):  # from the tokens to its left, one row at a time
            place = np.arange(len(model_input.tokens))
            return np.stack(
                [self.hashed_logits(np.where(place < r, model_input.tokens, self.mask))[r] for r in model_input.rows]
            )
        # a cell's own token is not hashed, so its shadow has the same logits
        cells = (
            len(model_input.tokens) if model_input.attention_mask is None else int(model_input.attention_mask[0].sum())
        )
        hashed_logits = self.hashed_logits(np.where(model_input.open, self.mask, model_input.tokens)[:cells])
        return hashed_logits[model_input.positions[model_input.rows]]

    def hashed_logits(self, tokens: Ints) -> NDArray[np.float64]:
        """Float64 logits of every cell: sharper the more of its neighbours are known."""
        length = len(tokens)
        h = _splitmix(np.full(length, self.seed * 7919 + 17, np.uint64), np.arange(1, length + 1))
        known = np.zeros(length)
        padded = np.pad(tokens.astype(np.int64) + 1, REACH)
        for d in range(-REACH, REACH + 1):
            if d:
                symbol = padded[REACH + d : REACH + d + length]
                h = _splitmix(h, symbol * 131 + d + 50)
                known += (symbol > 0) & (symbol - 1 != self.mask)
        bits = _splitmix(h[:, None], np.arange(self.card.words)[None, :] + 12345)
        share = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
        strength = SHARPNESS * (0.15 + (h % np.uint64(1009)).astype(np.float64) / 1009.0 + 0.25 * known)
        logits: NDArray[np.float64] = -np.log1p(-share) * strength[:, None]
        logits[:, self.mask] = -1e4
        return logits


class NumberTokenizer(BaseTokenizer):
    """A tokenizer whose words are token numbers, for models without one."""

    def __init__(self, words: int) -> None:
        self.words = words

    def encode(self, text: str) -> list[int]:
        try:
            tokens = [int(part) for part in text.split()]
        except ValueError:
            why = "this model has no tokenizer: write token numbers with spaces between"
            raise InvalidRequest(why, code=UNKNOWN_TEXT) from None
        if wrong := [t for t in tokens if not 0 <= t < self.words]:
            why = f"{wrong[0]} is not a token: they go from 0 to {self.words - 1}"
            raise InvalidRequest(why, code=UNKNOWN_TEXT)
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(self.piece(t) for t in tokens).strip()

    def piece(self, token: int) -> str:
        return f" {token}"


def _splitmix(h: NDArray[np.uint64], x: NDArray[np.int64]) -> NDArray[np.uint64]:
    """One round of splitmix64."""
    with np.errstate(over="ignore"):
        z = (h ^ x.astype(np.uint64)) + _SPLITMIX[0]
        z = (z ^ (z >> np.uint64(30))) * _SPLITMIX[1]
        z = (z ^ (z >> np.uint64(27))) * _SPLITMIX[2]
        return z ^ (z >> np.uint64(31))


FAMILY = Family(builtin_names=("toy",), prepare=prepare)
