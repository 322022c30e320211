"""The state of a server: its device, its open models, and its sessions."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol
from weakref import WeakValueDictionary

from unmask.config import config
from unmask.errors import TOO_LONG, InvalidRequest
from unmask.inference.provenance import provenance
from unmask.live.cluster.loopback import bind_to_loopback
from unmask.live.device import Client, Device
from unmask.live.loader import Loader, Used
from unmask.live.session import Session
from unmask.live.work import Work
from unmask.live.zerogpu import infer_on_gpu, run_on_gpu
from unmask.models import Denoiser
from unmask.models.hub.hardware import threads
from unmask.run.event import Done, Refusal
from unmask.run.spec import Parts, RunSpec
from unmask.run.state import State
from unmask.run.talk import letters, turn_cells
from unmask.run.timeline import new_timeline
from unmask.serve.sessions import OVER, Sessions

LEAVING = "this server is stopping and takes no new requests: try again in a minute"
READS = 64  # passes of models on other machines that are waited for at once
MAX_WORKERS = 8  # more would wait for the Python between two matrix products
CHARS_PER_CELL = 16  # a longer text cannot fit into the canvas, so it is not tokenized
AFTERWARDS = 2  # seconds to send the last messages, once the runs have had their time to finish
CLOSE_SECONDS = 1  # seconds for connections to close after that
CLOSING = 1.0  # seconds to wait for an inference at the end
NOT_STORED = "runs cannot be stored on the disk of this server at present: they would not survive a restart"
STOPPED = "this server stopped before the run was done"


class Kept(Protocol):
    """A run that is stored on disk."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str:
        """The model's name, as its visitor gave it."""
        ...


class Keeper(Protocol):
    """Stores runs on disk, and restores them after a restart."""

    hours: float  # how long a run is stored

    @property
    def trouble(self) -> str:
        """Why no run can be stored at present; empty if all are."""
        ...

    def begin(self, session: Session, model: str) -> None:
        """Store this run from now on."""
        ...

    def rekey(self, session: Session) -> None:
        """Store a session's new keys."""
        ...

    def forget(self, name: str) -> None: ...

    async def find(self, name: str, key: str) -> Kept | None:
        """A stored run, if the key is one of its keys."""
        ...

    async def restore(self, runtime: Runtime, kept: Kept, denoiser: Denoiser, visitor: str, number: int) -> Session:
        """A session from a stored run; `number` is the last event that the visitor received."""
        ...

    def close(self) -> None: ...


