"""Fair scheduler for the forward passes of one device, run by worker threads, one a core.

Models run nowhere else. The client that has used the device least goes next. A forward that needs many cores, and every
job, has all workers to itself."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf
from typing import Any, TypeVar

from unmask.belief import Belief
from unmask.errors import OutOfMemory
from unmask.inference import DistributionCache, infer
from unmask.inference.memory import free_caches, is_oom
from unmask.live.fair_queue import FairQueue
from unmask.live.future import as_exception, resolve
from unmask.live.histogram import TOKENS, Histogram
from unmask.live.work import Work
from unmask.models import Denoiser
from unmask.run.state import State

T = TypeVar("T")
InferBatch = Callable[[Denoiser, Sequence[State], Sequence[bool], Sequence[DistributionCache]], list[Belief]]
RunJob = Callable[[Callable[[], Any]], Any]
NextState = Callable[[Belief, float], State | None]  # from a belief and its seconds to the state to infer next
BATCH = 16  # requests that may share a forward
BATCH_PER_CORE = 8  # on a single core: more rows than its cache holds gain nothing (`docs/history.md`)
RETURN_WINDOW = 0.002  # seconds in which the client with the least device time can ask again and keep its turn


def run_here(work: Callable[[], T]) -> T:
    """Run a job in this process; on ZeroGPU, `zerogpu.run_on_gpu` takes its place."""
    return work()


@dataclass(eq=False)
class Client:
    """A user of the device: a session, or one side of a pair. Its clock counts only its own device time."""

    name: str
    group: str = ""  # sides of one pair share a group
    visitor: str = ""  # the run's owner: turns are shared among visitors first, then among each one's runs
    clock: float = 0.0  # seconds of device time
    weight: float = 1.0  # factor on its seconds in the fair queue: above 1 for a client that should wait longer
    credit: float = 0.0  # weighted device time, by which the fair queue orders; a new client starts level with others
    turn: int | None = None  # the device's turn at which it last ran, since it joined
    shared: bool = False  # another group has used the device since it joined, so its times are not its own
    distribution_cache: DistributionCache = field(default_factory=DistributionCache)

    def __post_init__(self) -> None:
        self.group = self.group or self.name
        self.visitor = self.visitor or self.group


@dataclass(eq=False)
class Request:
    """A request for one inference."""

    client: Client
    denoiser: Denoiser
    state: State
    watched: bool
    future: asyncio.Future[tuple[Belief, float]]
    loop: asyncio.AbstractEventLoop
    then: NextState | None = None  # called by the worker as soon as it has the belief
    next: Request | None = None  # the request for the state that `then` returned
    dropped: bool = False  # its answer is no longer wanted
    since: float = field(default_factory=time.monotonic)

    @property
    def batch_key(self) -> Any:
        """Requests with the same key can share a forward."""
        s = self.state
        return id(self.denoiser), min(s.visible_cells, len(s.canvas)), s.carry is None


@dataclass(eq=False)
class _WorkItem:
    """The work of one worker: requests that share a forward, or a job."""

    cores: int
    batch: list[Request]
    job: Job | None = None


@dataclass(eq=False)
class Job:
    """Work that needs the whole device, for a client; without one it is the server's own and goes first."""

    call: Callable[[], None]
    client: Client | None


@dataclass(frozen=True, eq=False)
class _Answer:
    """A belief and the seconds it took, or an error."""

    request: Request
    result: tuple[Belief, float] | None
    error: Exception | None = None
    batch_size: int = 1  # requests that shared the forward


