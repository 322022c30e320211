"""Answered questions from a file of JSON lines: `{"state": …, "questions": …, "answers": {"owner": "Tom"}}`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unmask.errors import InvalidRequest
from unmask.features.decisions.question import Question, plain, read_questions
from unmask.features.decisions.reading import Reading
from unmask.features.decisions.yardstick import Gate, Reliability, reliability, threshold
from unmask.run.intervals import Estimate

MOST = 500  # questions of a file
WANTED = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)  # shares of wrong answers for which there is a threshold


@dataclass(frozen=True)
class Answered:
    """A state, its questions, and the number of the right option of each."""

    state: str
    questions: tuple[Question, ...]
    right: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """How sure an answer was, and whether it was right."""

    sure: float
    right: bool


def read_answered(text: str) -> list[Answered]:
    """The lines of a file; InvalidRequest names the first line that is wrong."""
    found: list[Answered] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append(_answered(json.loads(line)))
            except json.JSONDecodeError as error:
                raise InvalidRequest(f"line {number} is no JSON: {error}"[:200]) from None
            except InvalidRequest as wrong:
                raise InvalidRequest(f"line {number}: {wrong}") from None
    count = sum(len(one.questions) for one in found)
    if not 0 < count <= MOST:
        raise InvalidRequest(f"the file has {count} questions: at least one and at most {MOST}")
    return found


def outcomes(one: Answered, reading: Reading) -> list[Outcome]:
    """The likeliest option of each question: its probability, and whether it is the right one."""
    rows = []
    for question, right in zip(one.questions, one.right, strict=True):
        shares = reading.shares[question.name]
        best = max(range(len(shares)), key=shares.__getitem__)
        rows.append(Outcome(shares[best], best == right))
    return rows


def commonest(rows: Sequence[Answered]) -> float:
    """How often the answer that is right most often in this file would be right."""
    right = [question.options[at] for one in rows for question, at in zip(one.questions, one.right, strict=True)]
    return max(map(right.count, set(right))) / len(right)


def curve(found: Sequence[Outcome]) -> dict[str, Any]:
    """For JSON: how often answers are right by how sure they were, and a threshold for each wanted share of errors."""
    sure, right = [one.sure for one in found], [one.right for one in found]
    return _curve(reliability(sure, right)) | {
        "count": len(found),
        "gates": [_gate(wanted, threshold(sure, right, wanted)) for wanted in WANTED],
    }


def _curve(found: Reliability) -> dict[str, Any]:
    bins = [{"count": one.count, "sure": one.sure, "right": _ends(one.right)} for one in found.bins]
    return {"accuracy": _ends(found.accuracy), "error": found.error, "bins": bins}


def _gate(wanted: float, gate: Gate | None) -> dict[str, Any]:
    found = {"above": gate.above, "answered": gate.answered, "wrong": _ends(gate.wrong)} if gate else {}
    return {"wanted": wanted} | found


def _ends(one: Estimate) -> list[float]:
    return [one.value, one.low, one.high]


def _answered(row: Any) -> Answered:
    if not isinstance(row, dict) or not isinstance(row.get("answers"), dict) or not row.get("state"):
        raise InvalidRequest("a line is an object with state, questions and answers")
    questions = read_questions(row.get("questions"))
    right = tuple(_right(one, row["answers"]) for one in questions)
    return Answered(plain(row["state"]), tuple(questions), right)


def _right(question: Question, answers: dict[str, Any]) -> int:
    """The number of the option that is the answer."""
    if question.name not in answers:
        raise InvalidRequest(f"answers has nothing for the question '{question.name[:40]}'")
    answer = answers[question.name]
    named = {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else str(answer)
    if named not in question.options:
        what = ", ".join(question.options[:8])
        raise InvalidRequest(f"'{named[:40]}' is no option of '{question.name[:40]}', which has {what}")
    return question.options.index(named)
