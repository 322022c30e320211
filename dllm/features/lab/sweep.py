"""A sweep: every combination of decoders, settings, prompts and seeds, and the outcome of each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from math import isnan
from typing import Any

import numpy as np

from unmask.decide import Knob, get_policy
from unmask.errors import InvalidRequest
from unmask.run.presets import Decoder, preset
from unmask.run.spec import RunSpec
from unmask.run.stats import share

MOST = 5_000  # runs of one sweep: about half an hour with the bundled pair
BOLDNESS = ("tau", "gamma", "f", "bound")  # knobs that say how much is written at once


@dataclass(frozen=True)
class Sweep:
    """The runs to compare: decoders × prompts × seeds."""

    model: str
    decoders: tuple[Decoder, ...]
    prompts: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)
    length: int = 64

    def __post_init__(self) -> None:
        for what, rows in (("decoder", self.decoders), ("prompt", self.prompts), ("seed", self.seeds)):
            if not rows:
                raise InvalidRequest(f"a sweep needs at least one {what}")
        if self.count > MOST:
            raise InvalidRequest(
                f"this sweep has {self.count:,} runs; at most {MOST:,} are allowed: take fewer prompts or decoders"
            )
        for decoder in self.decoders:
            preset(decoder.preset)

    @property
    def count(self) -> int:
        """The number of runs."""
        return len(self.decoders) * len(self.prompts) * len(self.seeds)

    def specs(self) -> Iterator[tuple[int, Decoder, RunSpec]]:
        """Every run, with its number and decoder. Runs of one prompt are adjacent: equal lengths can share forwards."""
        number = 0
        for prompt in self.prompts:
            for seed in self.seeds:
                for decoder in self.decoders:
                    model = decoder.model or self.model
                    yield number, decoder, RunSpec(prompt, model, self.length, decoder.preset, decoder.changes, seed)
                    number += 1


@dataclass(frozen=True)
class Outcome:
    """The measures of one run; NaN where a measure is unknown."""

    decoder: str
    prompt: str
    seed: int
    text: str
    tokens: int
    passes: int  # forwards, as counted everywhere
    seconds: float  # as if it ran alone: passes × seconds of one pass alone
    right: float  # 1 or 0, by the judge of its world
    facts: float  # the share of checkable facts that hold
    surprise: float  # nats a token, read by the twin
    repeated: float  # the share of three-word sequences that occurred before
    agrees: float  # the share of cells equal to those of a run that writes one word a pass
    same: float  # 1 if all cells are equal
    spec: Mapping[str, Any] = field(default_factory=dict)  # repeats the run


MEASURES = {
    "right": "texts that are right in every sentence, by the judge of their world",
    "facts": "checkable facts that hold",
    "agrees": "cells that agree with one word a look",
    "same": "texts that are exactly what one word a look writes",
    "surprise": "how much the twin is surprised, in nats a token",
    "repeated": "three-word sequences that came before",
}


@dataclass(frozen=True)
class Point:
    """The mean of all runs of one decoder at one setting, with bootstrap intervals of 95 %."""

    decoder: str
    runs: int
    tokens: float
    passes: float
    tokens_per_pass: float
    seconds: float
    values: Mapping[str, tuple[float, float, float]]  # by measure: mean, low, high
    best: tuple[str, ...] = ()  # measures in which no other point is both better and cheaper

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which has no NaN."""
        row = asdict(self)
        row["values"] = {k: None if isnan(v[0]) else [round(x, 4) for x in v] for k, v in self.values.items()}
        return row


