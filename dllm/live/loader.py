"""Loads models while runs continue: each is downloaded, read and converted on a thread of its own.

Only the last step, the move to a GPU and the self-test there, takes a turn of the device, so a run waits one turn at
the most. Models that no run uses are unloaded to make room."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unmask.errors import InvalidRequest
from unmask.inference.memory import is_oom
from unmask.live.device import Device
from unmask.live.request import as_exception
from unmask.models import Denoiser, Finish, prepare

log = logging.getLogger(__name__)
Used = Callable[[Denoiser], bool]  # whether a run uses this model


@dataclass(eq=False)
class Entry:
    """A model that is open, or being opened."""

    name: str
    opening: asyncio.Future[Denoiser]
    last_use: float = 0.0  # when it was last requested
    progress: Any = None  # how far a download is, while there is one
    need: int = 0  # bytes of its weights, known before it is open
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def denoiser(self) -> Denoiser | None:
        """The model, once it is open."""
        whole = self.opening.done() and not self.opening.cancelled() and self.opening.exception() is None
        return self.opening.result() if whole else None

    @property
    def failed(self) -> bool:
        return self.opening.done() and self.denoiser is None


class Loader:
    """The models of one device; each is opened once, however many callers ask for it."""

    def __init__(self, device: Device, used: Used = lambda _: False, budget: int | None = None) -> None:
        self.device, self.used = device, used
        self.budget = budget  # bytes for all open models; None: all the device has
        self._entries: dict[str, Entry] = {}

    async def model(self, name: str, **options: Any) -> Denoiser:
        """An opened model. A caller that stops waiting does not stop the opening; `cancel` does."""
        entry = self._entries.get(name)
        if entry is None or entry.failed:
            entry = self._entries[name] = Entry(name, asyncio.ensure_future(self._open(name, options)))
        entry.last_use = time.monotonic()
        try:
            return await asyncio.shield(entry.opening)
        except asyncio.CancelledError:
            if entry.opening.cancelled():  # the opening was stopped, not this caller
                raise InvalidRequest(f"opening '{name}' was cancelled") from None
            raise

    @property
    def loaded(self) -> dict[str, Denoiser]:
        """The models that are open."""
        return {name: e.denoiser for name, e in self._entries.items() if e.denoiser is not None}

    def progress(self, name: str) -> Any:
        """The progress of a model's download, or None."""
        entry = self._entries.get(name)
        return entry.progress if entry else None

    def opening(self, name: str) -> bool:
        """Whether a model is being opened, by download or from the disk."""
        entry = self._entries.get(name)
        return entry is not None and not entry.opening.done()

    def failure(self, name: str) -> str:
        """Why a model could not be opened; empty if it was opened, or cancelled."""
        entry = self._entries.get(name)
        if entry is None or not entry.failed or entry.opening.cancelled() or entry.stopped.is_set():
            return ""
        return str(entry.opening.exception())

    def cancel(self, name: str) -> bool:
        """Stop opening a model; callers that wait for it are refused. The downloaded part stays on disk."""
        entry = self._entries.get(name)
        if entry is None or entry.opening.done():
            return False
        entry.stopped.set()
        return True

    def unload(self, name: str) -> bool:
        """Unload a model that no run uses; its memory is freed once nothing refers to it."""
        entry = self._entries.get(name)
        if entry is None or entry.denoiser is None or self.used(entry.denoiser):
            return False
        del self._entries[name], entry
        gc.collect()
        return True

    def stop(self) -> None:
        """Stop all openings and refuse the callers that wait; a loader thread ends by itself."""
        for entry in self._entries.values():
            entry.stopped.set()
            entry.opening.cancel()

    async def close(self) -> None:
        """Stop, and wait until every caller has been refused."""
        self.stop()
        await asyncio.gather(*(e.opening for e in self._entries.values()), return_exceptions=True)

    async def _open(self, name: str, options: dict[str, Any]) -> Denoiser:
        loop = asyncio.get_running_loop()
        reading: asyncio.Future[Finish] = loop.create_future()
        entry = self._entries[name]

        def watch(progress: Any) -> None:
            if entry.stopped.is_set():
                raise InvalidRequest(f"opening '{name}' was cancelled")
            entry.progress = progress

        def make_room(need: int) -> None:
            asyncio.run_coroutine_threadsafe(self._make_room(entry, need), loop).result()

        def work() -> None:
            try:
                made, error = prepare(name, watch=watch, room=make_room, **options), None
            except BaseException as raised:  # raised again in the caller
                made, error = None, as_exception(raised)
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, reading, made, error)

        threading.Thread(target=work, name=f"loader {name}", daemon=True).start()
        try:
            finish = await reading
            watch(None)  # raises if it was cancelled meanwhile; clears the progress
            return await self.device.run(finish)
        except InvalidRequest:
            raise
        except Exception as error:  # of the model family's code; details go to the log only
            if is_oom(error):
                raise InvalidRequest(
                    f"there is not enough free memory for '{name}': try ?number=int8, or close others"
                ) from None
            log.warning("the model %s cannot be opened", name, exc_info=error)
            raise InvalidRequest(
                f"the model '{name}' cannot be opened here; the log of this server says why"
            ) from error

    async def _make_room(self, entry: Entry, need: int) -> None:
        """Unload unused models, the least recently used first, until so many bytes fit into the budget."""
        from unmask.models.hub import hardware

        budget = self.budget if self.budget is not None else hardware.total_bytes(hardware.pick_device())
        unused = sorted(
            (e for e in self._entries.values() if e.denoiser is not None and not self.used(e.denoiser)),
            key=lambda e: e.last_use,
        )
        while need + self.size > budget and unused:
            self.unload(unused.pop(0).name)
        if need + self.size > budget:
            taken = f", and models in use hold {self.size / 1e9:.1f} GB" if self.size else ""
            raise InvalidRequest(f"this model needs {need / 1e9:.1f} GB of the {budget / 1e9:.1f} GB for models{taken}")
        entry.need = need

    @property
    def size(self) -> int:
        """Bytes of the weights of all models that are open or being opened."""
        return sum(e.denoiser.card.size if e.denoiser else e.need for e in self._entries.values() if not e.failed)

    @property
    def unused(self) -> int:
        """Bytes of the weights of open models that no run uses."""
        return sum(d.card.size for d in self.loaded.values() if not self.used(d))

    def put(self, name: str, denoiser: Denoiser) -> None:
        """Add a model that is open already."""
        opening: asyncio.Future[Denoiser] = asyncio.get_running_loop().create_future()
        opening.set_result(denoiser)
        self._entries[name] = Entry(name, opening, time.monotonic())


def _resolve(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
