"""Runs work for visitors on threads, in the same fair turns as their passes.

The visitor who has used the least time goes next. Long work calls `may_pause`, where it waits while others have their
turns, and ends if its caller has left or it costs more than its limit."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from unmask.decide.pause import pausing
from unmask.errors import InvalidRequest
from unmask.live.fair_queue import FairQueue
from unmask.live.request import as_exception, resolve

T = TypeVar("T")
THREADS = 2  # that compute at once; one visitor has at most one of them
STARTED = 64  # jobs that have begun, those that wait for their next turn included
STARTED_EACH = 8  # of one visitor
WAITING_EACH = 64  # jobs of one visitor that are not done
SLICE = 0.02  # seconds of a turn
LIMIT = 10.0  # seconds of computing that one job may cost
BUSY = "you have too many requests waiting here: wait until some are answered"
COSTLY = "this takes too long to compute here: ask for less"


class Left(Exception):
    """Ends work whose caller no longer waits."""


@dataclass(eq=False)
class Job:
    """Work for a visitor; also its place in the fair queue (`Runner`)."""

    visitor: str
    work: Callable[[], Any]
    limit: float
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop
    number: int
    context: Context
    credit: float = 0.0
    spent: float = 0.0  # seconds of computing
    began: bool = False
    left: bool = False  # its caller has left
    turn: threading.Event = field(default_factory=threading.Event)
    since: float = 0.0  # when its present turn began, and the computing time of its thread then
    clock: float = 0.0


_JOB: ContextVar[Job | None] = ContextVar("job", default=None)


class Work:
    """The threads that compute for visitors. `queue` and `lock` are those of the device."""

    def __init__(self, queue: FairQueue, lock: threading.Condition) -> None:
        self._queue, self._lock, self._numbers = queue, lock, count()
        self._waiting: list[Job] = []  # for their first or next turn
        self._running: list[Job] = []
        self._began: Counter[str] = Counter()  # jobs that have begun, by visitor
        self._jobs: Counter[str] = Counter()  # jobs that are not done, by visitor

    async def run(self, visitor: str, work: Callable[[], T], limit: float = LIMIT) -> T:
        """The result of some work for a visitor; it is dropped if the caller is cancelled."""
        loop = asyncio.get_running_loop()
        job = Job(visitor, work, limit, loop.create_future(), loop, next(self._numbers), copy_context())
        with self._lock:
            if self._jobs[visitor] >= WAITING_EACH:
                raise InvalidRequest(BUSY)
            self._jobs[visitor] += 1
            self._wait_in_line(job)
        try:
            return await job.future  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            self._leave(job)
            raise

    @property
    def waiting(self) -> int:
        """Jobs that wait for a turn."""
        return len(self._waiting)

    def _wait_in_line(self, job: Job) -> None:
        self._queue.add(job)
        self._waiting.append(job)
        self._give_turns()

    def _give_turns(self) -> None:
        """Give free threads to the waiting jobs of those visitors who have used the least time."""
        while len(self._running) < THREADS:
            served = {job.visitor for job in self._running}
            ready = [job for job in self._waiting if job.visitor not in served and (job.began or self._may_begin(job))]
            if not ready:
                return
            job = min(ready, key=lambda job: (*self._queue.order(job), job.number))
            self._queue.give(job)
            self._waiting.remove(job)
            self._running.append(job)
            if job.began:
                job.turn.set()
            else:
                job.began = True
                self._began[job.visitor] += 1
                threading.Thread(target=job.context.run, args=(self._run, job), name="work", daemon=True).start()

    def _may_begin(self, job: Job) -> bool:
        return self._began[job.visitor] < STARTED_EACH and self._began.total() < STARTED

    def _run(self, job: Job) -> None:
        _JOB.set(job)
        self._start_clock(job)
        result, error = None, None
        try:
            with pausing(lambda: self._pause(job)):
                result = job.work()
        except BaseException as raised:  # raised again in the caller
            error = as_exception(raised)
        with self._lock:
            self._end_turn(job)
            self._began[job.visitor] -= 1
            self._forget(job)
            self._give_turns()
        resolve(job.loop, job.future, result, error)

    def _pause(self, job: Job) -> None:
        """Where work may wait: its turn ends if it was long enough."""
        if job.left:
            raise Left
        if time.perf_counter() - job.since < SLICE:
            return
        with self._lock:
            self._end_turn(job)
            if job.spent <= job.limit:
                self._wait_in_line(job)
            else:  # it goes on in its turn, to end
                self._running.append(job)
        if job.spent > job.limit:
            raise InvalidRequest(COSTLY)
        self._wait(job)

    def _wait(self, job: Job) -> None:
        job.turn.wait()
        job.turn.clear()
        self._start_clock(job)
        if job.left:
            raise Left

    def _start_clock(self, job: Job) -> None:
        job.since, job.clock = time.perf_counter(), time.thread_time()

    def _end_turn(self, job: Job) -> None:
        spent = time.thread_time() - job.clock
        job.spent += spent
        self._queue.spend(job, spent)
        self._running.remove(job)

    def _leave(self, job: Job) -> None:
        with self._lock:
            job.left = True
            if not job.began:
                self._waiting.remove(job)
                self._forget(job)

    def _forget(self, job: Job) -> None:
        self._jobs[job.visitor] -= 1
        for counter in (self._jobs, self._began):
            if not counter[job.visitor]:
                del counter[job.visitor]

    @contextmanager
    def away(self) -> Iterator[None]:
        """A context in which the running work only waits, for example for the device: others have its turn."""
        job = _JOB.get()
        assert job is not None, "only work may be away"
        with self._lock:
            self._end_turn(job)
            self._give_turns()
        try:
            yield
        finally:
            with self._lock:
                self._wait_in_line(job)
            self._wait(job)
