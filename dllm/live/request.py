"""What waits for a device: requests for an inference, and jobs, each with the client that it is for.

A worker thread hands its result to the event loop that waits for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from unmask.belief import Belief
from unmask.inference import DistributionCache
from unmask.models import Denoiser
from unmask.run.state import State

T = TypeVar("T")


@dataclass(eq=False)
class Client:
    """A user of the device: a session, or one side of a pair. Its clock counts only its own device time."""

    name: str
    group: str = ""  # sides of one pair share a group
    visitor: str = ""  # the run's owner: turns are shared among visitors first, then among each one's runs
    clock: float = 0.0  # seconds of device time
    weight: float = 1.0  # factor on its seconds in the fair queue: above 1 for a client that should wait longer
    credit: float = 0.0  # weighted device time, by which the fair queue orders; a new client starts level with others
    only_idle: bool = False  # it gets the device only while nobody else needs it
    turn: int | None = None  # the device's turn at which it last ran, since it joined
    shared: bool = False  # another group, or another program, had the processor meanwhile: its times are not its own
    core_wait: float = 0.0  # seconds of its device time in which it waited for a core
    distribution_cache: DistributionCache = field(default_factory=DistributionCache)

    def __post_init__(self) -> None:
        self.group = self.group or self.name
        self.visitor = self.visitor or self.group


@dataclass(eq=False)
class Request:
    """A request for one inference; its future returns the belief and the seconds of device time."""

    client: Client
    denoiser: Denoiser
    state: State
    watched: bool
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    next: Request | None = None  # the request that followed at once
    dropped: bool = False  # its answer is no longer wanted
    since: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.future: asyncio.Future[tuple[Belief, float]] = self.loop.create_future()

    @property
    def batch_key(self) -> Any:
        """Requests with the same key can share a forward."""
        s = self.state
        return id(self.denoiser), min(s.visible_cells, len(s.canvas)), s.carry is None

    def take(self, belief: Belief, seconds: float) -> Request | None:
        """Called by the worker as soon as it has the belief: the request that follows at once, if one does."""
        return None


@dataclass(eq=False)
class Job:
    """Work that needs the whole device, for a client; without one it is the server's own and goes first."""

    call: Callable[[], None]
    client: Client | None


@dataclass(eq=False)
class Turn:
    """The work of one worker: requests that share a forward, or a job."""

    cores: int
    batch: list[Request]
    job: Job | None = None


class Exited(RuntimeError):
    """A model or policy called `sys.exit` or the like, which must not end the server."""


def as_exception(error: BaseException) -> Exception:
    """The error as an `Exception`: a `SystemExit` in a task would end the event loop."""
    return error if isinstance(error, Exception) else Exited(f"it asked the process to end: {type(error).__name__}")


def resolve(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], result: T | None, error: Exception | None
) -> None:
    """Set a future's result from another thread, unless it was cancelled."""

    def set_result() -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    if not loop.is_closed():
        loop.call_soon_threadsafe(set_result)
