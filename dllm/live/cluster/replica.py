"""A Ray Serve replica: a device of its own, its open models, and the runs that Ray routes to it."""

from __future__ import annotations

from typing import Any

from ray import serve

from unmask.errors import InvalidRequest, ModelError, OutOfMemory
from unmask.live.cluster.loopback import bind_replica_to_loopback
from unmask.live.cluster.wire import pickle_refs, unpickle_refs
from unmask.live.device import Client, Device
from unmask.live.loader import Loader
from unmask.models import Denoiser, ModelInfo

RUNS = 512  # runs that a replica remembers; it only saves work, so forgetting one changes no result
# errors whose message is for the user; the details of others stay in the replica's own log
REPORTED_ERRORS = (InvalidRequest, ModelError, OutOfMemory)


class Replica:
    """Infers for any run. A request brings all that is needed, so any replica can take over from another."""

    def __init__(self) -> None:
        bind_replica_to_loopback()
        self.device = Device()
        self.loader = Loader(self.device)

    async def describe(self, name: str) -> tuple[ModelInfo, bool]:
        """What is known of a model without its weights, and whether it has a carry between passes."""
        denoiser = await self.loader.model(name)
        return denoiser.info, denoiser.has_carry

    @serve.multiplexed(max_num_models_per_replica=RUNS)  # type: ignore[untyped-decorator] # Ray routes a run to the replica that had it last
    async def client(self, run: str) -> Client:
        """A run's place in the fair queue and its caches on this replica."""
        return Client(run)

    async def infer(self, data: bytes, models: tuple[str, ...]) -> bytes:
        """A belief, the seconds it took, and whether other runs used this replica in between; or the error."""
        try:
            known = await self._load(models)
            (group, visitor, weight), denoiser, state, watched = unpickle_refs(data, known)
            client = await self.client(serve.get_multiplexed_model_id())
            client.group, client.visitor, client.weight = group, visitor, weight
            belief, spent = await self.device.infer(client, denoiser, state, watched)
            return pickle_refs((belief, spent, client.shared))[0]
        except REPORTED_ERRORS as error:
            return pickle_refs(error)[0]

    async def run(self, data: bytes, models: tuple[str, ...]) -> bytes:
        """Run a job that needs the weights, on the device's own thread."""
        try:
            known = await self._load(models)
            about, work = unpickle_refs(data, known)
            client = None if about is None else Client("job", about[0], about[1], weight=about[2])
            return pickle_refs((await self.device.run(work, client),))[0]
        except REPORTED_ERRORS as error:
            return pickle_refs(error)[0]

    async def _load(self, models: tuple[str, ...]) -> dict[str, Denoiser]:
        return {name: await self.loader.model(name) for name in models}


def unwrap(data: bytes) -> Any:
    """A replica's answer; an error that it returned is raised here."""
    answer = unpickle_refs(data, {})
    if isinstance(answer, REPORTED_ERRORS):
        raise answer
    return answer
