"""The interface of every model: its input, its description without weights, and the denoiser itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.canvas import BaseTokenizer, Bools, Card, Floats, Ints

# logits: a numpy array or a torch tensor
Table = Any


@dataclass(frozen=True, eq=False)
class ModelInput:
    """One input to a model: the canvas, and the rows whose logits are wanted."""

    tokens: Ints  # [L]
    open: Bools  # [L] the model itself replaces an open cell by its mask or noise token
    rows: Ints  # the rows wanted, as indices into [L]
    positions: Ints  # [L]
    attention_mask: Bools | None = None  # [L, L] row attends to column; None is the model's own pattern
    origin: int = 0  # index of the answer's first cell
    carry: Any = None  # from the pass before, if the model has one: see `Denoiser.make_carry`
    block: tuple[int, int] = (0, 0)  # the cells being decided: first index, and end (exclusive)
    causal: bool = False  # answer autoregressively: each row from the tokens to its left
    draft_length: int = 0  # cells drafted at once in self-speculation; 0 where nothing is drafted or verified
    named: tuple[int, ...] = ()  # tokens whose probability is wanted from a server that sends only the likeliest

    @property
    def shape(self) -> tuple[int, bool, bool]:
        """Inputs of equal shape can share a forward."""
        return len(self.tokens), self.attention_mask is not None, self.causal


@dataclass(frozen=True)
class ModelInfo:
    """A model's card and tokenizer, without its weights: enough to start, show and store a run; picklable."""

    card: Card
    tokenizer: BaseTokenizer


class Denoiser(ABC):
    """A loaded model: logits for the rows of a model input.

    Every method is a pure function of its input, so that a rewind is exact: caches are derived data."""

    card: Card
    tokenizer: BaseTokenizer
    has_carry: bool = False  # whether `make_carry` returns something
    numpy_logits: bool = False  # whether its logits are numpy arrays, not torch tensors
    concurrent: bool = False  # whether two threads may call it at once: it keeps no state between calls
    reads_along: bool = False  # whether it reads predicted tokens in one forward (`Predicted`), from left to right
    remote: bool = False  # another machine computes it: a pass needs no core here
    background: Table | None = None  # [V] unconditional token probabilities, if the model has them

    @property
    def info(self) -> ModelInfo:
        """The model's card and tokenizer."""
        return ModelInfo(self.card, self.tokenizer)

    @property
    def base(self) -> Denoiser:
        """The model whose network it uses: itself, unless it stands before another."""
        return self

    @abstractmethod
    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Table]:
        """Logits of inputs of equal shape, `[rows, V]` each, aligned with the cells; the caller may modify them."""

    def make_carry(self, model_input: ModelInput, logits: Table) -> Any:
        """State for the next pass's input (`ModelInput.carry`), such as soft embeddings; None unless `has_carry`."""
        return None

    def network_seconds(self) -> float:
        """Of the latest calls of `logits` in this thread, the seconds on the way to another machine; asked once."""
        return 0.0

    def layers(self, model_input: ModelInput) -> Table | None:
        """Logit lens: the output head applied to what each layer holds at the input's last row, `[layers + 1, V]`, from
        the embedding to the last; None for a model that does not show its layers."""
        return None

    def attention_heads(self) -> tuple[int, int]:
        """How many layers and heads `attention` has; 0 and 0 for a model that does not show its attention."""
        return 0, 0

    def attention(self, model_input: ModelInput, layer: int, head: int) -> Floats | None:
        """The weights [L] with which a head attends to each cell, at the row that predicts the input's last row; what
        they lack to 1 goes to tokens that are no cells. None for a model that does not show its attention."""
        return None

    def clear_caches(self) -> None:
        """Drops all caches, when memory runs out: they are derived data, and losing them costs time only."""
        return

    def forwards_for(self, model_input: ModelInput) -> int:
        """How many forwards `logits` will take: 0 if the result was computed along with an earlier input."""
        return 1

    def cached_tokens(self, tokens: Ints) -> int:
        """How many of these tokens, from the first, are in the prefix cache; a lookup without effect."""
        return 0

    def staleness(self, model_input: ModelInput) -> NDArray[np.uint8]:
        """For each cell, the passes since its keys and values were computed; empty without an approximate cache."""
        return np.empty(0, np.uint8)


# the last part of loading, run on the device's own thread: the move to the device and the self-test
Finish = Callable[[], Denoiser]
