"""A question with options, in the form of `POST /v1/systemone`, and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from unmask.errors import InvalidRequest

CHOICES, LEVELS = 255, range(2, 11)  # options of a choice at most; levels of a scale
KINDS = ("noul", "choice", "score")
FIELDS = ("type", "instructions", "criteria")


@dataclass(frozen=True)
class Question:
    """What is asked, and the options by which it can be answered."""

    name: str
    kind: str  # noul: yes or no; choice: one of several; score: a level of a scale
    instructions: str
    options: tuple[str, ...]
    descriptions: tuple[str, ...]  # of each option; empty where there is none
    legend: Sequence[Any] = ()  # of a scale: its levels as they were given

    @property
    def is_bare(self) -> bool:
        """Whether nothing is written before its cell: the state alone says what is asked."""
        return not self.instructions and not any(self.descriptions)

    def text(self, first: int = 0) -> str:
        """What is written before its cell; its options begin with number `first`."""
        if self.is_bare:
            return ""
        count = len(self.options)
        order = [(first + i) % count for i in range(count)]
        named = [self.options[i] + (f" ({self.descriptions[i]})" if self.descriptions[i] else "") for i in order]
        return f"\n{self.instructions} {', '.join(named)}:".replace("\n ", "\n")

    def answer(self, shares: Sequence[float]) -> dict[str, Any]:
        """The answer, given the probability of each option."""
        if self.kind == "noul":
            return {"type": "noul", "noul": shares[0]}
        confidence = {"confidence": certainty(shares)}
        if self.kind == "choice":
            best = max(range(len(shares)), key=shares.__getitem__)
            found = dict(zip(self.options, shares, strict=True))
            return {"type": "choice", "choice": self.options[best], **confidence, "probabilities": found}
        levels = {str(i): share for i, share in enumerate(shares)}
        legend = {str(i): what for i, what in enumerate(self.legend)}
        mean = sum(i * share for i, share in enumerate(shares))
        return {"type": "score", "score": mean, **confidence, "legend": legend, "probabilities": levels}


def certainty(shares: Sequence[float]) -> float:
    """1 less the entropy over that of equal shares: 0 where all are equal, 1 where one has all."""
    if len(shares) == 1:
        return 1.0
    return min(1.0, max(0.0, 1 + sum(share * log(share) for share in shares if share > 0) / log(len(shares))))


def read_questions(rows: Any) -> list[Question]:
    """The questions by name; InvalidRequest names the first field that is wrong."""
    if not isinstance(rows, Mapping) or not rows:
        raise InvalidRequest("questions must be an object with at least one question", "questions")
    return [_question(str(name), row) for name, row in rows.items()]


def plain(content: Any) -> str:
    """Text as it is, anything else as JSON."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _question(name: str, row: Any) -> Question:
    place = f"questions.{name}"
    if not isinstance(row, Mapping):
        raise InvalidRequest(f"{place} must be an object with a type", place)
    if (kind := row.get("type")) not in KINDS:
        raise InvalidRequest(f"{place}.type must be one of {', '.join(KINDS)}, not {plain(kind)[:40]}", f"{place}.type")
    if extra := [field for field in row if field not in FIELDS]:
        raise InvalidRequest(f"{place}.{str(extra[0])[:40]} is not a field of a question", place)
    given = row.get("instructions")
    if given is not None and not isinstance(given, str | list | dict):
        raise InvalidRequest(f"{place}.instructions must be text, an object or an array", f"{place}.instructions")
    made = {"noul": _noul, "choice": _choice, "score": _score}[kind]
    options, descriptions, legend = made(f"{place}.criteria", row.get("criteria"), given)
    return Question(name, kind, "" if given is None else plain(given), options, descriptions, legend)


Options = tuple[tuple[str, ...], tuple[str, ...], Sequence[Any]]


def _noul(place: str, criteria: Any, given: Any) -> Options:
    if criteria is not None and not isinstance(criteria, Mapping):
        raise InvalidRequest(f"{place} must be an object with true and false", place)
    found = [(criteria or {}).get(name) for name in ("true", "false")]
    if extra := [name for name in criteria or {} if name not in ("true", "false")]:
        raise InvalidRequest(f"{place} has true and false, not {str(extra[0])[:40]}", place)
    if given is None and found == [None, None]:
        raise InvalidRequest(f"{place} is missing: give instructions, or what counts as true or false", place)
    return ("yes", "no"), tuple("" if one is None else plain(one) for one in found), ()


def _choice(place: str, criteria: Any, _: Any) -> Options:
    if not isinstance(criteria, Mapping) or not criteria:
        raise InvalidRequest(f"{place} must be an object with at least one option", place)
    if len(criteria) > CHOICES:
        raise InvalidRequest(f"{place} has {len(criteria)} options, and {CHOICES} are the most", place)
    names = [str(name).strip() for name in criteria]
    if "" in names:
        raise InvalidRequest(f"{place} has an option without a name", place)
    if twice := [name for name in names if names.count(name) > 1]:
        raise InvalidRequest(f"{place} has the option '{twice[0][:40]}' twice", place)
    return tuple(names), tuple("" if one is None else plain(one) for one in criteria.values()), ()


def _score(place: str, criteria: Any, _: Any) -> Options:
    if not isinstance(criteria, list) or len(criteria) not in LEVELS:
        has = f"{len(criteria)}" if isinstance(criteria, list) else "none"
        raise InvalidRequest(f"{place} must list {LEVELS[0]} to {LEVELS[-1]} levels, and has {has}", place)
    if any(one in (None, "") for one in criteria):
        raise InvalidRequest(f"{place} has a level without a description", place)
    return tuple(map(str, range(len(criteria)))), tuple(map(plain, criteria)), criteria
