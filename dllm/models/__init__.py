"""What is believed: the contract of a model, and how a family is found by its file's name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dllm.canvas import Bools, Canvas, Ints, Refused

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Card:
    """What is known of a loaded model, fit to be shown."""

    name: str
    family: str
    words: int  # size of the vocabulary
    longest: int  # cells it can see, prompt included
    causal: bool = False  # right about the leftmost open cell alone
    noise: bool = False  # no mask: an open cell holds a random token
    ends: tuple[int, ...] = ()  # tokens that end a text
    never: tuple[int, ...] = ()  # tokens that are never proposed: the mask and other marks
    weights: str = ""  # their hash
    tokenizer: str = ""  # its hash
    number: str = "fp32"
    device: str = "cpu"
    threads: int = 1
    licence: str = ""
    trained: bool = True
    note: str = ""
    preset: Mapping[str, Any] = field(default_factory=dict)  # the authors' own settings


@dataclass(frozen=True, eq=False)
class Thought:
    """One question to a model: this canvas, these rows."""

    tokens: Ints  # [L]
    open: Bools  # [L] only the model knows how its network spells an open cell
    rows: Ints  # the rows wanted, as indices into [L]
    positions: Ints  # [L]
    attend: Bools | None = None  # [L, L] who may look at whom; None is the model's own way
    origin: int = 0  # where the answer begins
    carry: Any = None

    @property
    def shape(self) -> tuple[int, bool]:
        """Thoughts of one shape can share a forward."""
        return len(self.tokens), self.attend is not None


class Speller(Protocol):
    """Words to tokens and back."""

    def encode(self, text: str) -> list[int]: ...
    def decode(self, tokens: Sequence[int]) -> str: ...
    def piece(self, token: int) -> str: ...


class Denoiser(Protocol):
    """A model: what it believes about the rows of a thought. Its caches are derived data, keyed by tokens."""

    card: Card

    @property
    def speller(self) -> Speller: ...

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        """For equal-shaped thoughts, `[rows, V]` each, aligned with the cells."""
        ...


def names() -> list[str]:
    """Every family there is: the files beside this one."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__))


def load(name: str, **wishes: Any) -> Denoiser:
    """A model by name; `family:what` for those that open a folder or a hub id."""
    family, _, what = name.partition(":")
    for candidate in names():
        module = importlib.import_module(f"{__name__}.{candidate}")
        if family in module.OFFERS:
            opened: Denoiser = module.open(family, what, **wishes)
            return opened
    raise Refused(f"no model '{name}'; there are {', '.join(offers())}")


def offers() -> list[str]:
    """Every name that `load` understands."""
    return sorted(o for n in names() for o in importlib.import_module(f"{__name__}.{n}").OFFERS)


def everything(canvas: Canvas) -> Thought:
    """The plain thought: the whole canvas, every open row."""
    return Thought(
        canvas.tokens, canvas.open, np.flatnonzero(canvas.open), np.arange(len(canvas)), origin=canvas.origin
    )
