"""The time of a run, as it was measured and as another machine would take it, with as many passes as here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unmask.errors import InvalidRequest
from unmask.run.fed_tokens import Work
from unmask.run.pass_time import Chip, Size, pass_seconds

BAND = (0.3, 0.9)  # the efficiencies that published figures lie between
EFFICIENCY = 0.6
MOST_USERS = 65_536


@dataclass(frozen=True)
class Clock:
    """Another machine, the model that it runs, and how many users it serves at once."""

    chip: Chip
    size: Size
    users: int = 1
    efficiency: float = EFFICIENCY
    overhead: float = 0.0  # seconds to launch a forward

    def __post_init__(self) -> None:
        if not 1 <= self.users <= MOST_USERS:
            raise InvalidRequest(f"Users at once go from 1 to {MOST_USERS:,}, not {self.users}.", "users")
        self.forward_seconds(1)  # refuses a bad efficiency or overhead

    def forward_seconds(self, tokens: float, cached: float = 0) -> float:
        """Seconds of a forward that feeds `tokens` tokens for each user."""
        cache = self.users * cached * self.size.cached
        return pass_seconds(
            self.size,
            self.chip,
            self.users * tokens,
            efficiency=self.efficiency,
            cache=cache,
            overhead=self.overhead,
        )

    def seconds(self, work: Work) -> float:
        """Seconds of a pass, in which all users make a pass together."""
        return work.forwards * self.forward_seconds(work.tokens, work.cached)


@dataclass(frozen=True)
class RunTime:
    """How long a run takes, and whose time it is. Tokens a second are one user's."""

    passes: int
    seconds: float
    tokens: int
    first: float = 0.0  # seconds of the first pass

    @property
    def pass_seconds(self) -> float:
        return self.seconds / self.passes if self.passes else 0.0

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds if self.seconds > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "passes": self.passes,
            "seconds": self.seconds,
            "pass_seconds": self.pass_seconds,
            "tokens_per_second": self.tokens_per_second,
        }


def modelled_time(clock: Clock, works: Sequence[Work], tokens: int) -> RunTime:
    """The time of a run's passes on another machine."""
    each = [clock.seconds(work) for work in works]
    return RunTime(len(each), sum(each), tokens, each[0] if each else 0.0)


def measured_time(seconds: Iterable[float], tokens: int) -> RunTime:
    """The time of a run's passes as they were measured."""
    each = list(seconds)
    return RunTime(len(each), sum(each), tokens, each[0] if each else 0.0)


def seconds_band(clock: Clock, works: Sequence[Work]) -> tuple[float, float]:
    """The modelled seconds of a run over the band of efficiencies, the shortest first."""
    slow, fast = (sum(map(replace(clock, efficiency=e).seconds, works)) for e in BAND)
    return fast, slow
