"""What is believed: the contract of a model, and how a family is found by its file's name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dllm.canvas import Bools, Canvas, Card, Ints, Refused, Speller

if TYPE_CHECKING:
    from torch import Tensor


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
    block: tuple[int, int] = (0, 0)  # the cells that are being decided, from the first to the one behind the last
    onward: bool = False  # answer as an autoregressive model: each row from what stands to its left

    @property
    def shape(self) -> tuple[int, bool, bool]:
        """Thoughts of one shape can share a forward."""
        return len(self.tokens), self.attend is not None, self.onward


class Denoiser(Protocol):
    """A model: what it believes about the rows of a thought. Its caches are derived data, keyed by tokens.

    Two more methods where it needs them, both functions of the thought alone, so that a rewind stays exact:
    `reflect(thought, logits)` is what the next thought should carry, and `staleness(thought)` counts, for each cell,
    the passes since an approximate cache saw it."""

    card: Card

    @property
    def speller(self) -> Speller: ...

    def logits(self, thoughts: Sequence[Thought]) -> list[Tensor]:
        """For equal-shaped thoughts, `[rows, V]` each, aligned with the cells; the asker may write in them."""
        ...


def names() -> list[str]:
    """Every family there is: the files beside this one."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__))


def family(name: str) -> ModuleType:
    """The file of a family."""
    return importlib.import_module(f"{__name__}.{name}")


def load(name: str, **wishes: Any) -> Denoiser:
    """A model by name: one of `offers()`, a hub id (`ORG/NAME`), a folder, or either as a family (`dream:FOLDER`)."""
    kind, _, what = name.partition(":")
    for candidate in names():
        module = family(candidate)
        if kind in getattr(module, "OFFERS", ()):
            opened: Denoiser = module.open(kind, what, **wishes)
            return opened
    if understands(name):
        forced = kind if what and kind in names() else "hub"
        found: Denoiser = family("hub").open(forced, what if forced == kind else name, **wishes)
        return found
    raise Refused(f"no model '{name}'; there are {', '.join(offers())}, a folder, or a hub id such as ORG/NAME")


def understands(name: str) -> bool:
    """Whether `load` has somewhere to look for a name: bare, an id, a folder, or one of these as a family."""
    kind, _, what = name.partition(":")
    return kind in offers() or bool(what and kind in names()) or "/" in name or Path(name).is_dir()


def offers() -> list[str]:
    """Every model that opens by its bare name."""
    return sorted(o for n in names() for o in getattr(family(n), "OFFERS", ()))


def everything(canvas: Canvas) -> Thought:
    """The plain thought: the whole canvas, every open row."""
    return Thought(
        canvas.tokens, canvas.open, np.flatnonzero(canvas.open), np.arange(len(canvas)), origin=canvas.origin
    )
