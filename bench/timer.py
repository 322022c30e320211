"""Timing on a busy machine: processor time of this process, and alternating measurements."""

from __future__ import annotations

import signal
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Work = Callable[[], object]


def spent(work: Work) -> float:
    """Milliseconds of processor time, which other processes change little."""
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def median(work: Work, rounds: int) -> float:
    return statistics.median(spent(work) for _ in range(rounds))


def turns(rounds: int, *works: Work) -> list[list[float]]:
    """Milliseconds of each, measured alternately, so that a change of clock speed affects all; the first warms up."""
    times = [[spent(work) for work in works] for _ in range(rounds + 1)][1:]
    return [list(column) for column in zip(*times, strict=True)]


def ratio(rounds: int, work: Work, other: Work) -> float:
    """The time of `work` over that of `other`: the median over pairs."""
    ours, theirs = turns(rounds, work, other)
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def over(work: Work, bare: Work, rounds: int = 15) -> float:
    """The overhead of `work` over `bare`, as a share of it; by lower quartiles, since noise only adds time."""
    quicker = [statistics.quantiles(times, n=4)[0] for times in turns(rounds, work, bare)]
    return quicker[0] / quicker[1] - 1


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after so many seconds; only on the main thread, and not on Windows."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_: object) -> None:
        raise TimeoutError(f"it took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
