"""A sweep as a file, `NAME.sweep.jsonl`: its plan on the first line, then a line for each run that is done.

It is written while the sweep runs, so that what was measured outlives a crash; a sweep goes on from its file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isnan, nan
from pathlib import Path
from typing import Any

from unmask.config import version
from unmask.errors import InvalidRequest
from unmask.features.lab.points import Results
from unmask.features.lab.sweep import MEASURES, Outcome, Sweep
from unmask.features.lab.tasks import Item, unique
from unmask.run.presets import Decoder

FORMAT = 1
ENDING = ".sweep.jsonl"
DERIVED = ("decoder", "prompt", "seed", "task", "spec")  # known from the plan
NUMBERS = [one.name for one in fields(Outcome) if one.name not in (*DERIVED, "text")]
WHOLE: dict[str, type] = {"tokens": int, "passes": int, "draws": bool}


@dataclass(frozen=True)
class SavedSweep:
    """A sweep with what it is measured by, what it was measured with, and its finished runs by number."""

    sweep: Sweep
    measure: str
    scorer: str = ""
    scorer_digest: str = ""
    items: tuple[Item, ...] = ()  # the prompts with their references, if they came with any
    weights: str = ""  # hash of the model's weights
    counted: bool = False  # its model is a world that can be counted
    made_by: str = field(default_factory=version)
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)

    @property
    def results(self) -> Results:
        """The finished runs, to be compared."""
        return Results.of(self.sweep, [one for _, one in sorted(self.outcomes.items())], self.counted)

    @property
    def count(self) -> int:
        """The number of runs: a decoder that draws nothing on a prompt runs there once, whatever the seeds."""
        repeated = sum(not one.draws for one in self.outcomes.values())
        return self.sweep.count - repeated * (len(self.sweep.seeds) - 1)

    def check_same(self, plan: SavedSweep, place: str) -> None:
        """Refuse to go on with another plan, or with another version of anything that a score depends on."""
        if self.made_by != plan.made_by:
            raise InvalidRequest(
                f"{place} was measured by Unmask {self.made_by}, and this is {plan.made_by}: runs of two versions are "
                "not mixed. Open it to read it, or begin again under another name"
            )
        for what, own, other in (
            ("the models", self.sweep.model, plan.sweep.model),
            ("the weights", self.weights, plan.weights),
            ("the decoders", self.sweep.decoders, plan.sweep.decoders),
            ("the prompts", self.sweep.prompts, plan.sweep.prompts),
            ("the seeds", self.sweep.seeds, plan.sweep.seeds),
            ("the lengths", self.sweep.length, plan.sweep.length),
            ("the references", self.items, plan.items),
            ("the scorers", self.scorer, plan.scorer),
            ("the files of the scorer", self.scorer_digest, plan.scorer_digest),
        ):
            if own != other:
                raise InvalidRequest(f"{place} has another sweep: {what} differ. Choose another name")

    def lines(self) -> Iterator[str]:
        yield self.head()
        places = _places(self.sweep)
        for number in sorted(self.outcomes):
            yield run_line(places[number], self.outcomes[number])

    def head(self) -> str:
        """The first line: the plan."""
        sweep = self.sweep
        row = {
            "unmask": "sweep",
            "format": FORMAT,
            "made_by": self.made_by,
            "model": sweep.model,
            "weights": self.weights,
            "counted": self.counted,
            "decoders": [{"preset": d.preset, "changes": {**d.changes}, "model": d.model} for d in sweep.decoders],
            "prompts": list(sweep.prompts),
            "seeds": list(sweep.seeds),
            "length": sweep.length,
            "measure": self.measure,
            "scorer": self.scorer,
            "scorer_digest": self.scorer_digest,
            "items": [[one.prompt, one.reference, one.task, one.line] for one in self.items],
        }
        return json.dumps(row, ensure_ascii=False)


def run_line(place: tuple[int, int, int], outcome: Outcome) -> str:
    """The line of a run: which decoder, prompt and seed, and what was measured."""
    row: dict[str, Any] = {"run": place, "text": outcome.text}
    for name in NUMBERS:
        value = getattr(outcome, name)
        row[name] = None if isnan(value) else value
    return json.dumps(row, ensure_ascii=False)


def read_saved(text: str, place: str) -> SavedSweep:
    """The sweep in a file; InvalidRequest names the line that is wrong. A last line that was cut off is left out."""
    head, *rest = text.split("\n")
    plan = _plan(head, place)
    numbers = {where: number for number, where in _places(plan.sweep).items()}
    specs = {number: (decoder, spec) for number, decoder, spec in plan.sweep.specs()}
    tasks = {one.prompt: one.task for one in plan.items}
    outcomes: dict[int, Outcome] = {}
    for at, line in enumerate(rest, 2):
        if not line:
            continue
        try:
            row = json.loads(line)
            decoder, prompt, seed = row["run"]
            number = numbers[decoder, prompt, seed]
            measured = {name: _number(row.get(name), name) for name in NUMBERS}
            chosen, spec = specs[number]
            outcomes[number] = Outcome(
                decoder=chosen.label, prompt=spec.prompt, seed=spec.seed, text=str(row["text"]),
                task=tasks.get(spec.prompt, ""), spec=spec.to_dict(), **measured,
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if at == len(rest) + 1:
                break  # the process ended while it wrote
            raise InvalidRequest(f"line {at} of {place} is no run of its sweep") from None
    return replace(plan, outcomes=outcomes)


def _plan(line: str, place: str) -> SavedSweep:
    try:
        row = json.loads(line)
        known = isinstance(row, dict) and row.get("unmask") == "sweep"
    except (ValueError, RecursionError):
        known = False
    if not known:
        raise InvalidRequest(f"{place} is no file of a sweep: its first line says so in another way")
    if row.get("format") != FORMAT:
        raise InvalidRequest(
            f"{place} is in format {str(row.get('format'))[:20]}, written by Unmask {str(row.get('made_by'))[:20]}; "
            f"this is {version()}, which reads format {FORMAT}"
        )
    try:
        decoders = tuple(Decoder(str(d["preset"]), dict(d["changes"]), str(d["model"])) for d in row["decoders"])
        prompts, seeds = tuple(map(str, row["prompts"])), tuple(map(int, row["seeds"]))
        items = unique(Item(str(p), reference, str(t), int(n)) for p, reference, t, n in row["items"])
        sweep = Sweep(str(row["model"]), decoders, prompts, seeds, int(row["length"]))
        names = ("measure", "scorer", "scorer_digest", "weights", "made_by")
        measure, scorer, digest, weights, made_by = (str(row[name]) for name in names)
    except InvalidRequest:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRequest(f"line 1 of {place} is no plan of a sweep: {type(error).__name__} {error}"[:200]) from None
    if measure not in MEASURES:
        raise InvalidRequest(f"line 1 of {place}: no measure '{measure[:40]}'")
    return SavedSweep(sweep, measure, scorer, digest, items, weights, row["counted"] is True, made_by)


def _number(value: Any, name: str) -> Any:
    if (kind := WHOLE.get(name)) is not None:
        if type(value) is not kind:
            raise ValueError
        return value
    return nan if value is None else float(value)


def _places(sweep: Sweep) -> dict[int, tuple[int, int, int]]:
    """The decoder, prompt and seed of each run, by its number."""
    decoders = list(sweep.decoders)
    prompts = {prompt: at for at, prompt in enumerate(sweep.prompts)}
    return {n: (decoders.index(decoder), prompts[spec.prompt], spec.seed) for n, decoder, spec in sweep.specs()}


class SweepFile:
    """A file that a sweep is written to as it runs."""

    def __init__(self, path: Path, plan: SavedSweep) -> None:
        self.path, self._places = path, _places(plan.sweep)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            saved = open_saved(path)
            saved.check_same(plan, str(path))
            self.saved = replace(saved, measure=plan.measure)
        else:
            self.saved = plan
        path.write_text("".join(f"{line}\n" for line in self.saved.lines()), "utf-8")  # drops a line that was cut off

    def add(self, number: int, outcome: Outcome) -> None:
        """Write a run that is done."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(run_line(self._places[number], outcome) + "\n")


def open_saved(path: Path) -> SavedSweep:
    """The sweep in a file on this machine."""
    try:
        return read_saved(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path} cannot be read: {getattr(error, 'strerror', error)}") from None
