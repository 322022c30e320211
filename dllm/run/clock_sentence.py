"""The sentence about a run's speed: here as measured, and on another machine as modelled.

Each part is an English template with placeholders, so that a page can translate it and fill in the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unmask.run.fed_tokens import Work
from unmask.run.modelled_time import Clock, RunTime, modelled_time

SAME = 1.05  # a ratio of speeds below this is "about as fast"
UNEQUAL = 1.25  # a ratio of tokens written above this is unequal work

HERE_SAME = "Here the two are about as fast."
HERE_FASTER = "Here {name} is {ratio} × faster."
NOT_COMPARED = "The two wrote {tokens} and {others} tokens, so their speeds are not compared."
ON_CHIP = "On one {chip}, "
ON_CHIP_SHARED = "On one {chip} with {users} users, "
ON_THIS = "On this machine, "
ON_THIS_SHARED = "On this machine with {users} users, "
WHOLE = "a model of {size} would look at the whole text {times} while the other writes {tokens}: "
LOOKS = "a model of {size} would look {times} while the other writes {tokens}: "
FASTER = "{ratio} × faster (modelled)."
SLOWER = "{ratio} × slower (modelled)."
AS_FAST = "about as fast (modelled)."
ALONE = "a model of {size} would look {times} and write {rate} tokens a second (modelled)."
WITH_READER = "{size}, with another to proofread,"


@dataclass(frozen=True)
class Part:
    """A template and the values of its placeholders."""

    template: str
    values: Mapping[str, str]

    def __str__(self) -> str:
        return self.template.format(**self.values)


@dataclass(frozen=True)
class TimedRun:
    """A run on both clocks; `name` is what a sentence calls its side."""

    name: str
    measured: RunTime
    works: Sequence[Work]


def clock_sentence(clock: Clock, run: TimedRun, twin: TimedRun | None = None) -> list[Part]:
    """What can be said about a run's speed, and its twin's if it ran; unequal work is not compared."""
    modelled = modelled_time(clock, run.works, run.measured.tokens)
    if not modelled.tokens:
        return []
    words = clock.size.in_words
    by_reader = any(work.by_reader for work in run.works)
    size = {"size": WITH_READER.format(size=words) if by_reader else words}
    if twin is None:
        values = size | {"rate": _figure(modelled.tokens_per_second), "times": _times(modelled.passes)}
        return [_on(clock, ALONE, values)]
    counts = run.measured.tokens, twin.measured.tokens
    if not min(counts) or max(counts) / min(counts) > UNEQUAL:
        return [Part(NOT_COMPARED, {"tokens": str(counts[0]), "others": str(counts[1])})]
    other = modelled_time(clock, twin.works, twin.measured.tokens)
    # what the twin writes in the time of the run, at its own pace
    twin_tokens = round(modelled.seconds * other.tokens_per_second)
    whole = not any(work.cached or work.by_reader for work in run.works)
    ratio = modelled.tokens_per_second / other.tokens_per_second
    end = AS_FAST if max(ratio, 1 / ratio) < SAME else FASTER if ratio > 1 else SLOWER
    values = size | {"times": _times(modelled.passes), "tokens": _tokens(twin_tokens)}
    values |= {"ratio": _figure(max(ratio, 1 / ratio))}
    return [_here(run, twin), _on(clock, (WHOLE if whole else LOOKS) + end, values)]


def sentence_text(parts: Sequence[Part]) -> str:
    """The parts as one English text."""
    return " ".join(map(str, parts))


def _here(run: TimedRun, twin: TimedRun) -> Part:
    fast, slow = sorted((run, twin), key=lambda r: -r.measured.tokens_per_second)
    ratio = fast.measured.tokens_per_second / max(slow.measured.tokens_per_second, 1e-9)
    if ratio < SAME:
        return Part(HERE_SAME, {})
    return Part(HERE_FASTER, {"name": fast.name, "ratio": _figure(ratio)})


def _on(clock: Clock, template: str, values: Mapping[str, str]) -> Part:
    """A part that begins with the machine and, if there are several, the users."""
    here, shared = clock.chip.source == "measured", clock.users > 1
    prefix = (ON_THIS_SHARED if shared else ON_THIS) if here else (ON_CHIP_SHARED if shared else ON_CHIP)
    return Part(prefix + template, {**values, "chip": clock.chip.name, "users": str(clock.users)})


def _figure(value: float) -> str:
    """Two significant digits, and all digits of larger figures."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"
