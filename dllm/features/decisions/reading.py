"""Answers questions by reading a canvas: the state, then for each question its text and an open cell.

If every option is one token, one forward answers all questions. A longer option is scored whole: the log probabilities
of its tokens, each given the ones before, which costs a forward for each different beginning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unmask.canvas import Floats
from unmask.errors import InvalidRequest
from unmask.features.decisions.question import Question
from unmask.inference.canvas_read import CellRead, read_canvas, seeded
from unmask.models import Denoiser
from unmask.run.spec import RunSpec
from unmask.run.state import start

NAMED = 128  # tokens whose probability a server sends besides the likeliest ones of a cell
DRAWS = 4  # of a model whose open cells hold random tokens

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """The probability of each option of each question, and what it cost."""

    shares: dict[str, list[float]]
    forwards: int
    input_tokens: int


@dataclass(frozen=True)
class Slot:
    """A question, and the tokens of each option."""

    question: Question
    options: tuple[Tokens, ...]

    @property
    def is_short(self) -> bool:
        return all(len(option) == 1 for option in self.options)


def check_reads(denoiser: Denoiser) -> None:
    """Refuse a model that has no canvas."""
    if denoiser.card.causal:
        why = f"{denoiser.card.name} reads from left to right and has no canvas: choose a diffusion model"
        raise InvalidRequest(why, "model")


def read(
    denoiser: Denoiser, state: str, questions: Sequence[Question], together: bool, every_order: bool, draws: int = 0
) -> Reading:
    """The belief about each question: `together` on one canvas or each alone, averaged over the orders of options if
    `every_order`, and over `draws` where open cells hold random tokens."""
    check_reads(denoiser)
    reader = _Reader(denoiser, state)
    every = [Slot(one, reader.options(one)) for one in questions]
    shares: dict[str, list[list[float]]] = {one.name: [] for one in questions}
    for group in [every] if together else [[one] for one in every]:
        most = max(len(one.options) for one in group) if every_order else 1
        for first in range(most):
            for seed in range((draws or DRAWS) if denoiser.card.noise else 1):
                for name, found in reader.read(group, first, seed).items():
                    if first < len(found):  # each option stands in each place once
                        shares[name].append(found)
    means = {name: np.mean(rows, axis=0).tolist() for name, rows in shares.items()}
    return Reading(means, reader.forwards, reader.longest)


def read_given(denoiser: Denoiser, state: str, questions: Sequence[Question], given: Mapping[str, int]) -> Reading:
    """The belief about the other questions of the canvas, where some are answered by an option's number."""
    check_reads(denoiser)
    reader = _Reader(denoiser, state)
    every = [Slot(one, reader.options(one)) for one in questions]
    for slot in every:
        if (option := given.get(slot.question.name)) is not None:
            reader.answered[slot.question.name] = slot.options[option]
    shares = reader.read(every, 0, 0)
    return Reading(shares, reader.forwards, reader.longest)


