"""Plays the runs of a lesson and checks their goals, on its own prompts and on others of their kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from unmask.canvas.text import encode_at
from unmask.inference.decode import timelines
from unmask.inference.measures import measure
from unmask.models import Denoiser, load
from unmask.run.command import Pin
from unmask.ui.lessons import Lesson
from unmask.ui.lessons.lesson_run import TWIN, LessonRun, Runs

Known = dict[str, dict[str, Any]]  # the measures of each run
ENOUGH = 0.8  # of the other prompts show the claim; else the lesson says that they may not


@dataclass(frozen=True)
class Missed:
    """A goal that its run does not meet: on the lesson's own prompts (0), or on others (1, 2, …)."""

    run: str
    sentence: str
    goal: str
    value: float | None
    prompts: int = 0

    def __str__(self) -> str:
        where = f" (also {self.prompts})" if self.prompts else ""
        value = "unknown" if self.value is None else f"{self.value:.4g}"
        return f"run '{self.run}'{where}: “{self.sentence}” is not true: {self.goal}, and it is {value}"


@cache
def _model(name: str) -> Denoiser:
    return load(name)


def play(run: LessonRun) -> dict[str, Any]:
    """The measures of a run, decoded here."""
    denoiser = _model(run.spec.model)
    edits = []
    if run.pin:
        canvas = run.spec.start(denoiser.card, denoiser.tokenizer).canvas
        tokens = encode_at(canvas, run.pin.cell, run.pin.word, denoiser.tokenizer)
        cells = range(run.pin.cell, run.pin.cell + len(tokens))
        edits = [(run.pin.look, Pin(tuple(cells), tuple(tokens)))]
    *_, timeline = timelines(denoiser, run.spec, True, edits)
    return measure(denoiser, timeline.head, run.spec.prompt, any("chance" in goal.text for goal in run.goals.values()))


def play_twin(run: LessonRun) -> dict[str, Any]:
    """The measures of the run beside it: the twin's, or the same model's from the left."""
    model = TWIN if run.spec.model in ("denoiser", "fast") else run.spec.model
    changes = {k: v for k, v in run.spec.changes.items() if k == "temperature"}
    return play(replace(run, spec=replace(run.spec, model=model, preset="autoregressive", changes=changes), goals={}))


def misses(runs: Runs, prompts: int = 0) -> Iterator[Missed]:
    """The goals of some runs that are not met, played one after the other."""
    known: Known = {}
    for name, run in runs.items():
        known[name] = play(run)
        others: Mapping[str, Any] = known | ({TWIN: play_twin(run)} if run.needs_twin else {})
        for sentence, goal in run.goals.items():
            if not goal.holds(known[name], others):
                yield Missed(name, sentence, goal.text, goal.values(known[name], others)[0], prompts)


def check(lesson: Lesson) -> list[Missed]:
    """Every goal that a lesson's own runs do not meet."""
    return list(misses(lesson.runs))


def check_also(lesson: Lesson) -> list[list[Missed]]:
    """For each of its other prompts, the goals that are not met."""
    return [list(misses(runs, i)) for i, runs in enumerate(lesson.also, 1)]
