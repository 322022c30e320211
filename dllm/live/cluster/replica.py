"""One lane: a replica with a device of its own, the models it has opened, and the runs that are pinned to it."""

from __future__ import annotations

from typing import Any

from ray import serve

from unmask.errors import InvalidRequest, ModelError, OutOfMemory
from unmask.live.cluster.wire import pickle_refs, unpickle_refs
from unmask.live.device import Client, Device
from unmask.live.loader import Loader
from unmask.models import Denoiser, ModelInfo

RUNS = 512  # runs that a lane remembers: what it knows of one only saves work, so forgetting changes nothing
REPORTED_ERRORS = (
    InvalidRequest,
    ModelError,
    OutOfMemory,
)  # errors written for people; others stay in the lane's own log


class Replica:
    """Thinks for runs anywhere. All that matters comes with each request, so any lane can go on for another."""

    def __init__(self) -> None:
        self.device = Device()
        self.loader = Loader(self.device)

    async def describe(self, name: str) -> tuple[ModelInfo, bool]:
        """What is known of a model without its weights, and whether it wants to see its last thought again."""
        denoiser = await self.loader.model(name)
        return denoiser.info, denoiser.has_carry

    @serve.multiplexed(max_num_models_per_replica=RUNS)  # type: ignore[untyped-decorator] # Ray sends a run to the lane that had it last
    async def client(self, who: str) -> Client:
        """A run's own turns and caches on this lane."""
        return Client(who)

    async def infer(self, data: bytes, models: tuple[str, ...]) -> bytes:
        """A belief, the seconds it took, and whether others had this lane in between; or the error, as a value."""
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
        """Something else that needs the weights, on the device's own thread."""
        try:
            known = await self._load(models)
            return pickle_refs((await self.device.run(unpickle_refs(data, known)),))[0]
        except REPORTED_ERRORS as error:
            return pickle_refs(error)[0]

    async def _load(self, models: tuple[str, ...]) -> dict[str, Denoiser]:
        return {name: await self.loader.model(name) for name in models}


def unwrap(data: bytes) -> Any:
    """What a lane gave; an error that it returned is raised here."""
    found = unpickle_refs(data, {})
    if isinstance(found, REPORTED_ERRORS):
        raise found
    return found
