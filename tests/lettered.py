"""A toy that writes letters, so that what it writes can be held to a pattern."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.canvas import BaseTokenizer, Canvas
from unmask.models import ModelInput
from unmask.models.toy import Toy

LETTERS = [chr(c) for c in range(32, 127)]
PARTS = ['":', '",', "},", '{"', "tr", "true", "fal", "se", "null", "ab", "ca", " a", " b", "12", "00", " {", "[]", "é"]
PIECES = ["<|end|>", *LETTERS, *PARTS, "\n", "\ufffd", "", "[MASK]"]


class Letters(BaseTokenizer):
    """A speller whose words are these pieces."""

    def __init__(self, pieces: Sequence[str] = PIECES) -> None:
        self.pieces = list(pieces)

    def encode(self, text: str) -> list[int]:
        return [self.pieces.index(letter) for letter in text]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(map(self.piece, tokens))

    def piece(self, token: int) -> str:
        return self.pieces[token]


class Lettered(Toy):
    """The toy with a vocabulary of letters and parts of words; its first word ends a text, its last is the mask."""

    def __init__(self, seed: int = 0, pieces: Sequence[str] = PIECES, noise: bool = False) -> None:
        super().__init__(len(pieces), seed, len(pieces) - 1)
        self.tokenizer = Letters(pieces)
        self.card = replace(self.card, ends=(0,), noise=noise)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[np.ndarray]:
        if not self.card.noise:
            return super().logits(model_inputs)
        return [self.hashed_logits(t.tokens)[t.rows] for t in model_inputs]

    def text(self, canvas: Canvas) -> str:
        """The answer up to its end."""
        answer = canvas.tokens[canvas.origin :]
        ended = np.flatnonzero(answer == 0)
        if ended.size:
            answer = answer[: ended[0]]
        return self.tokenizer.decode(answer.tolist())
