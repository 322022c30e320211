"""Fair queueing: next is the visitor with the least device time, and of that visitor's runs the one with the least.

A turn is one pass. A run that pauses between two passes, or waits for a person, holds no place in the queue, and fifty
runs of one visitor delay another visitor's next pass no more than one run does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Protocol

from unmask.live.request import Client, Job, Request, Turn

BATCH_PER_CORE = 8  # requests in one forward on a single core: more rows than its cache holds gain nothing
MANY = 4096  # visitors whose device time is remembered


class Runner(Protocol):
    """A client that takes turns."""

    visitor: str
    credit: float


@dataclass
class _Share:
    """The device time of one visitor."""

    credit: float = 0.0  # seconds of device time, raised to the others' level when the visitor comes back
    level: float = 0.0  # the credit of the visitor's run that ran last: no run starts below it


@dataclass(frozen=True)
class Waiting:
    """What a device could do next, and what it does now."""

    requests: Sequence[Request] = ()
    jobs: Sequence[Job] = ()
    running: Sequence[Turn] = ()  # one for each busy worker
    returning: Sequence[Client] = ()  # they have just run, and may ask again at once

    @property
    def ready(self) -> list[Request]:
        """The requests that need not wait: for a running one, or for anybody if their client runs only while all is
        idle."""
        quiet = not self._is_busy
        return [r for r in self.requests if (quiet or not r.client.only_idle) and not self._is_blocked(r)]

    @property
    def _is_busy(self) -> bool:
        """Whether somebody needs the device, or may ask again at once, who need not wait until all is idle."""
        running = (request for turn in self.running for request in turn.batch)
        clients = [*(request.client for request in (*self.requests, *running)), *self.returning]
        return bool(self.jobs) or any(t.job for t in self.running) or not all(c.only_idle for c in clients)

    def _is_blocked(self, request: Request) -> bool:
        """Whether a request must wait for a running one: its pair's other side, which is timed separately, or its own
        model where that is not safe to run twice at once."""
        return any(
            t.client.group == request.client.group
            or (t.denoiser.base is request.denoiser.base and not t.denoiser.base.concurrent)
            for turn in self.running
            for t in turn.batch
        )


@dataclass
class FairQueue:
    """Device time in seconds, by visitor and by run."""

    level: float = 0.0  # the credit of the visitor who ran last: no visitor starts below it
    shares: dict[str, _Share] = field(default_factory=dict)

    def add(self, runner: Runner) -> None:
        """Raise a newcomer to the level of those present: time away earns no extra turns."""
        share = self._share(runner.visitor)
        share.credit = max(share.credit, self.level)
        runner.credit = max(runner.credit, share.level)

    def order(self, runner: Runner) -> tuple[float, float]:
        """Sort key of a runner; the smallest goes first."""
        return self._share(runner.visitor).credit, runner.credit

    def give(self, runner: Runner) -> None:
        """Record that a runner gets its turn."""
        share = self._share(runner.visitor)
        self.level = max(self.level, share.credit)
        share.level = max(share.level, runner.credit)

    def spend(self, runner: Runner, seconds: float) -> None:
        """Charge a runner for the seconds of its turn."""
        self._share(runner.visitor).credit += seconds
        runner.credit += seconds

    def choose(self, waiting: Waiting, workers: int, batch: int, exclusive: bool = True) -> Turn | None:
        """A job, which has all workers to itself if it is `exclusive`; or the request of the client with the least
        device time, and those that can share its forward. None if there is nothing to do now. It changes nothing."""
        free, ready = workers - sum(turn.cores for turn in waiting.running), waiting.ready
        if job := self._next_job(waiting, ready):
            cores = workers if exclusive else 1
            return None if free < cores else Turn(cores, [], job)
        if not ready or not free:
            return None
        first = min(ready, key=lambda t: self.order(t.client))
        card = first.denoiser.card
        narrow = first.denoiser.remote or (card.threads == 1 and card.device.startswith("cpu"))
        cores = 1 if narrow else workers
        # if it needs more cores than are free, no other request overtakes it, or it would wait forever
        if cores > free or self._should_wait(first, waiting.returning, free - cores):
            return None
        # idle workers divide the waiting requests among themselves
        most = min(batch, BATCH_PER_CORE, ceil(len(ready) / free)) if narrow else batch
        together = [first]
        for request in ready:
            # the sides of one pair are timed separately, so they never share a forward
            apart = all(request.client.group != t.client.group for t in together)
            if apart and request.batch_key == first.batch_key and len(together) < most:
                together.append(request)
        return Turn(cores, together)

    def _next_job(self, waiting: Waiting, ready: Sequence[Request]) -> Job | None:
        """The job that is next, if it is before all these requests."""
        if own := next((job for job in waiting.jobs if job.client is None), None):
            return own
        owned = [(self.order(job.client), i) for i, job in enumerate(waiting.jobs) if job.client is not None]
        before = [*(t.client for t in ready), *waiting.returning]  # those that have just run may come back at once
        if not owned or min(owned)[0] >= min(map(self.order, before), default=(inf, inf)):
            return None
        return waiting.jobs[min(owned)[1]]

    def _should_wait(self, first: Request, returning: Sequence[Client], free: int) -> bool:
        """Whether to wait a moment for a client that has just run and has used less device time than this one:
        otherwise a long forward would follow each short one. With a worker to spare, only for the pair's other side."""
        order, group = self.order(first.client), first.client.group
        return any((not free or c.group == group) and self.order(c) < order for c in returning)

    def _share(self, visitor: str) -> _Share:
        if visitor not in self.shares:
            if len(self.shares) >= MANY:  # those with the least credit lose nothing: they would start at the level
                kept = sorted(self.shares.items(), key=lambda item: item[1].credit)[MANY // 2 :]
                self.shares = dict(kept)
            self.shares[visitor] = _Share(self.level)
        return self.shares[visitor]
