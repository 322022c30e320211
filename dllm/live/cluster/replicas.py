"""All replicas as one device, with the same interface as a device of this machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ray.exceptions import RayError, RayTaskError
from ray.serve.handle import DeploymentHandle

from unmask.live.cluster.replica import unwrap
from unmask.live.cluster.wire import DenoiserStub, pickle_refs
from unmask.live.device import Client, Device
from unmask.live.loader import Loader, Used
from unmask.live.request import Request
from unmask.models import Denoiser

T = TypeVar("T")
R = TypeVar("R", bound=Request)
PATIENCE = 120.0  # seconds to retry while a dead replica is replaced
PAUSE = 0.2  # seconds between two tries


class ReplicaPool(Device):
    """Sends requests to replicas. A belief depends only on the state sent, so another replica can give the same."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        super().__init__("replicas")
        self.handle = handle
        self._waiting: list[Request] = []

    def ask(self, request: R) -> R:
        """Send a request to the replica that knows this run, or to another if that one is gone."""
        self._waiting.append(request)
        task = request.loop.create_task(self._answer(request))
        request.future.add_done_callback(lambda _: task.cancel())  # done, or no longer wanted
        return request

    async def _answer(self, request: Request) -> None:
        client = request.client
        about = (client.group, client.visitor, client.weight)
        try:
            data, models = pickle_refs((about, request.denoiser, request.state, request.watched))
            belief, spent, shared = await self._ask("infer", data, models, client.name)
        except Exception as error:  # raised again in the caller
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
        following = request.take(belief, spent)
        if following is not None and not request.dropped:
            request.next = self.ask(following)
        if not request.future.done():
            request.future.set_result((belief, spent))

    async def run(self, work: Callable[[], T], client: Client | None = None) -> T:
        """Run a job on any replica."""
        about = None if client is None else (client.group, client.visitor, client.weight)
        data, models = pickle_refs((about, work))
        (answer,) = await self._ask("run", data, models)
        return answer  # type: ignore[no-any-return]

    async def describe(self, name: str) -> DenoiserStub:
        """A stand-in for a model that the replicas have opened."""
        model, has_carry = await self._try(lambda: self.handle.describe.remote(name))
        return DenoiserStub(name, model, has_carry)

    async def _ask(self, method: str, data: bytes, models: tuple[str, ...], run: str = "") -> Any:
        handle = self.handle.options(multiplexed_model_id=run) if run else self.handle
        return unwrap(await self._try(lambda: getattr(handle, method).remote(data, models)))

    async def _try(self, send: Callable[[], Any]) -> Any:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return await send()
            except RayTaskError:  # an error in its code, which its own log has: retrying would not help
                raise
            except RayError:  # the replica died, or cannot be reached
                if time.monotonic() > until:
                    raise
            await asyncio.sleep(PAUSE)

    @property
    def waiting(self) -> int:
        """Requests that the replicas have not answered yet."""
        return len(self._waiting)

    @property
    def longest_wait(self) -> float:
        """Seconds that the oldest request has waited."""
        return time.monotonic() - min((a.since for a in self._waiting), default=time.monotonic())

    def withdraw(self, request: Request) -> bool:
        """Never: a request that was sent is computed, and then computed again with the edit."""
        return False

    def place(self, client: Client) -> int:
        """How many requests were sent before this client's and are not answered."""
        return next((i for i, a in enumerate(self._waiting) if a.client is client), 0)


class ReplicaLoader(Loader):
    """Opens models on the replicas, and keeps stand-ins for them here."""

    def __init__(self, replicas: ReplicaPool, used: Used, budget: int | None = None) -> None:
        super().__init__(replicas, used, budget)
        self.replicas = replicas

    async def _open(self, name: str, options: dict[str, Any]) -> Denoiser:
        return await self.replicas.describe(name)
