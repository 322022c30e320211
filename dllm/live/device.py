"""Fair scheduler for the forward passes of one device, run by worker threads, one a core.

Models run nowhere else. The client that has used the device least goes next. A forward that needs many cores, and every
job, has all workers to itself."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from unmask.belief import Belief
from unmask.inference import DistributionCache, infer
from unmask.inference.memory import with_retry
from unmask.live.core_wait import core_wait, is_crowded
from unmask.live.fair_queue import FairQueue, Waiting
from unmask.live.foreseen import Foreseen
from unmask.live.histogram import TOKENS, Histogram
from unmask.live.request import Client as Client
from unmask.live.request import Job as Job
from unmask.live.request import Request, Turn, as_exception, resolve
from unmask.live.work import Work
from unmask.models import Denoiser
from unmask.run.state import State

T = TypeVar("T")
R = TypeVar("R", bound=Request)
InferBatch = Callable[[Denoiser, Sequence[State], Sequence[bool], Sequence[DistributionCache]], list[Belief]]
RunJob = Callable[[Callable[[], Any]], Any]
BATCH = 16  # requests that may share a forward
RETURN_WINDOW = 0.002  # seconds in which the client with the least device time can ask again and keep its turn


def run_here(work: Callable[[], T]) -> T:
    """Run a job in this process; on ZeroGPU, `zerogpu.run_on_gpu` takes its place."""
    return work()


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
        exclusive: bool = True,
        work: Work | None = None,
    ) -> None:
        self.name, self.batch, self.workers, self._infer_batch, self._run_job = (
            name,
            batch,
            workers,
            infer_batch,
            run_job,
        )
        self.exclusive = exclusive  # a job has all workers to itself; not where they wait for another machine
        self._requests: list[Request] = []
        self._jobs: list[Job] = []
        self._running: list[Turn] = []  # one for each busy worker
        self._turn = 0
        self._returning: dict[
            Client, float
        ] = {}  # clients that have just run, and until when to wait for the next request
        self._turns = FairQueue()
        self.mean_seconds = 0.1  # from turn to turn, as a moving average
        self._latest: dict[str, int] = {}  # the last turns of the two groups that ran last
        self.times, self.waits, self.tokens = Histogram(), Histogram(), Histogram(TOKENS)  # of all passes
        self._wake = threading.Condition()
        self.work = work or Work(self._turns, self._wake)  # what is computed for visitors beside passes
        self.foreseen = Foreseen()  # passes that were computed for previews
        self._closed = False
        names = [f"device-{name}-{worker}" for worker in range(workers)]
        self._threads = [threading.Thread(target=self._work_loop, name=n, daemon=True) for n in names]
        for thread in self._threads:
            thread.start()

    def join(self, client: Client) -> None:
        """Start counting anew whether this client shares the device."""
        with self._wake:
            client.turn = None

    def ask(self, request: R) -> R:
        """Queue a request."""
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
        request = self.ask(Request(client, denoiser, state, watched))
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
            queue = sorted(self._requests, key=lambda t: (t.client.only_idle, self._turns.order(t.client)))
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
        while turn := self._choose():
            began = time.perf_counter()
            if turn.job is not None:
                turn.job.call()
                self._account(turn, [], time.perf_counter() - began)
                continue
            answers = self._infer(turn.batch)
            self._account(turn, answers, time.perf_counter() - began)
            self._commit(answers)

    def _choose(self) -> Turn | None:
        """Wait for work; None when the device is closed."""
        with self._wake:
            while not self._closed:
                now = time.monotonic()
                self._returning = {client: until for client, until in self._returning.items() if until > now}
                waiting = Waiting(self._requests, self._jobs, self._running, [*self._returning])
                if turn := self._turns.choose(waiting, self.workers, self.batch, self.exclusive):
                    self._start(turn)
                    return turn
                self._wake.wait(min(self._returning.values()) - now if self._returning else None)
            for request in self._requests:
                resolve(request.loop, request.future, None, RuntimeError("the device was closed"))
            self._requests = []
            return None

    def _start(self, turn: Turn) -> None:
        """Take a turn's work out of the queue, and note which clients share the device."""
        batch = turn.batch
        if turn.job is not None:
            self._jobs.remove(turn.job)
            if turn.job.client is not None:
                self._turns.give(turn.job.client)
            self._running.append(turn)
            return
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
        self._running.append(turn)

    def _account(self, item: Turn, answers: Sequence[_Answer], seconds: float) -> None:
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
                    client.shared |= is_crowded(client.core_wait, client.clock)
                    self._turns.spend(client, client.weight * item.cores * spent / answer.batch_size)
                    self.waits.add(max(0.0, now - answer.request.since - spent))
            for spent in {answer.result[1] for answer in answers if answer.result is not None}:
                self.times.add(spent)
                self.mean_seconds += 0.2 * (spent * item.cores / self.workers - self.mean_seconds)
            self._wake.notify_all()

    def _commit(self, answers: Sequence[_Answer]) -> None:
        """Hand the beliefs over. What follows from them at once is queued before the sessions hear of them, so that no
        worker idles; only one request ahead: a session waits for it before another follows."""
        follow = [(x.request, x.request.take(*x.result)) for x in answers if x.result is not None]
        with self._wake:
            for request, following in follow:
                if following is None or request.dropped or self._closed:
                    continue
                request.next = following
                self._queue(following)
            self._wake.notify_all()
        for answer in answers:
            resolve(answer.request.loop, answer.request.future, answer.result, answer.error)

    def _infer(self, batch: list[Request]) -> list[_Answer]:
        first = batch[0]
        try:
            if len(batch) > 1:
                return self._forward(batch)
            return with_retry(first.denoiser, len(first.state.canvas), partial(self._forward, batch))
        except BaseException as error:  # the model's own, an exit too: it must end one run, not the device
            if len(batch) > 1:  # one by one, so that the other requests still get their beliefs
                return [answer for request in batch for answer in self._infer([request])]
            return [_Answer(first, None, as_exception(error))]

    def _forward(self, batch: list[Request], retry: bool = False) -> list[_Answer]:
        began, waited = time.perf_counter(), core_wait()
        beliefs = self._infer_batch(
            batch[0].denoiser,
            [t.state for t in batch],
            [t.watched and not retry for t in batch],
            [t.client.distribution_cache for t in batch],
        )
        spent, waited = time.perf_counter() - began, core_wait() - waited
        for client in {t.client for t in batch}:
            client.core_wait += waited
        # the clock is the model's, not the network's
        return [
            _Answer(t, (belief, spent - belief.network), None, len(batch))
            for t, belief in zip(batch, beliefs, strict=True)
        ]
