"""A sweep as CSV and JSON, in which each run and each point comes with the command that repeats it."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterator
from dataclasses import fields
from math import isnan
from typing import Any

from unmask.features.lab.sweep import Outcome
from unmask.features.lab.sweep_file import ENDING, SavedSweep

FORMULA = ("=", "+", "-", "@", "\t", "\r")
FILE = f"sweep{ENDING}"  # the name under which the page downloads a sweep
COLUMNS = [one.name for one in fields(Outcome) if one.name != "spec"]
TITLES = {"seconds": "modelled_seconds"}  # of columns that are called otherwise in the CSV


def run_command(saved: SavedSweep, outcome: Outcome) -> str:
    """The command that repeats one run: it prints the text, the passes and the score."""
    words = ["unmask", "sweep", "--again", json.dumps(dict(outcome.spec))]
    if saved.scorer:
        reference = next(one.reference for one in saved.items if one.prompt == outcome.prompt)
        words += ["--scorer", saved.scorer, "--reference", json.dumps(reference)]
    return shlex.join(words)


def point_command(decoder: str, file: str = FILE) -> str:
    """The command that repeats every run of a point, from the file of its sweep."""
    return shlex.join(["unmask", "sweep", "--open", file, "--repeat", decoder])


def rows(saved: SavedSweep) -> Iterator[list[str]]:
    """The rows of a CSV file: names, then every run."""
    yield [*(TITLES.get(name, name) for name in COLUMNS), "command"]
    for _, one in sorted(saved.outcomes.items()):
        yield [*(_cell(getattr(one, name)) for name in COLUMNS), run_command(saved, one)]


def to_csv(saved: SavedSweep) -> str:
    """Every run as CSV."""
    text = io.StringIO()
    csv.writer(text).writerows(escape_formulas(row) for row in rows(saved))
    return text.getvalue()


def to_json(saved: SavedSweep, file: str = FILE) -> dict[str, Any]:
    """Points and runs, for JSON."""
    outcomes = [one for _, one in sorted(saved.outcomes.items())]
    found = saved.results.points([saved.measure])
    names = [name for name in COLUMNS if name not in ("task",) or saved.items]
    return {
        "made_by": f"Unmask {saved.made_by}",
        "model": saved.sweep.model,
        "weights": saved.weights,
        "length": saved.sweep.length,
        "measure": saved.measure,
        "scorer": saved.scorer,
        "runs_planned": saved.count,
        "points": [one.to_dict() | {"command": point_command(one.decoder, file)} for one in found],
        "runs": [
            {name: _plain(getattr(one, name)) for name in names}
            | {"spec": dict(one.spec), "command": run_command(saved, one)}
            for one in outcomes
        ],
    }


def escape_formulas(row: list[str]) -> list[str]:
    """Escape cells that a spreadsheet would read as a formula."""
    return [f"'{cell}" if cell[:1] in FORMULA and not _is_number(cell) else cell for cell in row]


def _cell(value: Any) -> str:
    return (
        "" if isinstance(value, float) and isnan(value) else f"{value:.4g}" if isinstance(value, float) else str(value)
    )


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