def points(outcomes: Sequence[Outcome]) -> list[Point]:
    """A point for each decoder, in order of first appearance."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(one.decoder, []).append(one)
    made = []
    for name, some in groups.items():
        values = {}
        for measure in MEASURES:
            known = [v for v in (getattr(one, measure) for one in some) if not isnan(v)]
            found = share(known, 500)
            values[measure] = (found.mean, found.low, found.high)
        tokens, passes = sum(o.tokens for o in some), sum(o.passes for o in some)
        made.append(
            Point(
                decoder=name,
                runs=len(some),
                tokens=tokens / len(some),
                passes=passes / len(some),
                tokens_per_pass=tokens / max(1, passes),
                seconds=float(np.mean([o.seconds for o in some])),
                values=values,
            )
        )
    return [_with_best(point, made) for point in made]


def better(measure: str, a: float, b: float) -> bool:
    """Whether a value of this measure is better than another."""
    return a < b if measure in ("surprise", "repeated") else a > b


def _with_best(point: Point, every: Sequence[Point]) -> Point:
    """Fill in `best`: the measures in which no point is better with no more passes, or as good with fewer."""
    best = []
    for measure, (mean, _, _) in point.values.items():
        if isnan(mean):
            continue
        beaten = any(
            (better(measure, other.values[measure][0], mean) and other.passes <= point.passes)
            or (other.values[measure][0] == mean and other.passes < point.passes)
            for other in every
        )
        if not beaten:
            best.append(measure)
    return Point(**{f.name: getattr(point, f.name) for f in fields(Point)} | {"best": tuple(best)})


def advice(rows: Sequence[Point], measure: str, passes: float = np.inf, seconds: float = np.inf) -> Point:
    """The best decoder within a budget; if none is, the error says what the cheapest needs."""
    if measure not in MEASURES:
        raise InvalidRequest(f"no measure '{measure[:40]}'; there are {', '.join(MEASURES)}")
    known = [p for p in rows if not isnan(p.values[measure][0])]
    if not known:
        raise InvalidRequest(f"nothing was measured as '{measure}' here: {MEASURES[measure]}")
    within = [p for p in known if p.passes <= passes and p.seconds <= seconds]
    if not within:
        least = min(known, key=lambda p: p.passes)
        raise InvalidRequest(
            f"no decoder of this sweep fits this budget: the cheapest is {least.decoder} "
            f"with {least.passes:.1f} passes and {least.seconds:.2f} s"
        )
    sign = -1 if better(measure, 0, 1) else 1
    return max(within, key=lambda p: (sign * p.values[measure][0], -p.passes))


def settings(name: str, length: int) -> list[dict[str, Any]]:
    """Up to five settings of a decoder, from fast to slow: values of its threshold, or of its number of passes."""
    chosen = preset(name)
    policy = get_policy(str(chosen.settings["policy"]))
    knob = next((name for name in BOLDNESS if name in policy.knobs), "")
    if chosen.per_cell and knob:
        found = policy.knobs[knob]
        assert isinstance(found, Knob)
        usual = float(chosen.settings.get("options", {}).get(knob, policy.defaults[knob]))
        if found.high <= 1:  # a probability
            values = [0.5, 0.6, 0.7, 0.8, 0.9] if usual <= 0.9 else [0.6, 0.7, 0.8, 0.9, usual]
        else:
            values = [usual * f for f in (4, 2, 1, 0.5, 0.25)] if usual else [0.0]
        fixed = dict(chosen.settings.get("options", {}))
        values = list(dict.fromkeys(round(min(max(v, found.low), found.high), 4) for v in values))
        return [{"options": fixed | {knob: v}} for v in values]
    return [{"passes": n} for n in sorted({max(1, length // d) for d in (16, 8, 4, 2, 1)})]


def table(outcomes: Sequence[Outcome]) -> Iterator[list[str]]:
    """The rows of a CSV file: names, then every run."""
    names = [f.name for f in fields(Outcome) if f.name != "spec"]
    yield names
    for one in outcomes:
        row = [getattr(one, name) for name in names]
        yield ["" if isinstance(v, float) and isnan(v) else f"{v:.4g}" if isinstance(v, float) else str(v) for v in row]


def _plural(things: Sequence[object], name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"


def paragraph(sweep: Sweep, rows: Sequence[Point], measure: str, machine: str, date: str) -> str:
    """A summary of the sweep in a paragraph, to be pasted into a report."""
    lines = [
        f"{_plural(sweep.prompts, 'prompt')}, {_plural(sweep.seeds, 'seed')}, {sweep.length} cells, "
        f"model {sweep.model}, {len(sweep.decoders)} settings of decoders; {machine}; {date}. "
        f"Measured: {MEASURES[measure]}, with bootstrap intervals of 95 %."
    ]
    front = [point for point in rows if measure in point.best]
    if front:
        lines.append("Best for their number of passes:")
    for point in sorted(front, key=lambda p: p.passes):
        mean, low, high = point.values[measure]
        value = (
            f"{mean:.2f} [{low:.2f}, {high:.2f}]" if measure == "surprise" else f"{mean:.0%} [{low:.0%}, {high:.0%}]"
        )
        lines.append(
            f"{point.decoder}: {value} at {point.passes:.1f} passes, {point.tokens_per_pass:.2f} tokens a pass."
        )
    return " ".join(lines)
