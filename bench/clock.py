"""Time as a busy machine lets it be taken: what the processor worked for us, and rivals turn by turn."""

from __future__ import annotations

import signal
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Work = Callable[[], object]


def spent(work: Work) -> float:
    """Milliseconds of processor time, which others on this machine hardly change."""
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def median(work: Work, rounds: int) -> float:
    return statistics.median(spent(work) for _ in range(rounds))


def turns(rounds: int, *works: Work) -> list[list[float]]:
    """Milliseconds of each, turn by turn, so that a machine that drifts drifts for all; the first turn warms up."""
    times = [[spent(work) for work in works] for _ in range(rounds + 1)][1:]
    return [list(column) for column in zip(*times, strict=True)]


def ratio(rounds: int, work: Work, other: Work) -> float:
    """How many times as long as the other: the median over pairs."""
    ours, theirs = turns(rounds, work, other)
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def over(work: Work, bare: Work, rounds: int = 15) -> float:
    """What the work takes beyond the bare, as a share of it, by each one's quicker quarter: noise can only add."""
    quicker = [statistics.quantiles(times, n=4)[0] for times in turns(rounds, work, bare)]
    return quicker[0] / quicker[1] - 1


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What takes longer is broken off by a TimeoutError; only where the system has such a clock, on the main thread."""
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
