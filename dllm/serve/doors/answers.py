"""The JSON of answers that no event of a run is. Types for the page are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict


class Envelope(TypedDict, total=False):
    """Fields that a message may have beside its own."""

    session: str  # that it is about
    n: int  # its number in the session
    side: int  # of the request that opened the session
    pieces: Mapping[str, str]  # texts of tokens that were not sent before
    id: Any  # of the request that it answers
    ref: int
    follower: str
    right: str
    keys: Mapping[str, str]


class Loading(TypedDict):
    did: Literal["loading"]
    model: str
    stage: NotRequired[str]
    done: NotRequired[int]
    total: NotRequired[int]
    seconds_left: NotRequired[float]


class History(TypedDict):
    did: Literal["history"]
    events: list[Mapping[str, Any]]


class Allowed(TypedDict):
    did: Literal["allowed"]


class Followers(TypedDict):
    did: Literal["followers"]
    rights: Mapping[str, str]


class Planned(TypedDict):
    did: Literal["planned"]
    plan: Mapping[str, Any]
    settings: Mapping[str, Any]


class OfferRow(TypedDict):
    kind: str
    prompt: str
    length: int


class OodAnswer(TypedDict):
    did: Literal["familiar"]
    prompt: str
    known: bool
    strange: NotRequired[float]
    limit: NotRequired[float]
    weak: NotRequired[str]
    offers: list[OfferRow]


class RuleDoubtAnswer(TypedDict):
    did: Literal["rule_doubt"]
    kind: str
    about: str


class NonsenseAnswer(TypedDict):
    did: Literal["nonsense"]
    found: bool
    offers: list[OfferRow]


class Judged(TypedDict):
    did: Literal["judged"]
    facts: int
    hold: int
    strict: bool
    faults: int
    reasons: list[str]


class BranchRow(TypedDict):
    name: str
    end: int
    left: str
    since: int


class Comparison(TypedDict):
    did: Literal["compare"]
    on: str
    branches: list[BranchRow]
    one: NotRequired[str]
    two: NotRequired[str]
    since: NotRequired[int]
    edits: NotRequired[list[Any]]
    changed: NotRequired[list[list[int]]]
    only_one: NotRequired[list[int]]
    only_two: NotRequired[list[int]]


class Beat(TypedDict):
    did: Literal["beat"]


ANSWERS = (
    Loading,
    History,
    Allowed,
    Followers,
    Planned,
    OodAnswer,
    RuleDoubtAnswer,
    NonsenseAnswer,
    Judged,
    Comparison,
    Beat,
)
