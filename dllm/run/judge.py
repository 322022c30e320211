"""What tells whether a text is right: the bundled pair's own judge, if the folder `pair` is there.

The engine imports nothing of `pair`; it asks `judge()` when a verdict is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

JUDGE = "unmask.pair"  # its module `judge` has a Judge of this name: `JUDGE`


class Fact(Protocol):
    """Something in a text that can be checked."""

    @property
    def what(self) -> str: ...
    @property
    def holds(self) -> bool: ...
    @property
    def why(self) -> str: ...


class Verdict(Protocol):
    """What was found in a text."""

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

    titles: tuple[str, ...]  # what those texts begin with, up to a colon

    def strict(self, prompt: str, text: str) -> Verdict:
        """The verdict on a text that goes on from its prompt."""
        ...

    def prompts(self, count: int, shapes: Sequence[str]) -> list[str]:
        """Prompts that no model was trained on, of these kinds in turn."""
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
    """The judge that is registered; one that knows no text where there is none."""
    return cast(Judge, import_module(f"{JUDGE}.judge").JUDGE) if find_spec(JUDGE) else _NoJudge()
