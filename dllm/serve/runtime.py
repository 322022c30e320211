"""What a server holds: its device, the models it has opened, and its sessions."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.inference.provenance import provenance
from unmask.live.device import Device
from unmask.live.loader import Loader, Used
from unmask.live.session import Session
from unmask.live.zerogpu import infer_on_gpu, run_on_gpu
from unmask.models import Denoiser
from unmask.models.hub.hardware import threads
from unmask.run.event import Done, Refusal
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.run.timeline import new_timeline
from unmask.serve.sessions import OVER, Sessions

LEAVING = "this server is stopping and lets what runs finish; try again in a minute"
LANES = 8  # at most: more would wait for what Python does between products
LETTERS = 16  # of a text for each cell: it is spelled only if it may fit
AFTERWARDS = 2  # seconds for the last words, once what runs has had its time
LINES = 1  # seconds for lines to close behind them
CLOSING = 1.0  # seconds that a thought may take at the very end
STOPPED = "this server stopped before the run was done"


class Kept(Protocol):
    """A run that is kept on disk."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str:
        """By the name that its visitor used."""
        ...


class Keeper(Protocol):
    """Keeps runs on disk, and continues them after a restart."""

    hours: float  # that a run is kept

    def begin(self, session: Session, model: str) -> None:
        """Keep this run from now on."""
        ...

    def rekey(self, session: Session) -> None:
        """Its keys have changed."""
        ...

    def forget(self, name: str) -> None: ...

    async def find(self, name: str, key: str) -> Kept | None:
        """A kept run, for those who have its key."""
        ...

    async def restore(self, runtime: Runtime, kept: Kept, denoiser: Denoiser, visitor: str, number: int) -> Session:
        """A kept run as a session; `number` is of the last event that the visitor saw."""
        ...

    def close(self) -> None: ...


class Runtime:
    """One for each server. Models are opened once, beside what runs."""

    def __init__(
        self,
        most: int | None = None,
        keeper: Keeper | None = None,
        device: Device | None = None,
        loader: Callable[[Any, Used, int | None], Loader] = Loader,
    ) -> None:
        self.keeper = keeper  # where runs are kept over restarts, if they are
        self._resuming: dict[str, asyncio.Future[Session]] = {}  # runs that are being lived again
        lanes = min(threads(), LANES)
        self.device = device or (
            Device(thinks=infer_on_gpu, does=run_on_gpu) if config().zero_gpu else Device(workers=lanes)
        )
        self.sessions = Sessions(most)
        self.loader = loader(self.device, self._uses, config().models_mb * 2**20 or None)
        self.counts: Counter[str] = Counter()  # what the gate refused, and whom it hung up on
        self.draining = False
        self.answering = 0  # messages of the socket door that have no answer yet
        self._spelling = asyncio.Semaphore(2)  # long texts that are spelled at once

    @classmethod
    def configured(cls, keeper: Keeper | None = None, cluster: str = "") -> Runtime:
        """As the environment says, or `cluster`: models think in this process, or on lanes."""
        if not (where := cluster or config().cluster):
            return cls(keeper=keeper)
        from unmask.live.cluster.replicas import ReplicaLoader
        from unmask.live.cluster.start import start_replicas

        return cls(keeper=keeper, device=start_replicas(where), loader=ReplicaLoader)

    async def model(self, name: str) -> Denoiser:
        """An opened model, by name."""
        if self.draining:
            raise InvalidRequest(LEAVING)
        return await self.loader.model(name)

    def _uses(self, denoiser: Denoiser) -> bool:
        return any(session.denoiser is denoiser for session in self.sessions.alive.values())

    async def open(
        self, denoiser: Denoiser, spec: RunSpec, visitor: str = "", group: str = "", watched: bool = True
    ) -> Session:
        """A session for an order, ready to play; one that nobody looks into thinks of fewer cells."""
        return self.begin(denoiser, spec, await self.prepared(denoiser, spec), visitor, group, watched)

    async def prepared(self, denoiser: Denoiser, spec: RunSpec) -> State:
        """The state that an order starts from. A long text takes long to spell, so it is not spelled on the loop."""
        letters = len(spec.prompt) + len(spec.suffix or "")
        if letters > (most := LETTERS * denoiser.card.longest):
            raise InvalidRequest(f"the text has {letters} letters; this model reads at most {most}")
        async with self._spelling:
            state = await asyncio.to_thread(spec.start, denoiser.card, denoiser.tokenizer)
        self._bounded(state)
        return state

    @staticmethod
    def _bounded(state: State) -> None:
        cells, passes = len(state.canvas), state.settings.passes
        if cells > (most := config().cells):
            raise InvalidRequest(f"prompt and answer have {cells} cells; this place allows {most}")
        if passes > (most := config().passes):
            raise InvalidRequest(f"{passes} passes are planned; this place allows {most}")

    def begin(
        self,
        denoiser: Denoiser,
        spec: RunSpec,
        state: State,
        visitor: str = "",
        group: str = "",
        watched: bool = True,
        kept: bool = False,
    ) -> Session:
        """A session from a prepared state; `kept` over a restart where the owner keeps runs."""
        if self.draining:
            raise InvalidRequest(LEAVING)
        own = {} if spec.own_from is None else {"own_from": spec.own_from}
        timeline = new_timeline(denoiser.card, state, spec.prompt, made=provenance(), **own)
        session = self.sessions.open(denoiser, self.device, timeline, visitor, group=group, watched=watched)
        if kept and self.keeper is not None:
            self.keeper.begin(session, spec.model)
        return session

    async def kept(self, name: str, key: str) -> Kept:
        """A run that is not here any more, as it was kept; for those who have its key."""
        found = await self.keeper.find(name, key) if self.keeper is not None else None
        if found is None:
            raise InvalidRequest(OVER)
        return found

    async def resume(self, kept: Kept, denoiser: Denoiser, visitor: str, number: int) -> Session:
        """A kept run as a session: lived again, once however many ask. `number` is of the last event that was seen."""
        keeper = self.keeper
        assert keeper is not None  # who else found it?
        if kept.name not in self._resuming:
            coming = self._resuming[kept.name] = asyncio.ensure_future(
                keeper.restore(self, kept, denoiser, visitor, number)
            )
            coming.add_done_callback(lambda _: self._resuming.pop(kept.name, None))
        return await asyncio.shield(self._resuming[kept.name])

    @property
    def not_ready_reason(self) -> str:
        """Why no new work should be sent here; empty when it may."""
        return "stopping" if self.draining else "no memory left" if self.sessions.memory.tight else ""

    async def drain(self, seconds: float = 10.0) -> None:
        """Take nothing new, tell those who watch, and let what runs go on for so long at the most."""
        self.draining = True
        self.loader.stop()
        for session in self.sessions.alive.values():
            if session.subscribers:
                session.publish(Refusal(LEAVING))
        until = time.monotonic() + seconds
        while (going := [s for s in self.sessions.alive.values() if s.is_running]) and time.monotonic() < until:
            await asyncio.sleep(0.02)
        for session in going:
            session.publish(Done(session.end, session.text, session.stats(), STOPPED))
            self.sessions.close(session)
        until = time.monotonic() + AFTERWARDS
        while self.answering and time.monotonic() < until:  # a socket closes at once, and its refusal would be lost
            await asyncio.sleep(0.02)

    async def close(self) -> None:
        """End everything that runs, and wait a moment for it: a thought may take longer than anybody waits."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING):
                await asyncio.gather(self.sessions.shut(), self.loader.close())
        self.device.close(CLOSING)
        if self.keeper is not None:
            self.keeper.close()