class _Reader:
    """Reads canvases of one state, and counts forwards."""

    def __init__(self, denoiser: Denoiser, state: str) -> None:
        self.denoiser, self.prompt = denoiser, denoiser.tokenizer.encode(state)
        self.forwards = self.longest = 0
        self.answered: dict[str, Tokens] = {}  # what is written in the cells of a question

    def options(self, question: Question) -> tuple[Tokens, ...]:
        """The tokens of each option, as they are written after the question's text."""
        encode, place = self.denoiser.tokenizer.encode, f"questions.{question.name}.criteria"
        gap = " " if self.denoiser.card.spaced else ""
        found = tuple(tuple(encode(gap + option)) for option in question.options)
        for option, tokens in zip(question.options, found, strict=True):
            if not tokens:
                raise InvalidRequest(f"the model has no token for the option '{option[:40]}'", place)
            if found.count(tokens) > 1:
                raise InvalidRequest(f"the model writes the option '{option[:40]}' like another", place)
        return found

    def read(self, group: Sequence[Slot], first: int, seed: int) -> dict[str, list[float]]:
        """The probabilities of one canvas; the options of each question begin with number `first`."""
        found: dict[str, list[float]] = {}
        left = [one for one in group if one.question.name not in self.answered]
        if short := [one for one in left if one.is_short]:
            ids = sorted({option[0] for one in short for option in one.options})
            cells, slots = self._cells(group, first, seed, None, (), ids, True)
            for one in short:
                named = dict(cells[slots[one.question.name]].chosen)
                found[one.question.name] = _normal([named[option[0]] for option in one.options])
        for one in left:
            if not one.is_short:
                found[one.question.name] = self._whole(group, one, first, seed)
        return found

    def _whole(self, group: Sequence[Slot], slot: Slot, first: int, seed: int) -> list[float]:
        """The probabilities of options of several tokens."""
        known: dict[tuple[int, Tokens], dict[int, float]] = {}
        scores = []
        for option in slot.options:
            total = 0.0
            for at, token in enumerate(option):
                key = len(option), option[:at]
                if key not in known:
                    ids = sorted({o[at] for o in slot.options if len(o) == len(option) and o[:at] == option[:at]})
                    cells, slots = self._cells(group, first, seed, (slot, len(option)), option[:at], ids, False)
                    known[key] = dict(cells[slots[slot.question.name] + at].chosen)
                total += known[key][token]
            scores.append(total)
        return _normal(scores)

    def _cells(
        self,
        group: Sequence[Slot],
        first: int,
        seed: int,
        wide: tuple[Slot, int] | None,
        prefix: Tokens,
        ids: Sequence[int],
        only: bool,
    ) -> tuple[dict[int, CellRead], dict[str, int]]:
        """The open cells behind the state, and where the cell of each question is; `wide` has more cells than one, of
        which the first hold `prefix`."""
        card, tokenizer = self.denoiser.card, self.denoiser.tokenizer
        if card.candidates and len(ids) > NAMED:
            why = f"{card.device} sends the probability of {NAMED} chosen tokens, and these options have {len(ids)}"
            raise InvalidRequest(f"{why}: ask fewer at once, or choose a model that runs here", "questions")
        draw = np.random.default_rng(seed)
        cells: list[int] = []
        fixed: list[bool] = []
        slots: dict[str, int] = {}
        for one in group:
            text = tokenizer.encode(one.question.text(first)) if not one.question.is_bare else []
            slots[one.question.name] = len(cells) + len(text)
            here = prefix if wide and wide[0] is one else self.answered.get(one.question.name, ())
            left = max(wide[1] if wide and wide[0] is one else 1, len(here)) - len(here)
            cells += [*text, *here, *draw.integers(0, card.words, left).tolist()]
            fixed += [True] * (len(text) + len(here)) + [False] * left
        self._check_room(len(cells))
        canvas = seeded(self.prompt, cells, fixed, card.noise)
        settings = RunSpec(seed=seed).settings(card, len(cells))
        begun = start(canvas, replace(settings, noise=0)) if settings.noise else start(canvas, settings)
        self.forwards += 1
        self.longest = max(self.longest, len(canvas))
        found = read_canvas(self.denoiser, replace(begun, settings=settings), 0, ids, only, opened=True)
        return dict(zip((at for at, one in enumerate(fixed) if not one), found, strict=True)), slots

    def _check_room(self, cells: int) -> None:
        card, needed = self.denoiser.card, len(self.prompt) + cells
        if needed > card.longest:
            why = f"the state and its questions have {needed} tokens, and this model reads {card.longest}"
            raise InvalidRequest(f"{why}: shorten the state, or ask fewer at once", "state")
        if card.canvas and cells > card.canvas:
            why = f"the questions have {cells} tokens, and this model's canvas {card.canvas} cells"
            raise InvalidRequest(f"{why}: ask fewer at once", "questions")


def _normal(scores: Sequence[float]) -> list[float]:
    """Probabilities from log probabilities."""
    x: Floats = np.array(scores, float)
    shares: Any = np.exp(x - x.max())
    found: list[float] = (shares / shares.sum()).tolist()
    return found
