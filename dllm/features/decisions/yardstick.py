"""A yardstick: are the probabilities of decisions right? Questions about stories that the pair was never trained on.

A question is a story up to the last place of a character's name, and its options are the story's characters.
A reader of the story knows which of them is right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.errors import InvalidRequest
from unmask.run.intervals import LEVEL, Estimate, share

NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")  # not at the start of a sentence
BINS = 10


@dataclass(frozen=True)
class Cloze:
    """A text that stops before a name, the names that may follow, and the one that does."""

    state: str
    options: tuple[str, ...]
    right: str


def cloze(text: str) -> Cloze | None:
    """The question of a story; None where it has fewer than two characters."""
    places = list(NAME.finditer(text))
    names = tuple(dict.fromkeys(one[0] for one in places))
    seen = [one for one in places if len(set(NAME.findall(text[: one.start()]))) >= 2]
    if not seen:
        return None
    last = seen[-1]
    before = text[: last.start()].rstrip()
    known = tuple(name for name in names if re.search(rf"\b{name}\b", before))
    return Cloze(before, known, last[0]) if last[0] in known and len(known) >= 2 else None


@dataclass(frozen=True)
class Bin:
    """Answers given with a similar confidence: how sure they were on average, and how often they were right."""

    count: int
    sure: float
    right: Estimate


@dataclass(frozen=True)
class Reliability:
    """How often answers are right, by how sure they were."""

    accuracy: Estimate
    error: float  # expected calibration error: the mean distance of sure and right, weighted by answers
    bins: tuple[Bin, ...]


def reliability(sure: Sequence[float], right: Sequence[bool], bins: int = BINS, level: float = LEVEL) -> Reliability:
    """From the probability of each answer and whether it was right, in bins of equal width, with Wilson's intervals."""
    if not sure or len(sure) != len(right):
        raise InvalidRequest("a reliability curve needs a probability and an outcome for each of at least one answer")
    x, y = np.array(sure, float), np.array(right, float)
    if not ((x >= 0) & (x <= 1)).all():
        raise InvalidRequest("a probability is between 0 and 1")
    place = np.minimum((x * bins).astype(int), bins - 1)
    found = [
        Bin(int(here.sum()), float(x[here].mean()), share(y[here].tolist(), level))
        for here in (place == i for i in range(bins))
        if here.any()
    ]
    error = sum(one.count * abs(one.sure - one.right.value) for one in found) / len(x)
    return Reliability(share(y.tolist(), level), float(error), tuple(found))


@dataclass(frozen=True)
class Gate:
    """From which probability on to act, so that at most a wanted share of the answers acted on is wrong."""

    above: float
    answered: float  # the share of questions that is acted on
    wrong: Estimate  # of those


def threshold(sure: Sequence[float], right: Sequence[bool], wanted: float, level: float = LEVEL) -> Gate | None:
    """The lowest threshold at which, and above which, answered questions are wrong in at most the wanted share in these
    data; None where there is none. Equal probabilities are acted on together."""
    if not sure or len(sure) != len(right) or not 0 <= wanted < 1:
        raise InvalidRequest("a threshold needs a probability and an outcome for each answer, and a share below 1")
    best = None
    for above in sorted(set(sure), reverse=True):
        wrong = [float(not ok) for p, ok in zip(sure, right, strict=True) if p >= above]
        if sum(wrong) <= wanted * len(wrong):
            best = Gate(above, len(wrong) / len(sure), share(wrong, level))
    return best


def majority(questions: Sequence[Cloze]) -> float:
    """How often the character who is named most often before is the right one."""
    right = [max(one.options, key=_mentions(one).__getitem__) == one.right for one in questions]
    return sum(right) / len(right)


def _mentions(one: Cloze) -> Counter[str]:
    return Counter({name: len(re.findall(rf"\b{name}\b", one.state)) for name in one.options})