class Device:
    """Queue and worker threads of one device."""

    def __init__(
        self,
        name: str = "cpu",
        batch: int = BATCH,
        infer_batch: InferBatch = infer,
        run_job: RunJob = run_here,
        workers: int = 1,
    ) -> None:
        self.name, self.batch, self.workers, self._infer_batch, self._run_job = (
            name,
            batch,
            workers,
            infer_batch,
            run_job,
        )
        self._requests: list[Request] = []
        self._jobs: list[Job] = []
        self._running: list[_WorkItem] = []  # one for each busy worker
        self._turn = 0
        self._returning: dict[
            Client, float
        ] = {}  # clients that have just run, and until when to wait for the next request
        self._turns = FairQueue()
        self.mean_seconds = 0.1  # from turn to turn, as a moving average
        self._latest: dict[str, int] = {}  # the last turns of the two groups that ran last
        self.times, self.waits, self.tokens = Histogram(), Histogram(), Histogram(TOKENS)  # of all passes
        self._wake = threading.Condition()
        self.work = Work(self._turns, self._wake)  # what is computed for visitors beside passes
        self._closed = False
        names = [f"device-{name}-{worker}" for worker in range(workers)]
        self._threads = [threading.Thread(target=self._work_loop, name=n, daemon=True) for n in names]
        for thread in self._threads:
            thread.start()

    def join(self, client: Client) -> None:
        """Start counting anew whether this client shares the device."""
        with self._wake:
            client.turn = None

    def ask(self, client: Client, denoiser: Denoiser, state: State, watched: bool) -> Request:
        """Queue a request; its future returns the belief and the seconds of device time."""
        loop = asyncio.get_running_loop()
        request = Request(client, denoiser, state, watched, loop.create_future(), loop)
        with self._wake:
            if self._closed:
                raise RuntimeError(f"the device {self.name} is closed")
            self._queue(request)
            self._wake.notify_all()
        return request

    def _queue(self, request: Request) -> None:
        self._turns.add(request.client)
        self._returning.pop(request.client, None)
        self._requests.append(request)

    async def infer(self, client: Client, denoiser: Denoiser, state: State, watched: bool) -> tuple[Belief, float]:
        """A belief, and the seconds of device time it took."""
        request = self.ask(client, denoiser, state, watched)
        try:
            return await request.future
        except asyncio.CancelledError:  # the caller has stopped waiting
            self.drop(request)
            raise

    async def run(self, work: Callable[[], T], client: Client | None = None) -> T:
        """Run a job while no forward runs: in the client's turn; next, if it is the server's own (a model to load)."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def job() -> None:
            try:
                resolve(loop, future, self._run_job(work), None)
            except BaseException as error:  # raised again in the caller
                resolve(loop, future, None, as_exception(error))

        queued = Job(job, client)
        with self._wake:
            if client is not None:
                self._turns.add(client)
            self._jobs.append(queued)
            self._wake.notify_all()
        try:
            return await future
        except asyncio.CancelledError:  # the caller has left
            with self._wake:
                if client is not None and queued in self._jobs:
                    self._jobs.remove(queued)
            raise

    @property
    def waiting(self) -> int:
        """Requests that wait for their turn."""
        return len(self._requests)

    @property
    def longest_wait(self) -> float:
        """Seconds that the oldest request has waited."""
        return time.monotonic() - min((r.since for r in tuple(self._requests)), default=time.monotonic())

    def withdraw(self, request: Request) -> bool:
        """Take back a request that has not started; whether that was possible."""
        with self._wake:
            before = len(self._requests)
            self._requests = [t for t in self._requests if t is not request]
            return len(self._requests) < before

    def drop(self, request: Request) -> None:
        """Cancel a request and the one that follows from it; a result that is being computed is discarded."""
        with self._wake:
            request.dropped = True
            dropped = [request] if request.next is None else [request, request.next]
            self._requests = [t for t in self._requests if t not in dropped]
        for one in dropped:
            one.future.cancel()  # even one that failed: asyncio logs exceptions that are never retrieved

    def place(self, client: Client) -> int:
        """A client's place in the queue, from 1; 0 for one that is running now, or has no request."""
        with self._wake:
            queue = sorted(self._requests, key=lambda t: self._turns.order(t.client))
            return next((i for i, t in enumerate(queue, 1) if t.client is client), 0)

    def close(self, patience: float = 10.0) -> None:
        """Stop the workers, and wait at most so many seconds for them."""
        until = time.monotonic() + patience
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        for thread in self._threads:
            thread.join(timeout=max(0.0, until - time.monotonic()))

    def _work_loop(self) -> None:
        while item := self._next_item():
            answers = [] if item.job else self._run_batch(item.batch)
            began = time.perf_counter()
            if item.job:
                item.job.call()
            self._end(item, answers, time.perf_counter() - began)
            self._queue_following(answers)
            for answer in answers:
                resolve(answer.request.loop, answer.request.future, answer.result, answer.error)

    def _next_item(self) -> _WorkItem | None:
        """Wait for work; None when the device is closed."""
        with self._wake:
            while not self._closed:
                now = time.monotonic()
                self._returning = {client: until for client, until in self._returning.items() if until > now}
                if item := self._pick():
                    self._running.append(item)
                    return item
                self._wake.wait(min(self._returning.values()) - now if self._returning else None)
            for request in self._requests:
                resolve(request.loop, request.future, None, RuntimeError("the device was closed"))
            self._requests = []
            return None

    def _pick(self) -> _WorkItem | None:
        """A job; or the request of the client with the least device time, and those that can share its forward."""
        free = self.workers - sum(item.cores for item in self._running)
        ready = [t for t in self._requests if not self._is_blocked(t)]
        if job := self._next_job(ready):
            if free < self.workers:
                return None
            self._jobs.remove(job)
            if job.client is not None:
                self._turns.give(job.client)
            return _WorkItem(self.workers, [], job)
        if not ready or not free:
            return None
        first = min(ready, key=lambda t: self._turns.order(t.client))
        card = first.denoiser.card
        narrow = card.threads == 1 and card.device.startswith("cpu")
        cores = 1 if narrow else self.workers
        # if it needs more cores than are free, no other request overtakes it, or it would wait forever
        if cores > free or self._should_wait(first, free - cores):
            return None
        # idle workers divide the waiting requests among themselves
        most = min(self.batch, BATCH_PER_CORE, ceil(len(ready) / free)) if narrow else self.batch
        batch = [first]
        for request in ready:
            # the sides of one pair are timed separately, so they never share a forward
            apart = all(request.client.group != t.client.group for t in batch)
            if apart and request.batch_key == first.batch_key and len(batch) < most:
                batch.append(request)
        self._start(batch)
        return _WorkItem(cores, batch)

    def _next_job(self, ready: Sequence[Request]) -> Job | None:
        """The job that is next, if it is before all these requests."""
        if own := next((job for job in self._jobs if job.client is None), None):
            return own
        owned = [(self._turns.order(job.client), i) for i, job in enumerate(self._jobs) if job.client is not None]
        before = [*(t.client for t in ready), *self._returning]  # those that have just run may come back at once
        if not owned or min(owned)[0] >= min(map(self._turns.order, before), default=(inf, inf)):
            return None
        return self._jobs[min(owned)[1]]

    def _is_blocked(self, request: Request) -> bool:
        """Whether a request must wait for a running one: its pair's other side, which is timed separately, or its own
        model where that is not safe to run twice at once."""
        return any(
            t.client.group == request.client.group or (t.denoiser is request.denoiser and not t.denoiser.concurrent)
            for item in self._running
            for t in item.batch
        )

    def _should_wait(self, first: Request, free: int) -> bool:
        """Whether to wait a moment for a client that has just run and has used less device time than this one:
        otherwise a long forward would follow each short one. With a worker to spare, only for the pair's other side."""
        order, group = self._turns.order(first.client), first.client.group
        return any((not free or c.group == group) and self._turns.order(c) < order for c in self._returning)

    def _start(self, batch: list[Request]) -> None:
        """Give these requests their turn, and note which clients share the device."""
        self._turns.give(batch[0].client)
        self._turn += 1
        beside = [t.client for item in self._running for t in item.batch]
        here = {t.client.group for t in self._requests} | {client.group for client in beside}
        for client in (t.client for t in batch):
            between = (turn for group, turn in self._latest.items() if group != client.group)
            meanwhile = client.turn is not None and max(between, default=0) > client.turn
            client.shared |= meanwhile or here != {client.group}
            client.turn = self._turn
        for client in beside:
            client.shared = True
        groups = [t.client.group for t in batch]
        self._latest = dict([*self._latest.items(), *((g, self._turn) for g in groups)])
        self._latest = dict(sorted(self._latest.items(), key=lambda x: x[1])[-2:])
        self._requests = [t for t in self._requests if t not in batch]

    def _end(self, item: _WorkItem, answers: Sequence[_Answer], seconds: float) -> None:
        """Account for the device time that these answers, or a job, took."""
        now = time.monotonic()
        with self._wake:
            self._running.remove(item)
            if item.job is not None and item.job.client is not None:
                self._turns.spend(item.job.client, item.job.client.weight * item.cores * seconds)
            for answer in answers:
                client = answer.request.client
                self._returning[client] = now + RETURN_WINDOW
                if answer.result is not None:
                    spent = answer.result[1]
                    client.clock += spent
                    self._turns.spend(client, client.weight * item.cores * spent / answer.batch_size)
                    self.waits.add(max(0.0, now - answer.request.since - spent))
            for spent in {answer.result[1] for answer in answers if answer.result is not None}:
                self.times.add(spent)
                self.mean_seconds += 0.2 * (spent * item.cores / self.workers - self.mean_seconds)
            self._wake.notify_all()

    def _queue_following(self, answers: Sequence[_Answer]) -> None:
        """Queue the requests that follow from these beliefs before the sessions receive them, so that no worker idles.

        Only one request ahead: it has no `then` until its session waits for it."""
        follow = [(x.request, x.request.then(*x.result)) for x in answers if x.result is not None and x.request.then]
        with self._wake:
            for request, state in follow:
                if state is None or request.dropped or self._closed:
                    continue
                future = request.loop.create_future()
                request.next = replace(request, state=state, future=future, then=None, since=time.monotonic())
                self._queue(request.next)
            self._wake.notify_all()

    def _run_batch(self, batch: list[Request], retry: bool = False) -> list[_Answer]:
        began = time.perf_counter()
        try:
            beliefs = self._infer_batch(
                batch[0].denoiser,
                [t.state for t in batch],
                [t.watched and not retry for t in batch],
                [t.client.distribution_cache for t in batch],
            )
        except BaseException as error:  # the model's own, an exit too: it must end one run, not the device
            if len(batch) > 1:  # one by one, so that the other requests still get their beliefs
                return [answer for request in batch for answer in self._run_batch([request])]
            if is_oom(error) and not retry:  # once more without caches, and only for the cells that are needed
                error.__traceback__ = None  # its frames keep tensors alive
                free_caches(batch[0].denoiser)
                return self._run_batch(batch, retry=True)
            failure = OutOfMemory(len(batch[0].state.canvas)) if is_oom(error) else as_exception(error)
            return [_Answer(batch[0], None, failure)]
        spent = time.perf_counter() - began
        return [_Answer(t, (belief, spent), None, len(batch)) for t, belief in zip(batch, beliefs, strict=True)]
