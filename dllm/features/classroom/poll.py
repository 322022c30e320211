"""A question to a class: which cell is written next, or which word comes into a cell. Answers are text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from unmask.canvas import Bools, Canvas, Card, Ints
from unmask.errors import InvalidRequest
from unmask.run.event import Event, Stepped
from unmask.run.frame import Frame
from unmask.run.timeline import Node

LONGEST = 40  # characters of an answer
SHOWN = 12  # answers in a tally
KINDS = ("cell", "word")


class ClassQuestion(Protocol):
    """What a room needs of a question: a `Poll` or a `Contest`."""

    @property
    def kind(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """For JSON, while the question is open."""
        ...

    def withdraw(self, who: str) -> None:
        """Remove the answer of a seat."""
        ...


@dataclass(eq=False)
class Poll:
    """One question to a class, and its answers by seat."""

    kind: str  # "cell": which cell is written next; "word": which word comes into `cell`
    session: str
    at: int  # the moment that it asks about
    canvas: Canvas  # at that moment
    card: Card
    cell: int = -1
    known: list[str] = field(default_factory=list)  # the right answers, if the run has continued from there already
    answers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._end = self._stop = self._first_end(np.arange(len(self.canvas)), self.canvas.tokens, ~self.canvas.open)

    @classmethod
    def of(cls, kind: str, session: str, node: Node, cell: int, card: Card) -> Poll:
        if kind not in KINDS:
            raise InvalidRequest(f"a question is about a {' or a '.join(KINDS)}")
        canvas = node.canvas
        if not (canvas.open & canvas.answer).any():
            raise InvalidRequest(
                "nothing is open here, so there is nothing to predict: go back to an earlier pass and ask"
            )
        if kind == "word" and not (0 <= cell < len(canvas) and canvas.open[cell]):
            raise InvalidRequest("choose an open cell first: the question is about its word")
        return cls(kind, session, node.at, canvas, card, cell if kind == "word" else -1)

    def _first_end(self, cells: Ints, tokens: Ints, closed: Bools) -> int:
        """The first cell that ends the text, among cells that are written; beyond it nobody sees a word."""
        ends = cells[closed & np.isin(tokens, self.card.ends) & self.canvas.answer[cells]]
        return int(ends.min()) if ends.size else len(self.canvas)

    def withdraw(self, who: str) -> None:
        self.answers.pop(who, None)

    def answer(self, who: str, value: str) -> str:
        """Record a follower's answer in place of an earlier one; returns it as it counts."""
        text = " ".join("".join(c for c in value if c.isprintable()).split())[:LONGEST]
        open_ = self.canvas.open[: self._end]
        if self.kind == "cell" and not (text.isdecimal() and int(text) < len(open_) and open_[int(text)]):
            raise InvalidRequest("choose a cell that is still open")
        if not text:
            raise InvalidRequest("the answer is empty: write at least one letter")
        self.answers[who] = str(int(text)) if self.kind == "cell" else text
        return self.answers[who]

    def tally(self) -> list[tuple[str, int]]:
        """The commonest answers with their counts; capitals are ignored."""
        counts = Counter(map(fold_case, self.answers.values()))
        shown: dict[str, str] = {}
        for text in self.answers.values():
            shown.setdefault(fold_case(text), text)
        return [(shown[text], count) for text, count in counts.most_common(SHOWN)]

    def right(self, event: Event, spelled: Callable[[int], str]) -> list[str] | None:
        """The right answers, if this event gives them; of a poll about an earlier pass, any later pass does."""
        if not isinstance(event, Stepped) or event.at <= self.at:
            return None
        return self.known if self.known and event.at > self.at + 1 else self.answered_by(event.frame, spelled)

    def answered_by(self, frame: Frame, spelled: Callable[[int], str]) -> list[str] | None:
        """The right answers, if this pass wrote them. Cells behind the end of the text count for nobody: no page shows
        them."""
        cells = frame.cells.tolist()
        if self.kind == "word":
            return [spelled(int(frame.tokens[cells.index(self.cell)])).strip()] if self.cell in cells else None
        if len(frame.cells):
            row = frame.cells.astype(np.int64), frame.tokens.astype(np.int64)
            self._stop = min(self._stop, self._first_end(*row, np.ones(len(cells), bool)))
        skips = {*self.card.skips}
        seen = zip(cells, frame.tokens.tolist(), strict=True)
        return [str(cell) for cell, token in seen if cell < self._stop and token not in skips] or None

    def to_dict(self) -> dict[str, Any]:
        """For JSON, while the poll is open: not what others answered."""
        row = {"kind": self.kind, "session": self.session, "at": self.at, "answers": len(self.answers)}
        return row | ({"cell": self.cell} if self.kind == "word" else {})

    def to_revealed_dict(self, right: list[str]) -> dict[str, Any]:
        """For JSON, once revealed: the tally, the right answers, and how many gave one."""
        folds = {fold_case(text) for text in right}
        correct = sum(fold_case(text) in folds for text in self.answers.values())
        return self.to_dict() | {"tally": self.tally(), "right": right, "correct": correct}


def fold_case(text: str) -> str:
    return text.strip().casefold()
