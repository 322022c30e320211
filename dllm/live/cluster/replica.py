"""One lane: a replica with a device of its own, the models it has opened, and the runs that are pinned to it."""

from __future__ import annotations

from typing import Any

from ray import serve

from unmask.errors import NoRoom, Refused, Unthinkable
from unmask.live.cluster.wire import packed, unpacked
from unmask.live.device import Client, Device
from unmask.live.loader import Loader
from unmask.models import Denoiser, Model

RUNS = 512  # runs that a lane remembers: what it knows of one only saves work, so forgetting changes nothing
OURS = (Refused, Unthinkable, NoRoom)  # errors written for people; others stay in the lane's own log


class Lane:
    """Thinks for runs anywhere. All that matters comes with each request, so any lane can go on for another."""

    def __init__(self) -> None:
        self.device = Device()
        self.loader = Loader(self.device)

    async def describe(self, name: str) -> tuple[Model, bool]:
        """What is known of a model without its weights, and whether it wants to see its last thought again."""
        denoiser = await self.loader.model(name)
        return denoiser.model, denoiser.reflects

    @serve.multiplexed(max_num_models_per_replica=RUNS)  # type: ignore[untyped-decorator] # Ray sends a run to the lane that had it last
    async def client(self, who: str) -> Client:
        """A run's own turns and caches on this lane."""
        return Client(who)

    async def think(self, data: bytes, models: tuple[str, ...]) -> bytes:
        """A belief, the seconds it took, and whether others had this lane in between; or the error, as a value."""
        try:
            known = await self._opened(models)
            (group, visitor, weight), denoiser, state, watched = unpacked(data, known)
            client = await self.client(serve.get_multiplexed_model_id())
            client.group, client.visitor, client.weight = group, visitor, weight
            belief, spent = await self.device.think(client, denoiser, state, watched)
            return packed((belief, spent, client.shared))[0]
        except OURS as error:
            return packed(error)[0]

    async def run(self, data: bytes, models: tuple[str, ...]) -> bytes:
        """Something else that needs the weights, on the device's own thread."""
        try:
            known = await self._opened(models)
            return packed((await self.device.run(unpacked(data, known)),))[0]
        except OURS as error:
            return packed(error)[0]

    async def _opened(self, models: tuple[str, ...]) -> dict[str, Denoiser]:
        return {name: await self.loader.model(name) for name in models}


def answer(data: bytes) -> Any:
    """What a lane gave; an error that it returned is raised here."""
    found = unpacked(data, {})
    if isinstance(found, OURS):
        raise found
    return found