class Runtime:
    """The device, models and sessions of one server."""

    def __init__(
        self,
        most: int | None = None,
        keeper: Keeper | None = None,
        device: Device | None = None,
        loader: Callable[[Any, Used, int | None], Loader] = Loader,
    ) -> None:
        self.keeper = keeper  # stores runs across restarts; None: they are not stored
        self._resuming: dict[str, asyncio.Future[Session]] = {}  # runs that are being restored
        workers = min(threads(), MAX_WORKERS)
        self.device = device or (
            Device(infer_batch=infer_on_gpu, run_job=run_on_gpu) if config().zero_gpu else Device(workers=workers)
        )
        self._reads: Device | None = None
        self.sessions = Sessions(most)
        self.loader = loader(self.device, self._uses, config().models_mb * 2**20 or None)
        self.counts: Counter[str] = Counter()  # requests refused and clients disconnected by the access middleware
        self.draining = False
        self._answers = 0  # socket messages and API requests that are being answered
        self.histories: dict[tuple[str, int], asyncio.Future[str]] = {}  # of runs, encoded; the newest few
        self._sending: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # large answers, by visitor

    @classmethod
    def configured(cls, keeper: Keeper | None = None, cluster: str = "") -> Runtime:
        """A runtime as the environment or `cluster` says: inference in this process, or on Ray replicas."""
        if not (where := cluster or config().cluster):
            return cls(keeper=keeper)
        if where == "local":
            bind_to_loopback()
        from unmask.live.cluster.replicas import ReplicaLoader
        from unmask.live.cluster.start import start_replicas

        return cls(keeper=keeper, device=start_replicas(where), loader=ReplicaLoader)

    async def model(self, name: str) -> Denoiser:
        """An opened model, by name."""
        if self.draining:
            raise InvalidRequest(LEAVING)
        return await self.loader.model(name)

    def device_for(self, denoiser: Denoiser) -> Device:
        """Where a model's passes take their turns: the device, or for one that runs on another machine the reads of
        such models, which wait for answers and need no core."""
        if not denoiser.remote:
            return self.device
        if self._reads is None:
            self._reads = Device("reads", batch=1, workers=READS, exclusive=False, work=self.device.work)
        return self._reads

    def _uses(self, denoiser: Denoiser) -> bool:
        return any(session.denoiser is denoiser for session in self.sessions.alive.values())

    async def open(
        self, denoiser: Denoiser, spec: RunSpec, visitor: str = "", group: str = "", watched: bool = True
    ) -> Session:
        """A session for a spec, ready to play. If not `watched`, only the cells that the policy needs are inferred."""
        return self.begin(denoiser, spec, await self.prepared(denoiser, spec, visitor=visitor), visitor, group, watched)

    async def prepared(
        self, denoiser: Denoiser, spec: RunSpec, parts: Parts | None = None, *, visitor: str = ""
    ) -> State:
        """The first state of a spec, from its tokenized prompt if there is one."""
        parts = await self.tokenized(denoiser, spec, visitor) if parts is None else parts
        state = await self.work.run(visitor, lambda: spec.start(denoiser.card, denoiser.tokenizer, parts))
        self._bounded(state)
        return state

    async def tokenized(self, denoiser: Denoiser, spec: RunSpec, visitor: str = "") -> Parts:
        """The parts of a spec's canvas."""
        chars = len(spec.prompt) + len(spec.suffix or "") + letters(spec.talk)
        if chars > (most := CHARS_PER_CELL * denoiser.card.longest):
            why = f"the text has {chars} characters; this model reads at most {most}"
            raise InvalidRequest(why, "prompt", TOO_LONG)
        if denoiser.remote:  # its server cuts the text into tokens: a request, which no other visitor waits for
            client = Client("prompt", visitor=visitor)
            return await self.device_for(denoiser).run(partial(spec.parts, denoiser.card, denoiser.tokenizer), client)
        return await self.work.run(visitor, lambda: spec.parts(denoiser.card, denoiser.tokenizer))

    async def turn_cells(self, denoiser: Denoiser, spec: RunSpec, state: State, visitor: str = "") -> list[list[int]]:
        """The cells of a prompt that hold what was said, where the others are a chat template's; else empty."""
        canvas, tokenizer = state.canvas, denoiser.tokenizer
        if not tokenizer.chat or denoiser.remote or not spec.prompt or not canvas.prompt[: canvas.origin].all():
            return []
        tokens = canvas.tokens[: canvas.origin].tolist()
        return await self.work.run(visitor, lambda: turn_cells(tokenizer, spec.talk, spec.prompt, tokens))

    @property
    def work(self) -> Work:
        """Where everything is computed for visitors, beside passes."""
        return self.device.work

    def sending(self, visitor: str) -> asyncio.Lock:
        """A lock to hold while a large answer is sent: a visitor has at most one in the buffers of its connections."""
        return self._sending.setdefault(visitor, asyncio.Lock())

    @staticmethod
    def _bounded(state: State) -> None:
        cells, passes = len(state.canvas), state.settings.passes
        if cells > (most := config().cells):
            raise InvalidRequest(f"prompt and answer have {cells} cells; this server allows {most}", "prompt")
        if passes > (most := config().passes):
            raise InvalidRequest(f"{passes} passes are planned; this server allows {most}", "passes")

    def begin(
        self,
        denoiser: Denoiser,
        spec: RunSpec,
        state: State,
        visitor: str = "",
        group: str = "",
        watched: bool = True,
        kept: bool = False,
        turns: Sequence[list[int]] = (),
    ) -> Session:
        """A session from a prepared state; with `kept`, it is stored across restarts if there is a keeper."""
        if self.draining:
            raise InvalidRequest(LEAVING)
        own: dict[str, Any] = {} if spec.own_from is None else {"own_from": spec.own_from}
        own |= ({"talk": [*map(list, spec.talk)]} if spec.talk else {}) | ({"turns": [*turns]} if turns else {})
        timeline = new_timeline(denoiser.card, state, spec.prompt, made=provenance(), **own)
        session = self.sessions.open(
            denoiser, self.device_for(denoiser), timeline, visitor, group=group, watched=watched
        )
        if kept and self.keeper is not None:
            self.keeper.begin(session, spec.model)
        return session

    async def kept(self, name: str, key: str) -> Kept:
        """The stored run of a session that is not in memory, if the key is one of its keys."""
        kept = await self.keeper.find(name, key) if self.keeper is not None else None
        if kept is None:
            raise InvalidRequest(OVER)
        return kept

    async def resume(self, kept: Kept, denoiser: Denoiser, visitor: str, number: int) -> Session:
        """A session from a stored run, restored once even if several connections ask at the same time.

        `number` is the last event that the visitor received."""
        keeper = self.keeper
        assert keeper is not None  # only a keeper makes a `Kept`
        if kept.name not in self._resuming:
            restoring = self._resuming[kept.name] = asyncio.ensure_future(
                keeper.restore(self, kept, denoiser, visitor, number)
            )
            restoring.add_done_callback(lambda _: self._resuming.pop(kept.name, None))
        return await asyncio.shield(self._resuming[kept.name])

    @property
    def not_ready_reason(self) -> str:
        """Why no new work should be sent here; empty if it may be."""
        return "stopping" if self.draining else "no memory left" if self.sessions.memory.tight else ""

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Count an answer that is being sent, which a server that stops waits for."""
        self._answers += 1
        try:
            yield
        finally:
            self._answers -= 1

    async def drain(self, seconds: float = 10.0) -> None:
        """Refuse new work, tell the viewers, and let runs continue for at most so many seconds."""
        self.draining = True
        self.loader.stop()
        for session in self.sessions.alive.values():
            if session.subscribers:
                session.publish(Refusal(LEAVING))
        until = time.monotonic() + seconds
        while (running := [s for s in self.sessions.alive.values() if s.is_running]) and time.monotonic() < until:
            await asyncio.sleep(0.02)
        for session in running:
            session.publish(Done(session.end, session.text, session.stats(), STOPPED))
            self.sessions.close(session)
        for _ in range(round(AFTERWARDS / 0.02)):  # turns of the loop: a starved machine has its messages sent too
            if not self._answers:  # closing a connection would lose its last message
                break
            await asyncio.sleep(0.02)

    async def close(self) -> None:
        """End all sessions and loads, and wait for them at most `CLOSING` seconds: a slow inference is abandoned."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING):
                await asyncio.gather(self.sessions.shut(), self.loader.close())
        for device in (self.device, self._reads):
            if device is not None:
                device.close(CLOSING)
        if self.keeper is not None:
            self.keeper.close()
