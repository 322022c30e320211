"""One thread per device. Models are touched nowhere else; the client that has had least of the device goes next."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dllm.belief import Belief
from dllm.live.histogram import TOKENS, Histogram
from dllm.live.turns import Turns
from dllm.models import Denoiser
from dllm.run.state import State
from dllm.think import Recall, think
from dllm.think.shortage import NoRoom, full, make_room

T = TypeVar("T")
Thinks = Callable[[Denoiser, Sequence[State], Sequence[bool], Sequence[Recall]], list[Belief]]
BATCH = 16  # thoughts that may share a forward
MOMENT = 0.002  # seconds that the client with the least may take between two thoughts without losing the turn


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
    recall: Recall = field(default_factory=Recall)

    def __post_init__(self) -> None:
        self.group = self.group or self.name
        self.visitor = self.visitor or self.group


@dataclass(eq=False)
class _Request:
    client: Client
    denoiser: Denoiser
    state: State
    watched: bool
    future: asyncio.Future[tuple[Belief, float]]
    loop: asyncio.AbstractEventLoop
    since: float = field(default_factory=time.monotonic)

    @property
    def alike(self) -> Any:
        """Requests that are alike in this can share a forward."""
        s = self.state
        return id(self.denoiser), min(s.sight, len(s.canvas)), s.carry is None


class Device:
    """The right to think on one device."""

    def __init__(self, name: str = "cpu", batch: int = BATCH, thinks: Thinks = think) -> None:
        self.name, self.batch, self._thinks = name, batch, thinks
        self._requests: list[_Request] = []
        self._jobs: deque[Callable[[], None]] = deque()
        self._turn = 0
        self._last: list[Client] = []  # who thought last
        self._turns = Turns()
        self.lasts = 0.1  # seconds of a turn, as the last ones were
        self._latest: dict[str, int] = {}  # the last turns of the two groups that thought last
        self.times, self.waits, self.tokens = Histogram(), Histogram(), Histogram(TOKENS)  # of all passes
        self._wake = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=f"device-{name}", daemon=True)
        self._thread.start()

    def join(self, client: Client) -> None:
        """A run that begins anew has shared the device with nobody yet."""
        with self._wake:
            client.turn = None

    async def think(self, client: Client, denoiser: Denoiser, state: State, watched: bool) -> tuple[Belief, float]:
        """A belief, and the seconds that the device took for it."""
        loop = asyncio.get_running_loop()
        request = _Request(client, denoiser, state, watched, loop.create_future(), loop)
        with self._wake:
            if self._closed:
                raise RuntimeError(f"the device {self.name} is closed")
            self._turns.ask(client)
            self._requests.append(request)
            self._wake.notify()
        try:
            return await request.future
        except asyncio.CancelledError:
            with self._wake:  # a client that leaves takes the request along
                self._requests = [t for t in self._requests if t is not request]
            raise

    async def run(self, work: Callable[[], T]) -> T:
        """Do something else on the device's thread, such as loading a model."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def land() -> None:
            try:
                _land(loop, future, work(), None)
            except BaseException as error:  # raised again where it was asked for
                _land(loop, future, None, ordinary(error))

        with self._wake:
            self._jobs.append(land)
            self._wake.notify()
        return await future

    @property
    def waiting(self) -> int:
        """Passes that wait for their turn."""
        return len(self._requests)

    @property
    def longest_wait(self) -> float:
        """Seconds that the pass has waited that waits longest."""
        return time.monotonic() - min((r.since for r in tuple(self._requests)), default=time.monotonic())

    def withdraw(self, client: Client) -> bool:
        """Take back what a client asks for, if nobody thinks about it yet."""
        with self._wake:
            before = len(self._requests)
            self._requests = [t for t in self._requests if t.client is not client]
            return len(self._requests) < before

    def place(self, client: Client) -> int:
        """How many go before this one, at most once each; 0 for the one that thinks now, or has no request."""
        with self._wake:
            queue = sorted(self._requests, key=lambda t: self._turns.order(t.client))
            return next((i for i, t in enumerate(queue, 1) if t.client is client), 0)

    def close(self, patience: float = 10.0) -> None:
        """Let the thread end; wait so many seconds for it."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join(timeout=patience)

    def _work(self) -> None:
        while True:
            with self._wake:
                while not (self._requests or self._jobs or self._closed):
                    self._wake.wait()
                if self._closed:
                    for request in self._requests:
                        _land(request.loop, request.future, None, RuntimeError("the device was closed"))
                    return
                self._await_the_least()
                job = self._jobs.popleft() if self._jobs else None
                batch = self._next() if self._requests and not job else []
            if job:
                job()
            elif batch:  # they may all have left while one was awaited
                self._serve(batch)

    def _await_the_least(self) -> None:
        """Give who just thought a moment to ask again, or a long thought would follow each short one."""
        order = self._turns.order
        waiting = min((order(t.client) for t in self._requests), default=(0.0, 0.0))
        least = [p for p in self._last if order(p) < waiting]
        if least and not self._jobs and not self._closed:
            self._wake.wait_for(
                lambda: self._closed or self._jobs or any(t.client in least for t in self._requests), MOMENT
            )
        self._last = []

    def _next(self) -> list[_Request]:
        """The request whose client has had least, and those that can share its forward."""
        first = min(self._requests, key=lambda t: self._turns.order(t.client))
        batch = [first]
        for request in self._requests:
            # sides of one pair are timed apart, so they never share
            alone = all(request.client.group != t.client.group for t in batch)
            if alone and request.alike == first.alike and len(batch) < self.batch:
                batch.append(request)
        self._turns.give(first.client)
        self._turn += 1
        here = {t.client.group for t in self._requests}
        for client in (t.client for t in batch):
            between = (turn for group, turn in self._latest.items() if group != client.group)
            meanwhile = client.turn is not None and max(between, default=0) > client.turn
            client.shared |= meanwhile or here != {client.group}
            client.turn = self._turn
        groups = [t.client.group for t in batch]
        self._latest = dict([*self._latest.items(), *((g, self._turn) for g in groups)])
        self._latest = dict(sorted(self._latest.items(), key=lambda x: x[1])[-2:])
        self._requests = [t for t in self._requests if t not in batch]
        self._last = [t.client for t in batch]
        return batch

    def _serve(self, batch: list[_Request], again: bool = False) -> None:
        began = time.perf_counter()
        try:
            beliefs = self._thinks(
                batch[0].denoiser,
                [t.state for t in batch],
                [t.watched and not again for t in batch],
                [t.client.recall for t in batch],
            )
        except BaseException as error:  # the model's own, an exit too: it must end one run, not the device
            if len(batch) > 1:
                for request in batch:  # batch mates finish with the tokens of their solo runs
                    self._serve([request])
            elif full(error) and not again:  # once more without caches, and for the cells alone that are needed
                error.__traceback__ = None  # it holds what was being worked out
                make_room(batch[0].denoiser)
                self._serve(batch, again=True)
            else:
                failure = NoRoom(len(batch[0].state.canvas)) if full(error) else ordinary(error)
                _land(batch[0].loop, batch[0].future, None, failure)
            return
        spent = time.perf_counter() - began
        self.times.add(spent)
        for request in batch:
            self.waits.add(max(0.0, time.monotonic() - request.since - spent))
        self.lasts += 0.2 * (spent - self.lasts)
        for request, belief in zip(batch, beliefs, strict=True):
            request.client.clock += spent
            with self._wake:
                self._turns.spend(request.client, request.client.weight * spent / len(batch))
            _land(request.loop, request.future, (belief, spent), None)


class Exited(RuntimeError):
    """What was run here asked the whole process to end, which is not its to ask."""


def ordinary(error: BaseException) -> Exception:
    """An error that a task may carry: an exit would end the loop that serves everybody."""
    return error if isinstance(error, Exception) else Exited(f"it asked the process to end: {type(error).__name__}")


def _land(
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
