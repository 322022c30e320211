"""Sweeps from Python: `unmask.sweep("task.jsonl", ["llada", "fast-dllm:tau=0.9"], scorer="number")`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unmask.config import version
from unmask.errors import InvalidRequest
from unmask.features.lab.decoder_names import Name, read_decoders
from unmask.features.lab.export import to_csv, to_json
from unmask.features.lab.plan_runner import Report, check_starts, run_plan
from unmask.features.lab.points import Point
from unmask.features.lab.scoring import get_scorer
from unmask.features.lab.sweep import MEASURES, Outcome, Sweep
from unmask.features.lab.sweep_file import ENDING, SavedSweep, SweepFile, open_saved
from unmask.features.lab.tasks import Item, read_tasks, unique
from unmask.features.lab.two_sweeps import compare_sweeps, paired
from unmask.models import load
from unmask.models.oracle import Oracle
from unmask.run.intervals import Estimate

__all__ = ["SweepResults", "open_sweep", "sweep"]
FOLDER = "sweeps"
NAME = re.compile(r"[\w.-]{1,80}")


@dataclass(frozen=True, repr=False)
class SweepResults:
    """What a sweep has measured so far."""

    saved: SavedSweep
    file: Path | None = None
    why: str = ""  # why it ended before its last run

    @property
    def outcomes(self) -> list[Outcome]:
        """The finished runs, in the order of the sweep."""
        return [one for _, one in sorted(self.saved.outcomes.items())]

    @property
    def points(self) -> list[Point]:
        """A point for each decoder, with its difference to the best."""
        return self.saved.results.points([self.saved.measure])

    @property
    def done(self) -> bool:
        """Whether every run is finished."""
        return len(self.saved.outcomes) == self.saved.count

    @property
    def front(self) -> list[Point]:
        """The points that no other beats in both the measure and passes, from few passes to many."""
        return sorted((one for one in self.points if self.saved.measure in one.best), key=lambda one: one.passes)

    def csv(self, path: str | Path = "") -> str:
        """Every run as CSV, also written to a file."""
        return _saved_to(to_csv(self.saved), path)

    def json(self, path: str | Path = "") -> str:
        """Points and runs as JSON, also written to a file."""
        row = to_json(self.saved, *([str(self.file)] if self.file else []))
        return _saved_to(json.dumps(row, ensure_ascii=False, indent=1), path)

    def repeated(self, decoder: str) -> str:
        """Run a point again, and say how many of its texts are the same."""
        old = {(one.prompt, one.seed): one for one in self.outcomes if one.decoder == decoder}
        if not old:
            raise InvalidRequest(
                f"no decoder '{decoder[:60]}' here; there are {', '.join(p.decoder for p in self.points)}"
            )
        chosen = tuple(one for one in self.saved.sweep.decoders if one.label == decoder)
        plan = replace(self.saved, sweep=replace(self.saved.sweep, decoders=chosen), outcomes={})
        denoiser = load(plan.sweep.model if not chosen[0].model else chosen[0].model)
        self.saved.check_same(replace(self.saved, made_by=version(), weights=denoiser.card.weights), str(self.file))
        saved, why = run_plan(plan, denoiser, None, None, None)
        new = SweepResults(saved, why=why)
        same = sum((one.prompt, one.seed) in old and old[one.prompt, one.seed].text == one.text for one in new.outcomes)
        return f"{same} of {len(old)} texts are the same\n{new!r}"

    def compared(self, other: SweepResults) -> str:
        """The points of two sweeps side by side, where both have the decoder."""
        measure = self.saved.measure
        if other.saved.measure != measure:
            raise InvalidRequest(f"one was measured by {measure}, the other by {other.saved.measure}")
        rows = compare_sweeps(self.saved, other.saved, measure)
        wide = max(len(row.decoder) for row in rows)
        lines = [
            f"{measure}: {MEASURES[measure]}; the second less the first on the same prompts, with its interval of 95 %"
        ]
        for row in rows:
            (a, b), (less, more), gap = row.values, row.passes, row.difference
            lines.append(
                f"{row.decoder:{wide}}  {a:.3f}  {b:.3f}  {gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]  "
                f"{less:.1f} and {more:.1f} passes"
            )
        return "\n".join(lines)

    def difference(self, first: str, second: str) -> Estimate:
        """How far the first decoder is above the second on the same prompts, with its interval of 95 %."""
        labels = [one.label for one in self.saved.sweep.decoders]
        for name in (first, second):
            if name not in labels:
                raise InvalidRequest(f"no decoder '{name[:60]}' here; there are {', '.join(labels)}")
        results, measure = self.saved.results, self.saved.measure
        return paired(results.values(first, measure), results.values(second, measure), measure)

    def __repr__(self) -> str:
        measure = self.saved.measure
        lines = [f"{len(self.outcomes)} of {self.saved.count} runs; {measure}: {MEASURES[measure]}"]
        lines += [f"stopped: {self.why}"] if self.why else []
        wide = max((len(one.decoder) for one in self.points), default=0)
        for one in self.points:
            mean, low, high = one.values[measure]
            star = "  on the front" if measure in one.best else ""
            lines.append(f"{one.decoder:{wide}}  {mean:.3f} [{low:.3f}, {high:.3f}]  {one.passes:6.1f} passes{star}")
        return "\n".join(lines)


def sweep(
    prompts: str | Path | Sequence[str | Mapping[str, Any] | Path],
    decoders: Sequence[Name],
    *,
    scorer: str = "",
    measure: str = "",
    model: str = "denoiser",
    twin: str = "",
    seeds: int | Sequence[int] = 1,
    length: int = 64,
    name: str = "",
    folder: str | Path = FOLDER,
    progress: Report | None = None,
) -> SweepResults:
    """Run decoders over prompts and seeds, and measure each text.

    `prompts` are JSONL files, texts, or `{"prompt": …, "reference": …}`. A decoder is a preset's name, with settings
    after a colon (`llada:passes=8`), or all of its usual settings (`llada:*`). With a `name`, every run is kept in
    `FOLDER/NAME.sweep.jsonl`, and the same call goes on from there. Interrupted, it returns what is done."""
    items, scored = _items(prompts), get_scorer(scorer) if scorer else None
    measure = measure or ("score" if scored else "right")
    if measure not in MEASURES:
        raise InvalidRequest(f"no measure '{measure[:40]}'; there are {', '.join(MEASURES)}")
    if measure == "score" and not scored:
        raise InvalidRequest("to measure by score, name a scorer")
    if measure == "surprise" and not twin:
        raise InvalidRequest("to measure surprise, name a twin that reads the texts")
    denoiser = load(model)
    numbers = tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
    plan = SavedSweep(
        Sweep(
            model,
            read_decoders(decoders, length, isinstance(denoiser, Oracle)),
            tuple(i.prompt for i in items),
            numbers,
            length,
        ),
        measure,
        scored.name if scored else "",
        scored.digest if scored else "",
        items if scored else (),
        denoiser.card.weights,
        isinstance(denoiser, Oracle),
    )
    check_starts(plan.sweep, denoiser)
    file = SweepFile(sweep_path(name, folder), plan) if name else None
    saved, why = run_plan(file.saved if file else plan, denoiser, load(twin) if twin else None, file, progress)
    return SweepResults(saved, file.path if file else None, why)


def open_sweep(name: str | Path, folder: str | Path = FOLDER) -> SweepResults:
    """A sweep that was kept, by its name or its file."""
    path = Path(name) if str(name).endswith(".jsonl") else sweep_path(str(name), folder)
    return SweepResults(open_saved(path), path)


def kept_sweeps(folder: str | Path = FOLDER) -> list[str]:
    """A line for each sweep that is kept: its name, and how far it is."""
    lines = []
    for path in sorted(Path(folder).glob(f"*{ENDING}")):
        try:
            found = open_saved(path)
            done = f"{len(found.outcomes)} of {found.count} runs, {found.measure}, {found.sweep.model}"
        except InvalidRequest as refused:
            done = str(refused)
        lines.append(f"{path.name.removesuffix(ENDING)}: {done}")
    return lines


def sweep_path(name: str, folder: str | Path) -> Path:
    """The file of a name."""
    if not NAME.fullmatch(name):
        raise InvalidRequest(f"'{name[:40]}' is no name for a sweep: use letters, digits, dots and dashes")
    return Path(folder) / f"{name}{ENDING}"


def _items(prompts: str | Path | Sequence[str | Mapping[str, Any] | Path]) -> tuple[Item, ...]:
    some = [prompts] if isinstance(prompts, str | Path) else list(prompts)
    files = [one for one in some if isinstance(one, Path) or (isinstance(one, str) and one.endswith(".jsonl"))]
    items = list(read_tasks(files)) if files else []
    for one in some:
        if isinstance(one, Mapping):
            if not isinstance(one.get("prompt"), str):
                raise InvalidRequest(f"{str(dict(one))[:60]} has no text called 'prompt'")
            items.append(Item(one["prompt"], one.get("reference")))
        elif one not in files:
            items.append(Item(str(one)))
    return unique(items)


def _saved_to(text: str, path: str | Path) -> str:
    if path:
        Path(path).write_text(text, "utf-8")
    return text
