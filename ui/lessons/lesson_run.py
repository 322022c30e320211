"""The runs of a lesson: what is played, what must be true of it, and the same on other prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml  # type: ignore[import-untyped]

from unmask.errors import InvalidRequest
from unmask.inference.measures import Goal
from unmask.run.spec import RunSpec

TWIN = "twin"  # the run beside each run: of the twin, or of the same model from the left
SPEC = {"prompt", "model", "length", "decoder", "seed", "settings"}
FIELDS = {*SPEC, "button", "pin", "goals"}


@dataclass(frozen=True)
class Pinned:
    """A word that is put into a cell before a look."""

    look: int
    cell: int
    word: str


@dataclass(frozen=True)
class LessonRun:
    button: str
    spec: RunSpec
    goals: Mapping[str, Goal]  # by the sentence that says what is to be seen
    pin: Pinned | None = None

    @property
    def needs_twin(self) -> bool:
        """Whether a goal compares it with the run beside it."""
        return any(TWIN in goal.runs for goal in self.goals.values())

    def has_goal_about(self, name: str) -> bool:
        """Whether a goal has this measure, such as `alike(first)`."""
        return any(name in goal.text for goal in self.goals.values())

    def to_dict(self) -> dict[str, Any]:
        """For the page: the order, and its goals."""
        edits = [[self.pin.look, {"do": "pin", "at": self.pin.cell, "text": self.pin.word}]] if self.pin else []
        return {
            "button": self.button,
            "order": self.spec.to_dict(),
            "edits": edits,
            "goals": {sentence: goal.text for sentence, goal in self.goals.items()},
        }


Runs = Mapping[str, LessonRun]


def read_runs(name: str, text: str) -> tuple[Runs, tuple[Runs, ...]]:
    """The runs of a lesson, and the same on other prompts, from YAML; `name` is the file's."""
    try:
        row = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else 1
        raise InvalidRequest(f"{name}, line {line}: this is not YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(row, dict) or not isinstance(row.get("runs"), dict) or not row["runs"]:
        raise InvalidRequest(f"{name}, line 2: 'runs:' and under it at least one run")
    if unknown := {*row} - {"runs", "also"}:
        raise InvalidRequest(f"{name}, line 2: '{min(map(str, unknown))}' is not known here; there are runs and also")
    rows = {str(run): fields for run, fields in row["runs"].items()}
    runs = _read_all(name, rows)
    others = row.get("also") or []
    if not isinstance(others, list) or not all(isinstance(one, dict) for one in others):
        raise InvalidRequest(f"{name}: 'also:' is a list of changes, such as '- prompt: …'")
    return runs, tuple(_read_all(f"{name}, also {i}", _changed(rows, one)) for i, one in enumerate(others, 1))


def _changed(rows: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The runs with changes to all of them, or by name to some."""
    common = {k: v for k, v in change.items() if k not in rows}
    return {run: {**fields, **common, **(change.get(run) or {})} for run, fields in rows.items()}


def _read_all(name: str, rows: Mapping[str, Any]) -> Runs:
    runs: dict[str, LessonRun] = {}
    for run, fields in rows.items():
        where = f"{name}, run '{run}'"
        if run == TWIN or not run.isidentifier():
            raise InvalidRequest(f"{where}: a run's name is one word of letters, and not '{TWIN}'")
        runs[run] = _read(where, fields)
        for sentence, goal in runs[run].goals.items():
            if unknown := goal.runs - {*runs, TWIN}:
                raise InvalidRequest(f"{where}: '{sentence}' compares with '{min(unknown)}', which is no run before it")
    return runs


def _read(where: str, fields: Any) -> LessonRun:
    if not isinstance(fields, dict) or not isinstance(fields.get("goals"), dict) or not fields["goals"]:
        raise InvalidRequest(f"{where}: a run has fields, and at least one goal: 'goals:' with 'sentence: comparison'")
    if unknown := {*map(str, fields)} - FIELDS:
        raise InvalidRequest(f"{where}: '{min(unknown)}' is not a field; there are {', '.join(sorted(FIELDS))}")
    order = {k: v for k, v in fields.items() if k in SPEC}
    order["preset"], order["changes"] = order.pop("decoder", ""), order.pop("settings", None) or {}
    try:
        pin = Pinned(**fields["pin"]) if fields.get("pin") else None
        goals = {str(sentence): Goal(str(text)) for sentence, text in fields["goals"].items()}
        spec = RunSpec.from_dict(order)
    except TypeError:
        raise InvalidRequest(f"{where}: a pin has three fields: look, cell, word") from None
    except InvalidRequest as error:
        raise InvalidRequest(f"{where}: {error}") from None
    return LessonRun(str(fields.get("button") or "Play it"), spec, goals, pin)
