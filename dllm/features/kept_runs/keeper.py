"""Stores the runs of a server, and restores them as sessions of the same name."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from unmask.belief import Belief
from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.features.kept_runs.journal import Journal, resume_run
from unmask.features.kept_runs.store import KEPT_IN, Store, StoredRun, Unavailable, open_store
from unmask.live.device import Client
from unmask.live.permissions import Permissions
from unmask.live.session import Session
from unmask.models import Denoiser
from unmask.run.state import State
from unmask.serve.runtime import LEAVING, Runtime
from unmask.serve.runtime import Kept as KeptRun
from unmask.serve.sessions import OVER

AT_ONCE = 4  # runs of one visitor that are restored at once; others of the visitor find a thread meanwhile
WEIGHT = 4.0  # a second of device time counts as four, so runs that are watched go first
UNAVAILABLE = "the runs on the disk of this server cannot be read at present: try again in a minute"


class StoreKeeper:
    """Stores runs in one file; each session has a journal (`Keeper`)."""

    def __init__(self, store: Store) -> None:
        self.store, self.hours = store, store.hours
        self._restoring: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()  # by visitor

    @property
    def trouble(self) -> str:
        return self.store.trouble

    def begin(self, session: Session, model: str) -> None:
        session.journal = Journal(self.store, session, model)

    def rekey(self, session: Session) -> None:
        if session.journal is not None:
            self.store.rekey(session.id, session.rights.to_dict())

    def forget(self, name: str) -> None:
        self.store.forget(name)

    async def find(self, name: str, key: str) -> StoredRun | None:
        try:
            return await asyncio.wrap_future(self.store.find(name, key))
        except Unavailable:
            raise InvalidRequest(UNAVAILABLE) from None

    async def restore(self, runtime: Runtime, kept: KeptRun, denoiser: Denoiser, visitor: str, number: int) -> Session:
        assert isinstance(kept, StoredRun)
        runtime.sessions.check(visitor)
        client = Client(f"again {kept.name}", visitor=visitor, weight=WEIGHT)

        async def infer_once(state: State) -> Belief:
            belief, _ = await runtime.device_for(denoiser).infer(client, denoiser, state, True)
            return belief

        async with self._restoring.setdefault(visitor, asyncio.Semaphore(AT_ONCE)):
            timeline = await resume_run(kept, infer_once, runtime.work, visitor)
        if runtime.draining or kept.name in runtime.sessions.alive:
            raise InvalidRequest(LEAVING if runtime.draining else OVER)
        number = max(number, int(kept.now.get("n", 0)))
        identity = kept.name, Permissions(kept.keys)
        session = runtime.sessions.open(
            denoiser, runtime.device_for(denoiser), timeline, visitor, identity=identity, number=number
        )
        session.notes.clear()  # clients that resume get a snapshot
        session.interrupted = bool(kept.now.get("playing"))
        self.begin(session, kept.model)
        return session

    def close(self) -> None:
        self.store.close()


def keeper(hours: float) -> StoreKeeper | None:
    """The keeper of this server, which stores runs for `hours` hours; None if runs are not stored."""
    store = open_store(config().cache / KEPT_IN, hours)
    return None if store is None else StoreKeeper(store)
