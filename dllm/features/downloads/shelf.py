"""The models that can be fetched: what each needs here, how far it is, and what is done with it."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Coroutine, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unmask.errors import InvalidRequest
from unmask.live.device import Client
from unmask.models.hub import source
from unmask.serve.model_list import may_choose
from unmask.serve.runtime import Runtime
from unmask.serve.served_models import served_models

if TYPE_CHECKING:
    from unmask.models.hub.known_checkpoints import CheckpointInfo

REST = 0.2  # seconds between two looks whether the device is free
TIGHT = 0.7  # of the memory that models may take; more leaves little for other programs
FIELDS = "name good asks wanted licence billions download disk need number here"


class Shelf:
    """The known models of one server."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._tasks: set[asyncio.Task[None]] = set()
        self._seconds: dict[str, float] = {}  # of a look, by the model's name
        self._measuring: asyncio.Task[None] | None = None

    def open(self, what: str) -> None:
        """Starts to open a model, which may be a download; `shown` reports how far it is."""

        async def load() -> None:
            try:
                await self.runtime.model(what)
            except InvalidRequest:  # `shown` reports the reason
                return

        self._start(load())

    async def delete(self, what: str, who: str) -> str:
        """Deletes a model from the Hub's cache; why not, if it does not."""
        loader, name = self.runtime.loader, _repository(what)
        users = [one for one in loader.loaded if _repository(one) == name]
        if loader.opening(what):
            return f"'{name}' is being opened: stop that first"
        if any(loader.used(loader.loaded[one]) for one in users):
            return f"'{name}' is not deleted: a run uses it"
        for one in users:
            loader.unload(one)
        await self.runtime.work.run(who, lambda: source.delete(name))
        return ""

    async def shown(self, home: bool, who: str, every: bool = False) -> dict[str, Any]:
        """Every known checkpoint that this visitor may open, with its state, and what this machine has.

        With `every` the looks of all of them are timed, else of those that are offered first or are here."""
        from unmask.models.hub import known_checkpoints  # imported late: it asks for the device

        runtime, may = self.runtime, may_choose(home)
        all_items = await runtime.work.run(who, known_checkpoints.small_checkpoints)
        there = set(served_models().values())
        items = [item for item in all_items if may or item.name in there]
        # models that no run uses can be closed
        spare = await runtime.work.run(who, known_checkpoints.free_bytes) + runtime.loader.unused
        if (
            missing := [i for i in items if i.name not in self._seconds and (every or i.wanted or i.here)]
        ) and self._idle:
            self._measuring = self._start(self._measure(missing, who))
        sizes, stored = await runtime.work.run(who, lambda: _on_disk(items))
        rows = [self._row(item, spare, sizes, stored) for item in items]
        machine = {"cores": os.cpu_count(), "memory": spare, "disk": shutil.disk_usage(Path.home()).free}
        return {"items": rows, "owner": may} | ({"machine": machine} if may else {})

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @property
    def _idle(self) -> bool:
        return self._measuring is None or self._measuring.done()

    async def _measure(self, items: list[CheckpointInfo], who: str) -> None:
        """Times a layer of each model, those that are offered first first; runs and openings go before."""
        from unmask.models.hub import known_checkpoints

        client, device = Client("shelf", visitor=who, only_idle=True), self.runtime.device
        for item in sorted(items, key=lambda item: not item.wanted):
            while device.waiting or any(self.runtime.loader.opening(one.name) for one in items):
                await asyncio.sleep(REST)
            self._seconds[item.name] = await device.run(partial(known_checkpoints.forward_seconds, item), client)

    def _row(self, item: CheckpointInfo, spare: int, sizes: dict[str, int], stored: set[str]) -> dict[str, Any]:
        fields = asdict(item)
        row = {key: fields[key] for key in FIELDS.split()} | {
            "seconds": self._seconds.get(item.name),
            "fits": item.need <= spare,
            "tight": item.need > TIGHT * spare,
            "stored": sizes[_repository(item.name)],
        }
        if item.twin:
            here = _repository(item.twin) in stored
            twin = {"name": item.twin, "here": here, "download": item.download}
            row["twin"] = twin | self._state(item.twin)
        return row | self._state(item.name)

    def _state(self, name: str) -> dict[str, Any]:
        loader = self.runtime.loader
        if name in loader.loaded:
            return {"state": "open", "used": loader.used(loader.loaded[name])}
        if loader.opening(name):
            how = loader.progress(name)
            if how is None:
                return {"state": "coming"}
            stage = {"stage": how.stage} if how.stage else {}
            return {"state": "coming", "done": how.done, "total": how.total, "left": how.seconds_left} | stage
        return {"state": "failed", "why": why} if (why := loader.failure(name)) else {"state": "closed"}


def _repository(name: str) -> str:
    return name.partition("?")[0].rpartition(":")[2]


def _on_disk(items: Iterable[CheckpointInfo]) -> tuple[dict[str, int], set[str]]:
    """The bytes of each model on this disk, and the models that are there whole."""
    sizes = {_repository(item.name): source.bytes_on_disk(_repository(item.name)) for item in items}
    return sizes, {name for name, _ in source.cached()}
