"""What a model owes the rest: a question, a model as it is known, a denoiser where its weights are, and a family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import BaseTokenizer, Bools, Card, Ints

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class ModelInput:
    """One question to a model: this canvas, these rows."""

    tokens: Ints  # [L]
    open: Bools  # [L] only the model knows how its network spells an open cell
    rows: Ints  # the rows wanted, as indices into [L]
    positions: Ints  # [L]
    attention_mask: Bools | None = None  # [L, L] who may look at whom; None is the model's own way
    origin: int = 0  # where the answer begins
    carry: Any = None
    block: tuple[int, int] = (0, 0)  # the cells that are being decided, from the first to the one behind the last
    causal: bool = False  # answer as an autoregressive model: each row from what stands to its left
    draft_length: int = 0  # the rows are a draft, to be verified (or being verified): so many cells are drafted at once

    @property
    def shape(self) -> tuple[int, bool, bool]:
        """Thoughts of one shape can share a forward."""
        return len(self.tokens), self.attention_mask is not None, self.causal


@dataclass(frozen=True)
class ModelInfo:
    """A model without its weights: local, picklable, and enough to open a canvas, to show a run and to keep it."""

    card: Card
    tokenizer: BaseTokenizer


class Denoiser(ABC):
    """Where the weights are: what the model believes about the rows of a thought.

    Every method is a function of the thought alone, so that a rewind is exact: caches are derived data, keyed by
    tokens."""

    card: Card
    tokenizer: BaseTokenizer
    has_carry: bool = False  # whether the next thought carries something of this one
    concurrent: bool = False  # whether two threads may think with it at once: it keeps nothing between thoughts
    background: Tensor | None = None  # [V] how likely each word is anywhere, where the model knows

    @property
    def info(self) -> ModelInfo:
        """What is known of it without its weights."""
        return ModelInfo(self.card, self.tokenizer)

    @abstractmethod
    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Tensor]:
        """For equal-shaped thoughts, `[rows, V]` each, aligned with the cells; the asker may write in them."""

    def make_carry(self, model_input: ModelInput, logits: Tensor) -> Any:
        """What the next thought should carry; where there is something, `has_carry` says so."""
        return None

    def layers(self, model_input: ModelInput) -> Tensor | None:
        """`[layers + 1, rows, V]`, what each layer's state would say, from the words as they are read to the answer;
        None where a model does not show its layers. About one row a thought."""
        return None

    def clear_caches(self) -> None:
        """Let go of caches, where memory ran out: they are derived data, and losing them costs time only."""
        return

    def forwards_for(self, model_input: ModelInput) -> int:
        """How many forwards an answer will take: none where it was found while another thought was answered."""
        return 1

    def cached_tokens(self, tokens: Ints) -> int:
        """How many of these tokens, from the first, need not be read again; it changes nothing."""
        return 0

    def staleness(self, model_input: ModelInput) -> NDArray[np.uint8]:
        """For each cell, the passes since an approximate cache saw it; empty where nothing is approximate."""
        return np.empty(0, np.uint8)


Finish = Callable[
    [], Denoiser
]  # the last of opening, on the device's own thread: the move there, and the self-test where it needs the device
