"""What can be measured of a finished run, and goals: comparisons of two measures, such as `looks < 2 * story.looks`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from unmask.errors import InvalidRequest
from unmask.inference.outcomes import outcomes
from unmask.models import Denoiser
from unmask.models.oracle import Oracle
from unmask.run.fed_tokens import work_of_passes
from unmask.run.frame import Frame
from unmask.run.judge import judge
from unmask.run.modelled_time import Clock, modelled_time
from unmask.run.pass_time import get_chip, get_size
from unmask.run.state import State
from unmask.run.stats import answer_text, text_cells
from unmask.run.timeline import Node

Measures = Mapping[str, Any]  # of one run: the numbers of `MEASURES`, its `text`, and its `tokens` for comparisons
MEASURES = {
    "looks": "passes of the run",
    "words": "tokens of the text",
    "together": "most cells that one look wrote",
    "typed": "share of looks that wrote the next open cell alone",
    "first": "share of the text that the first look guessed",
    "faults": "statements in the text that contradict it; with no judge for the text, unknown",
    "right": "1 if the text is right, else 0; with no judge for the text, unknown",
    "replaced": "written words that the model replaced or erased",
    "pinned": "cells that a person pinned",
    "h100_1": "tokens a second for one user, if it were a model of 8 billion on an H100 (modelled)",
    "h100_64": "the same for each of 64 users at once",
    "chance": "how often a run like this is right, counted over all draws; known for small exact worlds only",
}
H100, SIZE = get_chip("h100"), get_size("llada-8b")
COUNTED = 20_000  # draws of one look that are counted: five cells of seven words
ALIKE = "alike"  # alike(RUN): the share of cells that hold what they hold in another run

COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip
_TERM = (
    r"(?:(?P<{0}number>-?\d+(?:\.\d+)?)|"
    r"(?:(?P<{0}factor>\d+(?:\.\d+)?) ?\* ?)?(?P<{0}name>[a-z]\w*(?:\.\w+)?(?:\(\w+\))?))"
)
_GOAL = re.compile(rf"\s*{_TERM.format('left_')}\s*(?P<sign><=|>=|<|>|=)\s*{_TERM.format('right_')}\s*")
_NAME = re.compile(rf"(?:(?P<run>\w+)\.)?(?:(?P<measure>{'|'.join(MEASURES)})|{ALIKE}\((?P<other>\w+)\))")


def measure(denoiser: Denoiser, end: Node, prompt: str, chance: bool = False) -> dict[str, Any]:
    """The measures of a finished run; None for one that is unknown. `chance` takes longer than all others."""
    canvas, path = end.canvas, end.path()
    frames = [node.frame for node in path if node.frame is not None]
    cells = text_cells(canvas, denoiser.card)
    given = ~canvas.answer
    passes = [(before.state, node.frame) for before, node in pairwise(path) if node.frame is not None]
    works = list(work_of_passes(denoiser.card, passes))
    times = [modelled_time(Clock(H100, SIZE, users), works, int(cells.sum())) for users in (1, 64)]
    speeds = [round(time.tokens_per_second, 1 if time.tokens_per_second < 10 else None) for time in times]
    right, faults = _judged(denoiser, prompt, end, denoiser.tokenizer.decode(canvas.tokens[given | cells].tolist()))
    return {
        "looks": len(frames),
        "words": int(cells.sum()),
        "together": max((len(frame.cells) for frame in frames), default=0),
        "typed": _typed(path),
        "first": _guessed_first(frames, end, cells),
        "faults": faults,
        "right": right,
        "replaced": sum(int((f.was >= 0).sum()) + len(f.erased) for f in frames),
        "pinned": int((canvas.pinned & canvas.answer).sum()),
        "h100_1": speeds[0],
        "h100_64": speeds[1],
        "chance": _chance(denoiser, path[0].state) if chance else None,
        "text": answer_text(denoiser, canvas),
        "tokens": canvas.tokens[canvas.answer].tolist(),
    }


def _judged(denoiser: Denoiser, prompt: str, end: Node, text: str) -> tuple[int | None, int | None]:
    """Whether a text is right, and the number of its faults."""
    if isinstance(denoiser, Oracle):
        cells = denoiser.texts.shape[1]
        if len(end.canvas) < cells:
            return None, None
        return int((denoiser.texts == end.canvas.tokens[:cells]).all(1).any()), None
    verdict = judge().strict(prompt, text)
    if not verdict.known:
        return None, None
    return int(verdict.strict), sum(not fact.holds for fact in verdict.facts)


def _chance(denoiser: Denoiser, state: State) -> float | None:
    """The probability that a run from this state ends in a text of its world."""
    if not isinstance(denoiser, Oracle) or denoiser.card.words ** int(state.canvas.open.sum()) > COUNTED:
        return None
    found = outcomes(denoiser, replace(state, settings=replace(state.settings, precision="double")))
    right = set(map(tuple, denoiser.texts.tolist()))
    return sum(share for text, share in found.items() if text in right)


def _typed(path: list[Node]) -> float:
    """The share of passes that wrote exactly the first open cell."""
    looks = [(before.canvas, after.frame) for before, after in pairwise(path) if after.frame]
    hits = [len(f.cells) == 1 and f.cells[0] == int(np.argmax(canvas.open)) for canvas, f in looks]
    return float(np.mean(hits)) if hits else 0.0


def _guessed_first(frames: list[Frame], end: Node, cells: np.ndarray[Any, Any]) -> float | None:
    """The share of the text that was the likeliest guess of the first pass; unknown after a change of length."""
    if not frames or len(frames[0].guess) != len(end.canvas):
        return None
    guess = frames[0].guess
    known = cells & (guess >= 0)
    return float((guess[known] == end.canvas.tokens[known]).mean()) if known.any() else None


@dataclass(frozen=True)
class Goal:
    """A comparison of two terms, which a finished run meets or does not meet."""

    text: str

    def __post_init__(self) -> None:
        _match(self.text)

    @property
    def runs(self) -> set[str]:
        """The names of the other runs that it compares with."""
        match = _match(self.text)
        names = [_NAME.fullmatch(match[f"{side}_name"]) for side in ("left", "right") if match[f"{side}_name"]]
        return {name for found in names if found for name in (found["run"], found["other"]) if name}

    def values(self, own: Measures, others: Mapping[str, Measures]) -> tuple[float | None, float | None]:
        """The values of both terms; None where one is unknown."""
        match = _match(self.text)
        return _value(match, "left", own, others), _value(match, "right", own, others)

    def holds(self, own: Measures, others: Mapping[str, Measures]) -> bool:
        """Whether the comparison is true; with an unknown value it is not."""
        left, right = self.values(own, others)
        return left is not None and right is not None and COMPARE[_match(self.text)["sign"]](left, right)


def _match(text: str) -> re.Match[str]:
    match = _GOAL.fullmatch(text)
    if match is None:
        raise InvalidRequest(f"a goal compares two measures, such as 'looks < 2 * story.looks', not {text!r}", "goal")
    for name in (match["left_name"], match["right_name"]):
        if name and not _NAME.fullmatch(name):
            raise InvalidRequest(f"'{name}' is not a measure; there are {', '.join(MEASURES)}, {ALIKE}(RUN)", "goal")
    return match


def _value(match: re.Match[str], side: str, own: Measures, others: Mapping[str, Measures]) -> float | None:
    if match[f"{side}_number"]:
        return float(match[f"{side}_number"])
    name = _NAME.fullmatch(match[f"{side}_name"])
    assert name is not None  # `_match` has read it
    for other in (name["run"], name["other"]):
        if other and other not in others:
            raise InvalidRequest(f"there is no run '{other}' before this one", "goal")
    measures = others[name["run"]] if name["run"] else own
    found = _alike(measures, others[name["other"]]) if name["other"] else measures.get(name["measure"])
    factor = float(match[f"{side}_factor"] or 1)
    return factor * float(found) if isinstance(found, int | float) else None


def _alike(one: Measures, other: Measures) -> float | None:
    a, b = one.get("tokens"), other.get("tokens")
    if not isinstance(a, list) or not isinstance(b, list) or len(a) != len(b) or not a:
        return None
    return sum(bool(x == y) for x, y in zip(a, b, strict=True)) / len(a)


def compared(goals: Iterable[Goal], own: Measures, others: Mapping[str, Measures]) -> dict[str, float | None]:
    """The value of each term `alike(RUN)` of this run's own, under its name."""
    found = {}
    for match in (_match(goal.text) for goal in goals):
        for side in ("left", "right"):
            name = match[f"{side}_name"] or ""
            if name.startswith(ALIKE):
                found[name] = _value(match, side, own, others)
    return found
