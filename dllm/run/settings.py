"""Settings of a run: how to decode. They are validated when created."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from unmask.decide import get_policy, schedule
from unmask.decide.constraint import parse_constraint
from unmask.errors import InvalidRequest, about_field
from unmask.run.setting import ApiField, Slider, declared, setting


@dataclass(frozen=True)
class Settings:
    """How to decode. Every field can be changed during a run, except `noise`, which depends on the model."""

    policy: str = setting("confidence", "The decoding policy, by name.", api=ApiField("policy"))
    options: Mapping[str, Any] = setting(dict, "The policy's knobs, by name.", api=ApiField("policy_options"))
    passes: int = setting(
        32,
        "How often the model may look, for decoders that follow a plan. Fewer is faster, and makes more mistakes.",
        low=1,
        high=4096,
        whole=True,
        slider=Slider(1, 256, 1, "Looks"),
        api=ApiField("passes", help="Ours: denoising passes."),
    )
    passes_for: str = setting(
        "answer", "Whether the passes are divided among the blocks, or made for each.", choices=("answer", "block")
    )
    block: int = setting(
        0,
        "How many cells are finished before the next ones begin; 0 takes the whole text.",
        low=0,
        high=65_536,
        whole=True,
        slider=Slider(0, 256, 1, "Block"),
        api=ApiField("block_length", help="Ours: cells in a block; 0 is the whole answer."),
    )
    block_from: str = setting("answer", "Where blocks are counted from.", choices=("answer", "sequence"))
    sight: str = setting(
        "all", "Whether the model sees the whole text, or only up to the present block's end.", choices=("all", "block")
    )
    schedule: str = setting("linear", "How many cells to write in each pass.", choices=schedule.NAMES)
    bend: float = setting(
        2.0,
        "How strongly the power and geometric schedules are curved.",
        low=0.1,
        high=8,
        slider=Slider(0.1, 8, 0.1, "Bend"),
    )
    shares: tuple[float, ...] = setting((), "A schedule drawn by hand.", low=0, high=1e9, most=1024)
    temperature: float = setting(
        0.0,
        "0 always takes the likeliest word; higher takes more chances.",
        scope="sampling",
        low=0,
        high=5,
        slider=Slider(0, 2, 0.05, "Temperature"),
        api=ApiField("temperature", high=2),
    )
    temperature_end: float | None = setting(
        None, "The temperature falls to this by the last pass; None keeps it constant.", low=0, high=5
    )
    heats: tuple[float, ...] = setting(
        (),
        "A temperature curve drawn by hand, over equal parts of the run; empty uses `temperature`.",
        scope="sampling",
        low=0,
        high=5,
        most=1024,
    )
    top_k: int = setting(
        0,
        "Choose among this many words; 0 is all.",
        scope="sampling",
        low=0,
        high=10**6,
        whole=True,
        slider=Slider(0, 100, 1, "Top k"),
        api=ApiField("top_k", low=-1, help="0 and -1 keep all tokens."),
    )
    top_p: float = setting(
        1.0,
        "Choose among the likeliest words that together have this probability.",
        scope="sampling",
        low=0.0,
        high=1,
        slider=Slider(0, 1, 0.01, "Top p"),
        api=ApiField("top_p"),
    )
    min_p: float = setting(
        0.0,
        "Drops tokens below this share of the likeliest token's probability.",
        scope="sampling",
        low=0.0,
        high=1,
        api=ApiField("min_p"),
    )
    presence: float = setting(
        0.0,
        "Presence penalty: subtracted from the logit of every token that is in the answer.",
        scope="sampling",
        low=-2,
        high=2,
        api=ApiField("presence_penalty"),
    )
    frequency: float = setting(
        0.0,
        "Frequency penalty: subtracted once per occurrence.",
        scope="sampling",
        low=-2,
        high=2,
        api=ApiField("frequency_penalty"),
    )
    repetition: float = setting(
        1.0,
        "Repetition penalty: divides positive logits of tokens in prompt or answer, and multiplies negative ones.",
        scope="sampling",
        low=0.1,
        high=10,
        api=ApiField("repetition_penalty"),
    )
    candidates: int = setting(
        5, "Tokens whose probabilities are kept for each cell.", scope="sampling", low=5, high=20, whole=True
    )
    guidance: float = setting(  # u + (s + 1)(c - u)
        0.0,
        "How much to lean on the prompt. Above 0, each pass costs twice as much.",
        low=0,
        high=20,
        slider=Slider(0, 4, 0.1, "Guidance"),
    )
    confidence: str = setting(
        "plain", "Confidence before or after temperature, top-k and top-p.", choices=("plain", "shaped")
    )
    precision: str = setting("single", "The dtype of confidences.", choices=("model", "single", "double"))
    end: str = setting(
        "allow",
        "What the model may do about ending the text.",
        scope="ending",
        choices=("allow", "penalise", "forbid", "stop"),
    )
    end_penalty: float = setting(
        5.0,
        "How much less likely: each step of 1 divides the odds by 2.7.",
        scope="ending",
        low=0,
        high=100,
        slider=Slider(0, 20, 0.5, "End penalty"),
    )
    end_after: int = setting(  # for "stop" and "forbid"; with "forbid", 0 means all cells
        0,
        "The text must have this many tokens first.",
        scope="ending",
        low=0,
        high=65_536,
        whole=True,
        slider=Slider(0, 256, 1, "No end before"),
    )
    bans: tuple[int, ...] = setting(
        (), "Tokens that are never written.", scope="sampling", low=0, high=2**53, whole=True, most=4096
    )
    boosts: Mapping[int, float] = setting(
        dict,
        "What is added to the logits of tokens.",
        scope="sampling",
        low=-100,
        high=100,
        most=4096,
        api=ApiField("logit_bias"),
    )
    constraint: Mapping[str, Any] = setting(
        dict, 'A rule for the text: {"kind": "regex", "pattern": ...}.', scope="run"
    )
    checks: tuple[str, ...] = setting(
        (), "The checks that read along, by name: what they find is opened again.", scope="run", most=16
    )
    check_options: Mapping[str, Any] = setting(dict, "Options of the checks, by the check's name.", scope="run")
    check_when: str = setting(
        "end",
        "Whether the checks read after each look, or once the text is whole.",
        scope="run",
        choices=("end", "pass"),
    )
    check_rounds: int = setting(
        6,
        "How often the checks may open something again.",
        scope="run",
        low=1,
        high=32,
        whole=True,
    )
    room: int = setting(
        0,
        "How many cells the answer may come to have, where the model wants more or fewer in a gap; 0 keeps them.",
        low=0,
        high=65_536,
        whole=True,
        slider=Slider(0, 256, 1, "Free length"),
    )
    seed: int = setting(0, "Same seed, same random choices.", scope="run", low=0, high=2**63 - 1, whole=True)
    noise: int = setting(
        0,
        "Vocabulary size for random tokens in open cells; 0 for a model with a mask token.",
        scope="model",
        low=0,
        high=2**31,
        whole=True,
    )

    def __post_init__(self) -> None:
        for name, each in SETTINGS.items():
            each.check(getattr(self, name))
        if self.schedule == "drawn":
            with about_field("shares"):
                schedule.quota("drawn", 2, 0, 2, self.bend, self.shares)
        with about_field("constraint"):
            object.__setattr__(self, "constraint", parse_constraint(self.constraint) if self.constraint else {})
        if not all(isinstance(name, str) for name in self.checks):
            raise InvalidRequest("checks must be names", "checks")
        object.__setattr__(self, "checks", tuple(dict.fromkeys(self.checks)))
        with about_field("options"):
            options = get_policy(self.policy).options(self.options)
        object.__setattr__(self, "options", MappingProxyType(options))
        boosts = {_token(token): float(amount) for token, amount in self.boosts.items()}
        object.__setattr__(self, "boosts", MappingProxyType(boosts))
        object.__setattr__(self, "bans", tuple(sorted(set(self.bans))))
        object.__setattr__(self, "shares", tuple(map(float, self.shares)))
        object.__setattr__(self, "heats", tuple(map(float, self.heats)))

    def with_changes(self, changes: Mapping[str, Any]) -> Settings:
        """These settings with some replaced; InvalidRequest names the first that is wrong."""
        for name in changes:
            if name not in SETTINGS or SETTINGS[name].scope == "model":
                known = sorted(name for name, each in SETTINGS.items() if each.scope != "model")
                raise InvalidRequest(f"no setting '{name}'; there are {', '.join(known)}", name)
        values = dict(changes)
        for name in ("options", "boosts", "constraint", "check_options"):
            SETTINGS[name].check(values.get(name, {}))
        if values.get("policy", self.policy) == self.policy:  # one knob may change alone
            values["options"] = {**self.options, **values.get("options", {})}
        else:
            values.setdefault("options", {})
        return replace(self, **values)

    def __reduce__(self) -> tuple[Any, ...]:
        # a mapping proxy cannot be pickled, and a State is sent to other processes
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return partial(Settings, **values | {"options": dict(self.options), "boosts": dict(self.boosts)}), ()

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values."""
        row = {name: getattr(self, name) for name in SETTINGS}
        row |= {"options": dict(self.options), "boosts": {str(k): v for k, v in self.boosts.items()}}
        return {name: [*value] if isinstance(value, tuple) else value for name, value in row.items()}


def _token(key: Any) -> int:
    """A boosted token; in JSON it is a string."""
    if isinstance(key, str | int) and not isinstance(key, bool) and str(key).isdecimal() and len(str(key)) < 16:
        return int(key)
    raise InvalidRequest(f"a boosted token is a whole number from 0 on, not {key!r}", "boosts")


SETTINGS = declared(Settings)
