"""What presenters and followers of a class ask. Docstrings become `docs/protocol.md`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from unmask.run.message import Flag, Messages, Number, Text, Whole


@dataclass(frozen=True)
class Present:
    """Open a class, or resume one with its `room` and `key`; answered by `class` with its code and `key`, and again
    when somebody joins or leaves. The messages down to `dismiss` are for the presenter."""

    do = "class"
    room: Text | None = None
    key: Text = ""


@dataclass(frozen=True)
class Show:
    """The runs, at most two of your own, that the class sees from now on; or recordings, by the names that
    `POST /class/ROOM/recordings` gave."""

    sessions: Annotated[tuple[Text, ...], Field(max_length=2)]
    recordings: Annotated[tuple[Text, ...], Field(max_length=2)] = ()


@dataclass(frozen=True)
class View:
    """The moment that you look at; followers look there too."""

    axis: Literal["clock", "pass"]
    place: Number
    playing: Flag
    following: Flag
    speed: Whole = 0


@dataclass(frozen=True)
class Freeze:
    """While it is on, all screens show the presenter's moment, and only the presenter steers."""

    on: Flag


@dataclass(frozen=True)
class Hand:
    """Give the follower in seat `to` the right to `watch` or to `steer`."""

    to: Text
    right: Text


@dataclass(frozen=True)
class Question:
    """Ask which `cell` is written next, or which `word` comes into a cell: the answers are counted with the pass, or
    with `reveal` for an earlier moment `at`. Or play *Beat the schedule* (`schedule`): a small world and a maximum
    number of passes."""

    kind: Literal["cell", "word", "schedule"]
    session: Text = ""
    cell: Whole = -1
    at: Whole = -1
    world: Text = ""
    passes: Whole = 0


@dataclass(frozen=True)
class Reveal:
    """Show the counted answers, or the ranking, now."""


@dataclass(frozen=True)
class Withdraw:
    """Take the open question back: no answers are shown, and nothing is counted."""


@dataclass(frozen=True)
class Dismiss:
    """End the class; nothing is stored."""


@dataclass(frozen=True)
class Enter:
    """Follow a class by its code; with the key of a `seat`, as the same person as before. Answered by `entered`,
    `class` and the `history` of each of its runs; their events follow."""

    room: Text
    name: Text = ""
    seat: Text = ""


@dataclass(frozen=True)
class Answer:
    """Answer the question with a cell, a word, or for each cell the pass that writes it, as a digit; a later answer
    replaces the first."""

    value: Text


@dataclass(frozen=True)
class Leave:
    """Leave the class."""


Leading = Show | View | Freeze | Hand | Question | Reveal | Withdraw | Dismiss
Request = Present | Leading | Enter | Answer | Leave
REQUESTS: Messages[Request] = Messages(
    (Present, Show, View, Freeze, Hand, Question, Reveal, Withdraw, Dismiss, Enter, Answer, Leave), noun="request"
)
