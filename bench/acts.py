"""Runs an entry of the lists with a model's default decoder (a prompt or an act of steering), and judges the result."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from unmask.canvas import Ints
from unmask.canvas.text import encode_at
from unmask.inference import ood
from unmask.inference.decode import decode
from unmask.models import Denoiser
from unmask.pair.worlds import strict
from unmask.pair.worlds.fact_agreement import sentences
from unmask.run.command import Edit, Erase, Pin, Stretch
from unmask.run.edit import Steering
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.run.stats import answer_text, text_cells

Spec = Mapping[str, Any]
LENGTH = 144  # open cells after a prompt, as on the page for a story or a dialogue


@dataclass
class Run:
    """A run of one model, and its cost so far."""

    denoiser: Denoiser
    state: State
    passes: int = 0
    forwards: int = 0
    seconds: float = 0.0  # of processor time
    cells: int = field(init=False)

    def __post_init__(self) -> None:
        self.cells = int(self.state.canvas.answer.sum())

    @property
    def text(self) -> str:
        return answer_text(self.denoiser, self.state.canvas)

    def decode(self, most: int | None = None) -> None:
        """Run to the end, or at most `most` passes."""
        began = time.process_time()
        for state, frame in islice(decode(self.denoiser, self.state), most):
            self.state = state
            self.passes += 1
            self.forwards += frame.cost
        self.seconds += time.process_time() - began
        self.cells = max(self.cells, int(self.state.canvas.answer.sum()))

    def edit(self, edit: Edit) -> None:
        self.state = Steering(self.denoiser.card, self.denoiser.tokenizer).after(self.state, [edit])

    def sentence(self, number: int) -> tuple[str, Ints]:
        """Sentence `number` of the answer (the last one if there are fewer), and its cells."""
        canvas = self.state.canvas
        cells = np.flatnonzero(text_cells(canvas, self.denoiser.card))
        found = sentences(self.text)
        number = min(number, len(found) - 1)
        begins = 0
        for line in found[: number + 1]:
            begins = self.text.index(line, begins)
            ends = begins + len(line)
            begins, last = ends, begins
        pieces = [self.denoiser.tokenizer.decode(canvas.tokens[[cell]].tolist()) for cell in cells]
        stops = np.cumsum([len(piece) for piece in pieces])
        return found[number], cells[(stops > last) & (stops <= ends)]

    def row(self) -> dict[str, Any]:
        canvas, card = self.state.canvas, self.denoiser.card
        return {
            "text": self.text,
            "ended": bool(np.isin(canvas.tokens[canvas.answer & ~canvas.open], card.ends).any()),
            "cells": self.cells,
            "passes": self.passes,
            "forwards": self.forwards,
            "tokens": int((text_cells(canvas, card) & ~canvas.pinned).sum()),
            "seconds": round(self.seconds, 3),
        }


def begun(denoiser: Denoiser, prompt: str, seed: int = 0, **changes: Any) -> Run:
    """A new run of the default decoder, before its first pass."""
    denoiser.clear_caches()
    spec = RunSpec(prompt, length=LENGTH, seed=seed, changes=changes)
    return Run(denoiser, spec.start(denoiser.card, denoiser.tokenizer))


def right(spec: Spec, text: str) -> bool:
    """Whether the strict judge finds no mistake in a text."""
    return strict(spec["prompt"], text).strict


def whole_word(word: str, text: str) -> bool:
    return bool(re.search(rf"\b{re.escape(word)}\b", text))


def prompt(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    run = begun(denoiser, spec["prompt"])
    run.decode()
    declined = bool(ood.unfamiliar_note(denoiser, spec["prompt"]))  # by the page, before the run
    return run.row() | {"strict": right(spec, spec["prompt"] + run.text), "unfamiliar": declined}


def early_pin(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    """Pin a word at a cell before the first pass, or after one."""
    run = begun(denoiser, spec["prompt"], spec["seed"])
    run.decode(spec["pass"])
    tokens = encode_at(run.state.canvas, spec["cell"], spec["word"], denoiser.tokenizer)
    run.edit(Pin(tuple(range(spec["cell"], spec["cell"] + len(tokens))), tuple(tokens)))
    run.decode()
    there = whole_word(spec["word"], run.text)
    return run.row() | {"there": there, "good": there and right(spec, spec["prompt"] + run.text)}


def pinned_ending(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    """Fill open cells before a given last sentence."""
    run = begun(denoiser, f"{spec['prompt']}[MASK:{spec['cells']}]{spec['ending']}", spec["seed"])
    run.decode()
    return run.row() | {"good": right(spec, spec["prompt"] + run.text + spec["ending"])}


def gap_of_unknown_length(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    """Fill in a missing sentence; its gap starts with `cells` cells and may grow to `room`."""
    blank = f"{spec['before']}[MASK:{spec['cells']}]{spec['after']}"
    run = begun(denoiser, blank, spec["seed"], room=spec["room"])
    run.decode()
    return run.row() | {"good": right(spec, spec["before"] + run.text + spec["after"])}


def must_contain_a_word(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    run = begun(denoiser, spec["prompt"], spec["seed"], constraint={"kind": "contains", "text": spec["word"]})
    run.decode()
    there = whole_word(spec["word"], run.text)
    return run.row() | {"there": there, "good": there and right(spec, spec["prompt"] + run.text)}


def erase_and_refill(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    """Erase a sentence of a finished text, and decode again."""
    run = begun(denoiser, spec["prompt"], spec["seed"])
    run.decode()
    before = run.text
    sentence, cells = run.sentence(spec["sentence"])
    run.edit(Erase(tuple(cells.tolist()), differently=True))
    run.decode()
    changed = run.text != before and sentence not in run.text
    good = changed and right(spec, spec["prompt"] + run.text)
    return run.row() | {"before": before, "erased": sentence, "there": changed, "good": good}


def insert(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    """Insert open cells after a sentence of a finished text, and decode."""
    run = begun(denoiser, spec["prompt"], spec["seed"])
    run.decode()
    before = run.text
    sentence, cells = run.sentence(spec["sentence"])
    run.edit(Stretch(int(cells[-1]) + 1, spec["cells"]))
    run.decode()
    changed = run.text != before
    good = changed and right(spec, spec["prompt"] + run.text)
    return run.row() | {"before": before, "behind": sentence, "there": changed, "good": good}


ACTS: dict[str, Callable[[Denoiser, Spec], dict[str, Any]]] = {
    "early pin": early_pin,
    "pinned ending": pinned_ending,
    "gap of unknown length": gap_of_unknown_length,
    "must contain a word": must_contain_a_word,
    "erase and refill": erase_and_refill,
    "insert": insert,
}


def done(denoiser: Denoiser, spec: Spec) -> dict[str, Any]:
    """An entry of either list with its result."""
    return dict(spec) | ACTS.get(spec["kind"], prompt)(denoiser, spec)
