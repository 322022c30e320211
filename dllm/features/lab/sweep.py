"""A sweep: every combination of decoders, settings, prompts and seeds, and the outcome of each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

from unmask.decide import Knob, get_policy
from unmask.errors import InvalidRequest
from unmask.run.presets import Decoder, preset
from unmask.run.spec import RunSpec

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
    seconds: float  # modelled, as if it ran alone: passes × measured seconds of one pass alone
    right: float  # 1 or 0, by the judge of its world
    facts: float  # the share of checkable facts that hold
    surprise: float  # nats a token, read by the twin
    repeated: float  # the share of three-word sequences that occurred before
    agrees: float  # the share of cells equal to those of a run that writes one word a pass
    same: float  # 1 if all cells are equal
    spec: Mapping[str, Any] = field(default_factory=dict)  # repeats the run
    draws: bool = True  # whether another seed may give another text
    score: float = nan  # from 0 to 1, by the sweep's scorer
    task: str = ""  # the name of the file that its prompt came from


MEASURES = {
    "right": "texts that are right in every sentence, by the judge of their world",
    "facts": "checkable facts that hold",
    "agrees": "cells that agree with one word a look",
    "same": "texts that are exactly what one word a look writes",
    "surprise": "how much the twin is surprised, in nats a token",
    "repeated": "three-word sequences that came before",
    "score": "the score by your own references",
}


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
