"""A prediction that a class makes: which cell is written next, or which word comes here. Answers are text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from unmask.canvas import Canvas
from unmask.errors import InvalidRequest
from unmask.run.event import Event, Stepped
from unmask.run.frame import Frame
from unmask.run.timeline import Node

LONGEST = 40  # letters of an answer
SHOWN = 12  # answers of a tally
KINDS = ("cell", "word")


class ClassQuestion(Protocol):
    """A question to a class, as a room knows it."""

    @property
    def kind(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """What everybody may know while it is open."""
        ...


@dataclass(eq=False)
class Poll:
    """One question to a class, and its answers by those who gave them."""

    kind: str  # "cell": which is written next; "word": which comes into `cell`
    session: str
    at: int  # the moment it belongs to
    canvas: Canvas  # as it stands then
    cell: int = -1
    known: list[str] = field(default_factory=list)  # what is right, where the run has gone on from there already
    answers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: str, session: str, node: Node, cell: int) -> Poll:
        if kind not in KINDS:
            raise InvalidRequest(f"a question is about a {' or a '.join(KINDS)}")
        canvas = node.canvas
        if not canvas.open.any():
            raise InvalidRequest(
                "nothing is open here, so there is nothing to predict: go back to an earlier pass and ask"
            )
        if kind == "word" and not (0 <= cell < len(canvas) and canvas.open[cell]):
            raise InvalidRequest("choose an open cell first: the question is about its word")
        return cls(kind, session, node.at, canvas, cell if kind == "word" else -1)

    def answer(self, who: str, value: str) -> str:
        """One answer each; a later one takes the place of the first."""
        text = " ".join("".join(c for c in value if c.isprintable()).split())[:LONGEST]
        open_ = self.canvas.open
        if self.kind == "cell" and not (text.isdecimal() and int(text) < len(open_) and open_[int(text)]):
            raise InvalidRequest("choose a cell that is still open")
        if not text:
            raise InvalidRequest("an answer has at least one letter")
        self.answers[who] = str(int(text)) if self.kind == "cell" else text
        return self.answers[who]

    def tally(self) -> list[tuple[str, int]]:
        """The commonest answers; words count as one whatever their capitals."""
        counts = Counter(map(fold_case, self.answers.values()))
        shown: dict[str, str] = {}
        for text in self.answers.values():
            shown.setdefault(fold_case(text), text)
        return [(shown[text], count) for text, count in counts.most_common(SHOWN)]

    def right(self, event: Event, spelled: Callable[[int], str]) -> list[str] | None:
        """The right answers, once an event brings them; of an earlier pass, once the run goes on from a later one."""
        if not isinstance(event, Stepped) or event.at <= self.at:
            return None
        return self.known if self.known and event.at > self.at + 1 else self.answered_by(event.frame, spelled)

    def answered_by(self, frame: Frame, spelled: Callable[[int], str]) -> list[str] | None:
        """The right answers, if this pass wrote them."""
        cells = frame.cells.tolist()
        if self.kind == "cell":
            return [str(cell) for cell in cells] or None
        return [spelled(int(frame.tokens[cells.index(self.cell)])).strip()] if self.cell in cells else None

    def to_dict(self) -> dict[str, Any]:
        """What a class knows while it answers: not how the others did."""
        row = {"kind": self.kind, "session": self.session, "at": self.at, "answers": len(self.answers)}
        return row | ({"cell": self.cell} if self.kind == "word" else {})

    def to_revealed_dict(self, right: list[str]) -> dict[str, Any]:
        """All answers, and how many are right."""
        folds = {fold_case(text) for text in right}
        correct = sum(fold_case(text) in folds for text in self.answers.values())
        return self.to_dict() | {"tally": self.tally(), "right": right, "correct": correct}


def fold_case(text: str) -> str:
    return text.strip().casefold()
