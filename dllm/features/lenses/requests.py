"""The questions about a run. Their docstrings become `docs/protocol.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from unmask.run.message import Messages, Text, Whole

MOST = 16  # goals of one question, and runs that they compare with


@dataclass(frozen=True)
class Clash:
    """How the words that the next pass would write change each other's probability, each tried alone, together with
    this many further guesses (`beside`); with a `cell`, how its word changes every open cell. Answered by `clash`; the
    next four are answered by their own names. The run does not change."""

    session: Text
    at: Whole = -1
    cell: Whole | None = None
    beside: Whole = 0


@dataclass(frozen=True)
class Paid:
    """Log-likelihood lost by writing words at once, in nats, for each pass."""

    session: Text


@dataclass(frozen=True)
class Why:
    """How much each other written word supports a written word: each is erased in turn (leave-one-out)."""

    session: Text
    cell: Whole
    at: Whole = -1


@dataclass(frozen=True)
class Layers:
    """At which layer and after which pass the model predicted the word in a cell (logit lens); embedded pair only."""

    session: Text
    cell: Whole
    at: Whole = -1


@dataclass(frozen=True)
class Validity:
    """The probability that the text would be valid if every open cell were written now without the constraint, and the
    number of live states before each cell."""

    session: Text
    at: Whole = -1


@dataclass(frozen=True)
class Goals:
    """Measures of a finished run (looks, words, faults, …), and which comparisons of them are true, such as
    `looks < 2 * story.looks`; `runs` are measures of other runs by name, as they were answered. Answered by `goals`."""

    session: Text
    goals: Annotated[tuple[Text, ...], Field(max_length=MOST)] = ()
    runs: Annotated[Mapping[str, Mapping[str, Any]], Field(max_length=MOST)] = field(default_factory=dict)


Question = Clash | Paid | Why | Layers | Validity | Goals
QUESTIONS: Messages[Question] = Messages((Clash, Paid, Why, Layers, Validity, Goals), noun="question")
