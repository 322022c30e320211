"""All lanes as one device: sessions here ask it to think as they ask a device of this machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ray.exceptions import RayError, RayTaskError
from ray.serve.handle import DeploymentHandle

from unmask.live.cluster.replica import unwrap
from unmask.live.cluster.wire import DenoiserStub, pickle_refs
from unmask.live.device import Client, Device, Request
from unmask.live.loader import Loader, Used
from unmask.models import Denoiser
from unmask.run.state import State

T = TypeVar("T")
PATIENCE = 120.0  # seconds in which a lane that died must be replaced
PAUSE = 0.2  # seconds before another lane is tried


class ReplicaPool(Device):
    """A thought is a function of the state that comes with it: where a lane dies, another gives the same tokens."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        super().__init__("lanes")
        self.handle = handle
        self._waiting: list[Request] = []

    def ask(self, client: Client, denoiser: Denoiser, state: State, watched: bool) -> Request:
        """On the lane that knows this run, and on any other where that one is gone."""
        loop = asyncio.get_running_loop()
        request = Request(client, denoiser, state, watched, loop.create_future(), loop)
        self._waiting.append(request)
        task = loop.create_task(self._answer(request))
        request.future.add_done_callback(lambda _: task.cancel())  # nobody waits any more, or it is done
        return request

    async def _answer(self, request: Request) -> None:
        client = request.client
        about = (client.group, client.visitor, client.weight)
        try:
            data, models = pickle_refs((about, request.denoiser, request.state, request.watched))
            belief, spent, shared = await self._ask("infer", data, models, client.name)
        except Exception as error:  # raised again where it was asked for
            if not request.future.done():
                request.future.set_exception(error)
            return
        finally:
            self._waiting.remove(request)
        client.clock += spent
        client.shared |= shared
        self.times.add(spent)
        self.waits.add(max(0.0, time.monotonic() - request.since - spent))
        self.mean_seconds += 0.2 * (spent - self.mean_seconds)
        following = request.then(belief, spent) if request.then else None
        if following is not None and not request.dropped:
            request.next = self.ask(client, request.denoiser, following, request.watched)
        if not request.future.done():
            request.future.set_result((belief, spent))

    async def run(self, work: Callable[[], T]) -> T:
        """Where the weights are, on any lane."""
        data, models = pickle_refs(work)
        (found,) = await self._ask("run", data, models)
        return found  # type: ignore[no-any-return]

    async def describe(self, name: str) -> DenoiserStub:
        """A model that the lanes can open, as it is known here."""
        model, reflects = await self._try(lambda: self.handle.describe.remote(name))
        return DenoiserStub(name, model, reflects)

    async def _ask(self, do: str, data: bytes, models: tuple[str, ...], who: str = "") -> Any:
        handle = self.handle.options(multiplexed_model_id=who) if who else self.handle
        return unwrap(await self._try(lambda: getattr(handle, do).remote(data, models)))

    async def _try(self, send: Callable[[], Any]) -> Any:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return await send()
            except RayTaskError:  # the lane lives, and its own log has it
                raise
            except RayError:  # it died, or cannot be reached
                if time.monotonic() > until:
                    raise
            await asyncio.sleep(PAUSE)

    @property
    def waiting(self) -> int:
        """Thoughts that the lanes have not answered yet."""
        return len(self._waiting)

    @property
    def longest_wait(self) -> float:
        """Seconds that the oldest of them has waited."""
        return time.monotonic() - min((a.since for a in self._waiting), default=time.monotonic())

    def withdraw(self, request: Request) -> bool:
        """What was sent cannot be taken back: it is thought, and then thought again with the edit."""
        return False

    def place(self, client: Client) -> int:
        """How many thoughts were sent before this one's and are not answered."""
        return next((i for i, a in enumerate(self._waiting) if a.client is client), 0)


class ReplicaLoader(Loader):
    """Opens models on the lanes; here only what is known of them is kept."""

    def __init__(self, lanes: ReplicaPool, used: Used, budget: int | None = None) -> None:
        super().__init__(lanes, used, budget)
        self.replicas = lanes

    async def _open(self, name: str, options: dict[str, Any]) -> Denoiser:
        return await self.replicas.describe(name)
