"""A judge checks whether a text is correct. The bundled models have one, in the optional package `pair`.

The engine imports nothing of `pair` statically: `judge()` looks it up when a verdict is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

JUDGE = "unmask.pair"  # its module `judge` has a constant `JUDGE`


@dataclass(frozen=True)
class Fact:
    """A statement in a text that can be checked: what it is about, whether it holds, and why not."""

    what: str
    holds: bool
    why: str = ""


@dataclass(frozen=True)
class Verdict:
    """The result of judging a text: its facts, and every reason why it is not good."""

    facts: tuple[Fact, ...]
    reasons: tuple[str, ...] = ()
    plot: str = ""  # the plot that it tells
    known: bool = True  # the text is of a kind that can be judged

    @property
    def right(self) -> bool:
        """Every checkable fact holds, and there is one."""
        return bool(self.facts) and all(fact.holds for fact in self.facts)

    @property
    def strict(self) -> bool:
        """Right, complete and well formed."""
        return self.right and not self.reasons


@dataclass(frozen=True)
class Offer:
    """A prompt of a kind that can be judged, near to one that is none."""

    kind: str
    prompt: str
    length: int  # cells that its answer needs


class Judge(Protocol):
    """Judges texts of some kinds, and knows how they begin."""

    titles: tuple[str, ...]  # the prefixes of those texts, up to a colon

    def strict(self, prompt: str, text: str) -> Verdict:
        """The verdict on a text that continues a prompt."""
        ...

    def prompts(self, count: int, shapes: Sequence[str]) -> list[str]:
        """Held-out prompts, of these kinds in turn."""
        ...

    def cells(self, shape: str) -> int:
        """How many cells an answer of this kind needs."""
        ...

    def offers(self, prompt: str) -> tuple[Offer, ...]:
        """Prompts of its kinds that come near to what somebody typed, the nearest first."""
        ...


class _NoJudge:
    titles: tuple[str, ...] = ()

    def strict(self, prompt: str, text: str) -> Verdict:
        return Verdict((), ("there is no judge here",), known=False)

    def prompts(self, count: int, shapes: Sequence[str]) -> list[str]:
        return []

    def cells(self, shape: str) -> int:
        return 48

    def offers(self, prompt: str) -> tuple[Offer, ...]:
        return ()


@cache
def judge() -> Judge:
    """The judge of `pair`; without that package, one that judges no text."""
    return cast(Judge, import_module(f"{JUDGE}.judge").JUDGE) if find_spec(JUDGE) else _NoJudge()
