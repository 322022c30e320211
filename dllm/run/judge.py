"""A judge checks whether a text is correct. The bundled models have one, in the optional package `pair`.

The engine imports nothing of `pair` statically: `judge()` looks it up when a verdict is needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

JUDGE = "unmask.pair"  # its module `judge` has a constant `JUDGE`


class Fact(Protocol):
    """A statement in a text that can be checked."""

    @property
    def what(self) -> str: ...
    @property
    def holds(self) -> bool: ...
    @property
    def why(self) -> str: ...


class Verdict(Protocol):
    """The result of judging a text."""

    @property
    def known(self) -> bool:
        """Whether the text is of a kind that can be judged."""
        ...

    @property
    def facts(self) -> Sequence[Fact]: ...

    @property
    def strict(self) -> bool:
        """Every fact holds and nothing is wrong with the text."""
        ...

    @property
    def reasons(self) -> Sequence[str]:
        """Everything that is wrong with it."""
        ...


class Judge(Protocol):
    """Judges texts of some kinds."""

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


class _Unknown:
    known, strict = False, False
    facts: tuple[Fact, ...] = ()
    reasons = ("there is no judge here",)


class _NoJudge:
    titles: tuple[str, ...] = ()

    def strict(self, prompt: str, text: str) -> Verdict:
        return _Unknown()

    def prompts(self, count: int, shapes: Sequence[str]) -> list[str]:
        return []

    def cells(self, shape: str) -> int:
        return 48


@cache
def judge() -> Judge:
    """The judge of `pair`; without that package, one that judges no text."""
    return cast(Judge, import_module(f"{JUDGE}.judge").JUDGE) if find_spec(JUDGE) else _NoJudge()
