"""The right to think on one device, in lanes: threads that each have a forward of their own, one a core.

Models are touched nowhere else; the client that has had least of the device goes next. What takes many cores, and every
job, has all lanes to itself."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, TypeVar

from unmask.belief import Belief
from unmask.errors import OutOfMemory
from unmask.inference import DistributionCache, infer
from unmask.inference.memory import free_caches, is_oom
from unmask.live.fair_queue import FairQueue
from unmask.live.histogram import TOKENS, Histogram
from unmask.models import Denoiser
from unmask.run.state import State

T = TypeVar("T")
Thinks = Callable[[Denoiser, Sequence[State], Sequence[bool], Sequence[DistributionCache]], list[Belief]]
Does = Callable[[Callable[[], Any]], Any]
Then = Callable[[Belief, float], State | None]  # a belief and its seconds, to what is to be thought about next
BATCH = 16  # thoughts that may share a forward
ON_A_CORE = 8  # of them where one core works: more rows than its cache holds gain nothing (`docs/history.md`)
MOMENT = 0.002  # seconds that the client with the least may take between two thoughts without losing the turn


def run_here(work: Callable[[], T]) -> T:
    """Some work, where the device is: it is lent by the call elsewhere."""
    return work()


@dataclass(eq=False)
class Client:
    """One who takes turns: a session, or one side of a pair. Its clock runs only while it has the device."""

    name: str
    group: str = ""  # sides of one pair share a group
    visitor: str = ""  # whose run it is: turns go round by visitor first
    clock: float = 0.0  # seconds of device time
    weight: float = 1.0  # what a second counts when turns are given: more for a client that should wait
    credit: float = 0.0  # the clock by which turns are given; starts level with the others
    turn: int | None = None  # the device's turn at which it last thought, since it joined
    shared: bool = False  # somebody of another group has had the device in between
    distribution_cache: DistributionCache = field(default_factory=DistributionCache)

    def __post_init__(self) -> None:
        self.group = self.group or self.name
        self.visitor = self.visitor or self.group


@dataclass(eq=False)
class Request:
    """A thought that somebody waits for."""

    client: Client
    denoiser: Denoiser
    state: State
    watched: bool
    future: asyncio.Future[tuple[Belief, float]]
    loop: asyncio.AbstractEventLoop
    then: Then | None = None  # called by the lane as soon as it has the belief
    next: Request | None = None  # the thought that followed from it
    dropped: bool = False  # nobody waits any more
    since: float = field(default_factory=time.monotonic)

    @property
    def alike(self) -> Any:
        """Requests that are alike in this can share a forward."""
        s = self.state
        return id(self.denoiser), min(s.visible_cells, len(s.canvas)), s.carry is None


@dataclass(eq=False)
class _WorkItem:
    """What a lane is at: thoughts that share a forward, or a job."""

    cores: int
    batch: list[Request]
    job: Callable[[], None] | None = None


@dataclass(frozen=True, eq=False)
class _Answer:
    """A belief and the seconds it took, or an error."""

    request: Request
    result: tuple[Belief, float] | None
    error: Exception | None = None
    batch_size: int = 1  # thoughts that shared the forward


class Device:
    """The right to think on one device."""

    def __init__(
        self, name: str = "cpu", batch: int = BATCH, thinks: Thinks = infer, does: Does = run_here, workers: int = 1
    ) -> None:
        self.name, self.batch, self.workers, self._thinks, self._does = name, batch, workers, thinks, does
        self._requests: list[Request] = []
        self._jobs: deque[Callable[[], None]] = deque()
        self._running: list[_WorkItem] = []  # one for each lane at work
        self._turn = 0
        self._last: dict[Client, float] = {}  # who has just thought, and until when a next request is awaited
        self._turns = FairQueue()
        self.mean_seconds = 0.1  # seconds from turn to turn, as the last ones were
        self._latest: dict[str, int] = {}  # the last turns of the two groups that thought last
        self.times, self.waits, self.tokens = Histogram(), Histogram(), Histogram(TOKENS)  # of all passes
        self._wake = threading.Condition()
        self._closed = False
        names = [f"device-{name}-{lane}" for lane in range(workers)]
        self._threads = [threading.Thread(target=self._work_loop, name=n, daemon=True) for n in names]
        for thread in self._threads:
            thread.start()

    def join(self, client: Client) -> None:
        """A run that begins anew has shared the device with nobody yet."""
        with self._wake:
            client.turn = None

    def ask(self, client: Client, denoiser: Denoiser, state: State, watched: bool) -> Request:
        """Ask for a belief; its future is given that and the seconds that the device took for it."""
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
        self._last.pop(request.client, None)
        self._requests.append(request)

    async def infer(self, client: Client, denoiser: Denoiser, state: State, watched: bool) -> tuple[Belief, float]:
        """A belief, and the seconds that the device took for it."""
        request = self.ask(client, denoiser, state, watched)
        try:
            return await request.future
        except asyncio.CancelledError:  # a client that leaves takes the request along
            self.drop(request)
            raise

    async def run(self, work: Callable[[], T]) -> T:
        """Do something else on a lane while the others rest, such as loading a model."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def land() -> None:
            try:
                _resolve(loop, future, self._does(work), None)
            except BaseException as error:  # raised again where it was asked for
                _resolve(loop, future, None, as_exception(error))

        with self._wake:
            self._jobs.append(land)
            self._wake.notify_all()
        return await future

    @property
    def waiting(self) -> int:
        """Passes that wait for their turn."""
        return len(self._requests)

    @property
    def longest_wait(self) -> float:
        """Seconds that the pass has waited that waits longest."""
        return time.monotonic() - min((r.since for r in tuple(self._requests)), default=time.monotonic())

    def withdraw(self, request: Request) -> bool:
        """Take back a request, if nobody thinks about it yet."""
        with self._wake:
            before = len(self._requests)
            self._requests = [t for t in self._requests if t is not request]
            return len(self._requests) < before

    def drop(self, request: Request) -> None:
        """Nobody waits for it any more, nor for what follows from it; what is being thought falls to the ground."""
        with self._wake:
            request.dropped = True
            dropped = [request] if request.next is None else [request, request.next]
            self._requests = [t for t in self._requests if t not in dropped]
        for one in dropped:
            one.future.cancel()  # a failure too, or it would be complained of that nobody took it

    def place(self, client: Client) -> int:
        """How many go before this one, at most once each; 0 for the one that thinks now, or has no request."""
        with self._wake:
            queue = sorted(self._requests, key=lambda t: self._turns.order(t.client))
            return next((i for i, t in enumerate(queue, 1) if t.client is client), 0)

    def close(self, patience: float = 10.0) -> None:
        """Let the lanes end; wait so many seconds for them."""
        until = time.monotonic() + patience
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        for thread in self._threads:
            thread.join(timeout=max(0.0, until - time.monotonic()))

    def _work_loop(self) -> None:
        while turn := self._begin():
            answers = [] if turn.job else self._run_batch(turn.batch)
            if turn.job:
                turn.job()
            self._end(turn, answers)
            self._queue_following(answers)
            for answer in answers:
                _resolve(answer.request.loop, answer.request.future, answer.result, answer.error)

    def _begin(self) -> _WorkItem | None:
        """What a lane does next, once there is something; None when the device is closed."""
        with self._wake:
            while not self._closed:
                now = time.monotonic()
                self._last = {client: until for client, until in self._last.items() if until > now}
                if turn := self._next():
                    self._running.append(turn)
                    return turn
                self._wake.wait(min(self._last.values()) - now if self._last else None)
            for request in self._requests:
                _resolve(request.loop, request.future, None, RuntimeError("the device was closed"))
            self._requests = []
            return None

    def _next(self) -> _WorkItem | None:
        """A job; or the request whose client has had least, and those that can share its forward."""
        free = self.workers - sum(turn.cores for turn in self._running)
        if self._jobs:
            return _WorkItem(self.workers, [], self._jobs.popleft()) if free == self.workers else None
        may = [t for t in self._requests if not self._is_blocked(t)]
        if not may or not free:
            return None
        first = min(may, key=lambda t: self._turns.order(t.client))
        card = first.denoiser.card
        narrow = card.threads == 1 and card.device.startswith("cpu")
        cores = 1 if narrow else self.workers
        # where it needs more cores than are free nobody overtakes it, or it would never find them
        if cores > free or self._next_requests(first, free - cores):
            return None
        # lanes that rest each have a part of what waits
        most = min(self.batch, ON_A_CORE, ceil(len(may) / free)) if narrow else self.batch
        batch = [first]
        for request in may:
            # sides of one pair are timed apart, so they never share
            alone = all(request.client.group != t.client.group for t in batch)
            if alone and request.alike == first.alike and len(batch) < most:
                batch.append(request)
        self._start(batch)
        return _WorkItem(cores, batch)

    def _is_blocked(self, request: Request) -> bool:
        """Whether something is thought now that a request must not stand beside: its pair's other side, which is timed
        apart, or its own model where that keeps something between thoughts."""
        return any(
            t.client.group == request.client.group or (t.denoiser is request.denoiser and not t.denoiser.concurrent)
            for turn in self._running
            for t in turn.batch
        )

    def _next_requests(self, first: Request, free: int) -> bool:
        """Who has just thought and had less has a moment to ask again, or a long thought would follow each short one;
        with a lane to spare, only the other side of a pair is waited for."""
        had, group = self._turns.order(first.client), first.client.group
        return any((not free or c.group == group) and self._turns.order(c) < had for c in self._last)

    def _start(self, batch: list[Request]) -> None:
        """It is their turn; everybody here shares the device with the others."""
        self._turns.give(batch[0].client)
        self._turn += 1
        beside = [t.client for turn in self._running for t in turn.batch]
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

    def _end(self, turn: _WorkItem, answers: Sequence[_Answer]) -> None:
        """A lane rests, and clients have had what they have had."""
        now = time.monotonic()
        with self._wake:
            self._running.remove(turn)
            for answer in answers:
                client = answer.request.client
                self._last[client] = now + MOMENT
                if answer.result is not None:
                    spent = answer.result[1]
                    client.clock += spent
                    self._turns.spend(client, client.weight * turn.cores * spent / answer.batch_size)
                    self.waits.add(max(0.0, now - answer.request.since - spent))
            for spent in {answer.result[1] for answer in answers if answer.result is not None}:
                self.times.add(spent)
                self.mean_seconds += 0.2 * (spent * turn.cores / self.workers - self.mean_seconds)
            self._wake.notify_all()

    def _queue_following(self, answers: Sequence[_Answer]) -> None:
        """What follows from these beliefs is asked for before anybody hears of them, so that no lane waits for that.

        One thought ahead and no further: it has nothing behind it until somebody waits for it."""
        follow = [(x.request, x.request.then(*x.result)) for x in answers if x.result is not None and x.request.then]
        with self._wake:
            for request, state in follow:
                if state is None or request.dropped or self._closed:
                    continue
                future = request.loop.create_future()
                request.next = replace(request, state=state, future=future, then=None, since=time.monotonic())
                self._queue(request.next)
            self._wake.notify_all()

    def _run_batch(self, batch: list[Request], again: bool = False) -> list[_Answer]:
        began = time.perf_counter()
        try:
            beliefs = self._thinks(
                batch[0].denoiser,
                [t.state for t in batch],
                [t.watched and not again for t in batch],
                [t.client.distribution_cache for t in batch],
            )
        except BaseException as error:  # the model's own, an exit too: it must end one run, not the device
            if len(batch) > 1:  # batch mates finish with the tokens of their solo runs
                return [answer for request in batch for answer in self._run_batch([request])]
            if is_oom(error) and not again:  # once more without caches, and for the cells alone that are needed
                error.__traceback__ = None  # it holds what was being worked out
                free_caches(batch[0].denoiser)
                return self._run_batch(batch, again=True)
            failure = OutOfMemory(len(batch[0].state.canvas)) if is_oom(error) else as_exception(error)
            return [_Answer(batch[0], None, failure)]
        spent = time.perf_counter() - began
        return [_Answer(t, (belief, spent), None, len(batch)) for t, belief in zip(batch, beliefs, strict=True)]


class Exited(RuntimeError):
    """What was run here asked the whole process to end, which is not its to ask."""


def as_exception(error: BaseException) -> Exception:
    """An error that a task may carry: an exit would end the loop that serves everybody."""
    return error if isinstance(error, Exception) else Exited(f"it asked the process to end: {type(error).__name__}")


def _resolve(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], result: T | None, error: Exception | None
) -> None:
    """Give an answer to the one who waits for it, if anybody still does."""

    def give() -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    if not loop.is_closed():
        loop.call_soon_threadsafe(give)
