"""What an answer from elsewhere took: measured times, the rival's own counts, and nothing assumed in between."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from unmask.features.race.providers.cards import RemoteModel


@dataclass(frozen=True)
class Caps:
    """How far a racer may go."""

    tokens: int = 512
    dollars: float = 0.05
    connect: float = 10.0
    silence: float = 30.0  # seconds between two pieces
    whole: float = 120.0


FEWEST, SHORTEST = 4, 0.05  # pieces, and seconds between the first and the last, below which no speed can be measured
AT_ONCE = 0.004  # seconds within which pieces count as one
MOST = 10**9  # of anything that a rival counts: beyond it the number means nothing


@dataclass
class Meter:
    """One racer's run. Times are seconds from the moment its request was written; None is unknown, never 0."""

    first_reasoning: float | None = None  # first sign of hidden reasoning
    first: float | None = None  # first content, draft or not
    first_settled: float | None = None  # first text that was not taken back; inferred where drafts replace each other
    end: float | None = None  # last content
    closed: float | None = None  # the stream's own end
    given: int | None = None
    tokens: int | None = None  # as the rival counts them, those of its reasoning included
    reasoning: int | None = None
    reasons: bool = False  # reasoning was seen, whether or not it was counted
    arrivals: list[tuple[float, int]] = field(default_factory=list)  # when text came that stays, and its letters so far
    cost: float | None = None  # dollars
    cost_from: str = ""  # "told", or "listed on DATE"
    passes: int | None = None  # where the racer is ours
    seen: dict[str, Any] | None = None  # what its drafts say of its work, inferred
    drafts: int = 0  # chunks with content
    rewrites: int = 0  # drafts that took back something shown before; inferred
    retries: int = 0
    region: str = ""  # what the rival reports of where it answered
    failed: str = ""  # a kind
    why: str = ""  # and a sentence

    @property
    def content(self) -> int | None:
        """Tokens of the text alone; unknown where reasoning was seen and nobody counted it."""
        if self.tokens is None or (self.reasons and not self.reasoning):
            return None
        return max(self.tokens - (self.reasoning or 0), 0)

    @property
    def tokens_per_second(self) -> float | None:
        """Of the text, over the whole, from the request to the last of it."""
        return self.content / self.end if self.content and self.end else None

    @property
    def tokens_per_second_after_first(self) -> float | None:
        """Of the text that came behind its first piece, from that piece to the last; None where `unmeasurable`."""
        if not self.content or self.unmeasurable:
            return None
        (began, first), (ended, all_) = self.arrivals[0], self.arrivals[-1]
        return self.content * (all_ - first) / all_ / (ended - began)

    @property
    def unmeasurable(self) -> str:
        """Why the speed behind the first piece says nothing here; empty where it does."""
        groups = self._groups()
        if len(groups) < FEWEST or groups[-1][0] - groups[0][0] < SHORTEST:
            return "it came in too few pieces"
        letters = [b[1] - a[1] for a, b in pairwise([(0.0, 0), *groups])]
        return "most of it came in one burst" if 2 * max(letters) > groups[-1][1] else ""

    def arrive(self, at: float, letters: int) -> None:
        """Text that stays is so many letters long now."""
        if letters > (self.arrivals[-1][1] if self.arrivals else 0):
            self.arrivals.append((at, letters))

    def _groups(self) -> list[tuple[float, int]]:
        """Arrivals, those that follow at once as one."""
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
    """Take over what a rival says it used; what it does not say stays unknown."""
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
    """What can be inferred of a diffusion from its drafts alone; what it believed, and why, cannot be seen."""

    drafts: list[tuple[float, str]] = field(default_factory=list)

    def add(self, at: float, text: str) -> bool:
        """A draft; did it take back something that was shown before?"""
        before = self.drafts[-1][1] if self.drafts else ""
        self.drafts.append((at, text))
        return not text.startswith(before)

    def settled_first(self) -> float | None:
        """When the first letter stood that was never changed again."""
        when = None
        for at, text in reversed(self.drafts):
            if not text or not self.drafts[-1][1] or text[0] != self.drafts[-1][1][0]:
                break
            when = at
        return when

    def settled_now(self) -> int:
        """Letters at the front on which the last two drafts agree."""
        if len(self.drafts) < 2:
            return 0
        return common(self.drafts[-2][1], self.drafts[-1][1])


def common(a: str, b: str) -> int:
    """How many letters two texts share at the front."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))
