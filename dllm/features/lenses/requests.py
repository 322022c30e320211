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
    next seven are answered by their own names. The run does not change."""

    session: Text
    at: Whole = -1
    cell: Whole | None = None
    beside: Whole = 0


@dataclass(frozen=True)
class Paid:
    """Log-likelihood lost by writing words at once, in nats, for each pass; below 0 it was gained: together the words
    are likelier than their probabilities multiplied."""

    session: Text


@dataclass(frozen=True)
class Why:
    """How much each other written word supports a written word: each is erased in turn (leave-one-out). Probabilities
    are given as the decoder reads them, and as `raw`, the network's own; `calibrated` says whether the former are
    calibrated. The same holds for `layers` and `candidates`."""

    session: Text
    cell: Whole
    at: Whole = -1


@dataclass(frozen=True)
class Layers:
    """At which layer and after which pass the model predicted the word in a cell (logit lens)."""

    session: Text
    cell: Whole
    at: Whole = -1


@dataclass(frozen=True)
class Candidates:
    """The likeliest words of a cell in the pass that leads to a moment."""

    session: Text
    cell: Whole
    at: Whole = -1


@dataclass(frozen=True)
class Attention:
    """How much a head of a layer attends to each cell (`weights`) and to other tokens (`elsewhere`), at the row that
    predicts a cell once it is opened; with layer -1 the last one."""

    session: Text
    cell: Whole
    at: Whole = -1
    layer: Whole = -1
    head: Whole = 0


@dataclass(frozen=True)
class Drift:
    """How far the prediction of each pass is from that of the pass before and from each cell's last one
    (Kullback-Leibler divergence in nats, of the network's own probabilities, mean over cells), and how far from left to
    right the run was written (`order`: Kendall's tau-b with its standard error)."""

    session: Text


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


Question = Clash | Paid | Why | Layers | Candidates | Attention | Drift | Validity | Goals
QUESTIONS: Messages[Question] = Messages(
    (Clash, Paid, Why, Layers, Candidates, Attention, Drift, Validity, Goals), noun="question"
)
