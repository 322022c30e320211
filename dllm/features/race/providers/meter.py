"""Measures of one racer's answer: measured times and the provider's own counts; an unknown value is None."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from unmask.features.race.providers.cards import RemoteModel


@dataclass(frozen=True)
class Caps:
    """Limits of a racer: tokens, dollars and seconds."""

    tokens: int = 512
    dollars: float = 0.05
    connect: float = 10.0
    silence: float = 30.0  # seconds between two chunks
    whole: float = 120.0


FEWEST, SHORTEST = 4, 0.05  # chunks, and seconds from first to last, below which no speed is measured
AT_ONCE = 0.004  # chunks within so many seconds count as one
MOST = 10**9  # a provider's count above this is ignored


@dataclass
class Meter:
    """Measures of one run. Times are seconds after the request was sent; None is unknown, never 0."""

    first_reasoning: float | None = None  # first sign of hidden reasoning
    first: float | None = None  # first content, draft or not
    first_settled: float | None = None  # first text that did not change later; inferred if drafts replace each other
    end: float | None = None  # last content
    closed: float | None = None  # the end of the stream
    given: int | None = None
    tokens: int | None = None  # as the provider counts them, reasoning included
    reasoning: int | None = None
    reasons: bool = False  # reasoning was streamed, counted or not
    # times at which final text arrived, with its characters so far
    arrivals: list[tuple[float, int]] = field(default_factory=list)
    cost: float | None = None  # dollars
    cost_from: str = ""  # "told", or "listed on DATE"
    passes: int | None = None  # of a local model, or another copy of this app
    seen: dict[str, Any] | None = None  # its `DraftAnalysis`, as a dict
    drafts: int = 0  # chunks with content
    rewrites: int = 0  # drafts that changed earlier text
    retries: int = 0
    region: str = ""  # as the response's headers report it
    failed: str = ""  # the kind of failure; empty if it succeeded
    why: str = ""  # the failure in a sentence

    @property
    def content(self) -> int | None:
        """Tokens of the text without reasoning; unknown if reasoning was streamed but not counted."""
        if self.tokens is None or (self.reasons and not self.reasoning):
            return None
        return max(self.tokens - (self.reasoning or 0), 0)

    @property
    def tokens_per_second(self) -> float | None:
        """Tokens of the text, over the time from the request to the last text."""
        return self.content / self.end if self.content and self.end else None

    @property
    def tokens_per_second_after_first(self) -> float | None:
        """Tokens after the first chunk, over the time from that chunk to the last; None if `unmeasurable`."""
        if not self.content or self.unmeasurable:
            return None
        (began, first), (ended, all_) = self.arrivals[0], self.arrivals[-1]
        return self.content * (all_ - first) / all_ / (ended - began)

    @property
    def unmeasurable(self) -> str:
        """Why the speed after the first chunk cannot be measured; empty if it can."""
        groups = self._groups()
        if len(groups) < FEWEST or groups[-1][0] - groups[0][0] < SHORTEST:
            return "it came in too few pieces"
        letters = [b[1] - a[1] for a, b in pairwise([(0.0, 0), *groups])]
        return "most of it came in one burst" if 2 * max(letters) > groups[-1][1] else ""

    def arrive(self, at: float, letters: int) -> None:
        """Record that the final text now has so many characters."""
        if letters > (self.arrivals[-1][1] if self.arrivals else 0):
            self.arrivals.append((at, letters))

    def _groups(self) -> list[tuple[float, int]]:
        """The arrivals, merged if they are within `AT_ONCE`."""
        groups: list[tuple[float, int]] = []
        for at, letters in self.arrivals:
            if groups and at - groups[-1][0] < AT_ONCE:
                groups[-1] = (groups[-1][0], letters)
            else:
                groups.append((at, letters))
        return groups

    def to_dict(self) -> dict[str, Any]:
        row = asdict(self) | {
            "content": self.content,
            "tokens_per_second": self.tokens_per_second,
            "tokens_per_second_after_first": self.tokens_per_second_after_first,
            "unmeasurable": self.unmeasurable,
        }
        del row["arrivals"]
        return {k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()}


def count(meter: Meter, usage: Any, card: RemoteModel) -> None:
    """Copy the provider's usage counts into the meter; a missing count stays unknown."""
    if usage is None:
        return
    value = usage if isinstance(usage, dict) else usage.model_dump()
    meter.given, meter.tokens = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    meter.reasoning = _count((value.get("completion_tokens_details") or {}).get("reasoning_tokens"))
    cost = value.get("cost")
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < MOST:
        meter.cost, meter.cost_from = float(cost), "told"
    elif card.price and meter.given is not None and meter.tokens is not None:
        meter.cost, meter.cost_from = card.price.of(meter.given, meter.tokens), f"listed on {card.price.date}"
    x = value.get("x_diffusion")
    if isinstance(x, dict):  # another copy of this app
        meter.passes = _count(x.get("passes"))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST else None


@dataclass
class Drafts:
    """The drafts of a diffusion model, with their times."""

    drafts: list[tuple[float, str]] = field(default_factory=list)

    def add(self, at: float, text: str) -> bool:
        """Add a draft; returns whether it changed earlier text."""
        before = self.drafts[-1][1] if self.drafts else ""
        self.drafts.append((at, text))
        return not text.startswith(before)

    def settled_first(self) -> float | None:
        """The time from which the first character no longer changed."""
        when = None
        for at, text in reversed(self.drafts):
            if not text or not self.drafts[-1][1] or text[0] != self.drafts[-1][1][0]:
                break
            when = at
        return when

    def settled_now(self) -> int:
        """The number of characters from the start in which the last two drafts agree."""
        if len(self.drafts) < 2:
            return 0
        return common(self.drafts[-2][1], self.drafts[-1][1])


def common(a: str, b: str) -> int:
    """The length of the common prefix of two texts."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))
