"""Settings of a run: how to decode. They are validated when created."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from unmask.decide import get_policy, schedule
from unmask.decide.constraint import parse_constraint
from unmask.errors import InvalidRequest


@dataclass(frozen=True)
class Settings:
    """How to decode. Every field can be changed during a run, except `noise`, which depends on the model."""

    policy: str = "confidence"
    options: Mapping[str, Any] = field(default_factory=dict)  # the policy's knobs, by name
    passes: int = 32
    passes_for: str = "answer"  # "answer": divided among the blocks; "block": for each block
    block: int = 0  # cells in a block; 0 is the whole answer
    block_from: str = "answer"  # "answer" or "sequence": where blocks are counted from
    sight: str = "all"  # "all", or "block": the model sees only up to the present block's end
    schedule: str = "linear"
    bend: float = 2.0  # the one number that shapes a power or geometric schedule
    shares: tuple[float, ...] = ()  # a hand-drawn schedule
    temperature: float = 0.0
    temperature_end: float | None = None  # the temperature falls to this by the last pass; None keeps it constant
    heats: tuple[
        float, ...
    ] = ()  # a hand-drawn temperature curve, over equal parts of the run; empty uses `temperature`
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0  # drops tokens below this share of the likeliest token's probability
    presence: float = 0.0  # presence penalty: subtracted from the logit of every token that is in the answer
    frequency: float = 0.0  # frequency penalty: subtracted once per occurrence
    candidates: int = 5  # tokens whose probabilities are kept for each cell
    guidance: float = 0.0  # classifier-free guidance: u + (s + 1)(c - u), two forward passes per pass
    confidence: str = "plain"  # "plain": before temperature, top-k and top-p; "shaped": after them
    precision: str = "single"  # dtype of confidences: "model", "single" or "double"
    end: str = "allow"  # end of text: "allow", "penalise", "forbid" (before `end_after`) or "stop" (early)
    end_penalty: float = 5.0
    end_after: int = 0  # with "stop" and "forbid": not in the first so many answer cells; 0 with "forbid" means all
    bans: tuple[int, ...] = ()
    boosts: Mapping[int, float] = field(default_factory=dict)
    constraint: Mapping[str, Any] = field(default_factory=dict)  # {"kind": "regex", "pattern": ...}
    room: int = 0  # the most answer cells to which the model may extend the answer; 0 keeps its length
    seed: int = 0
    noise: int = 0  # vocabulary size for random tokens in open cells; 0 for a model with a mask token

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if value is None and name == "temperature_end":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise InvalidRequest(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
            if name in _WHOLE and not isinstance(value, int):
                raise InvalidRequest(f"{name} must be a whole number, not {value!r}")
        for name, known in _WORDS.items():
            if getattr(self, name) not in known:
                raise InvalidRequest(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        if self.schedule == "drawn":
            schedule.quota("drawn", 2, 0, 2, self.bend, self.shares)  # raises if the shares are wrong
        if len(self.shares) > 1024 or len(self.bans) > 4096 or len(self.boosts) > 4096:
            raise InvalidRequest("too many shares, bans or boosts")
        if len(self.heats) > 1024 or not all(0 <= heat <= _RANGES["temperature"][1] for heat in self.heats):
            raise InvalidRequest("heats are at most 1024 temperatures, each from 0 to 5")
        for token in (*self.bans, *self.boosts):
            if isinstance(token, bool | float) or int(token) < 0:
                raise InvalidRequest(f"a banned or boosted token is a whole number from 0 on, not {token!r}")
        for token, amount in self.boosts.items():
            if isinstance(amount, bool) or not -100 <= amount <= 100:
                raise InvalidRequest(f"a boost goes from -100 to 100, not {amount!r} for token {token}")
        object.__setattr__(self, "constraint", parse_constraint(self.constraint) if self.constraint else {})
        object.__setattr__(self, "options", MappingProxyType(get_policy(self.policy).options(self.options)))
        object.__setattr__(self, "boosts", MappingProxyType({int(k): float(v) for k, v in self.boosts.items()}))
        object.__setattr__(self, "bans", tuple(sorted(set(map(int, self.bans)))))
        object.__setattr__(self, "shares", tuple(map(float, self.shares)))
        object.__setattr__(self, "heats", tuple(map(float, self.heats)))

    def with_changes(self, changes: Mapping[str, Any]) -> Settings:
        """These settings with some replaced; InvalidRequest names the first that is wrong."""
        known = {f.name for f in fields(self)} - {"noise"}
        for name in changes:
            if name not in known:
                raise InvalidRequest(f"no setting '{name}'; there are {', '.join(sorted(known))}")
        values = dict(changes)
        for name in values.keys() & {"options", "boosts", "constraint"}:
            if not isinstance(values[name], Mapping):
                raise InvalidRequest(f"{name} must be names with values, not {values[name]!r}")
        for name in values.keys() & {"shares", "heats", "bans"}:
            if isinstance(values[name], str) or not hasattr(values[name], "__iter__"):
                raise InvalidRequest(f"{name} must be a list, not {values[name]!r}")
            values[name] = tuple(values[name])
        if values.get("policy", self.policy) == self.policy:  # one knob may change alone
            values["options"] = {**self.options, **values.get("options", {})}
        else:
            values.setdefault("options", {})
        try:
            return replace(self, **values)
        except (TypeError, ValueError, OverflowError) as error:
            raise (
                error if isinstance(error, InvalidRequest) else InvalidRequest(f"a setting has the wrong form: {error}")
            ) from error

    def __reduce__(self) -> tuple[Any, ...]:
        # a mapping proxy cannot be pickled, and a State is sent to other processes
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return partial(Settings, **values | {"options": dict(self.options), "boosts": dict(self.boosts)}), ()

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values."""
        row = {f.name: getattr(self, f.name) for f in fields(self)}
        boosts = {str(k): v for k, v in self.boosts.items()}
        return (
            row
            | {"options": dict(self.options), "boosts": boosts, "bans": [*self.bans]}
            | {
                "shares": [*self.shares],
                "heats": [*self.heats],
            }
        )


_RANGES: dict[str, tuple[float, float]] = {
    "passes": (1, 4096),
    "block": (0, 65_536),
    "bend": (0.1, 8),
    "temperature": (0, 5),
    "temperature_end": (0, 5),
    "top_k": (0, 10**6),
    "top_p": (0.0, 1),
    "min_p": (0.0, 1),
    "presence": (-2, 2),
    "frequency": (-2, 2),
    "candidates": (5, 20),
    "guidance": (0, 20),
    "end_penalty": (0, 100),
    "end_after": (0, 65_536),
    "room": (0, 65_536),
    "seed": (0, 2**63 - 1),
    "noise": (0, 2**31),
}
_WHOLE = {"passes", "block", "top_k", "candidates", "end_after", "room", "seed", "noise"}
_WORDS: dict[str, tuple[str, ...]] = {
    "passes_for": ("answer", "block"),
    "block_from": ("answer", "sequence"),
    "sight": ("all", "block"),
    "schedule": schedule.NAMES,
    "confidence": ("plain", "shaped"),
    "precision": ("model", "single", "double"),
    "end": ("allow", "penalise", "forbid", "stop"),
}
