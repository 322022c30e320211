"""Records the parts of a run that cannot be recomputed, and recomputes a run from its record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from weakref import WeakKeyDictionary

from unmask.belief import Belief
from unmask.errors import InvalidRequest
from unmask.features.kept_runs.store import Store, StoredRun
from unmask.inference.decode import recompute
from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.live.work import Work
from unmask.run import trace
from unmask.run.command import EDITS
from unmask.run.event import Branched, Done, Edited, Moved, Refusal, Snapshot, Stepped
from unmask.run.state import State
from unmask.run.timeline import FIRST, Node, Timeline
from unmask.serve.runtime import NOT_STORED

LONGEST = 120.0  # seconds of computing, beside its passes, that a run may cost when it is restored


class Journal:
    """Writes each new moment of a session, and the heads of its branches, to the store."""

    def __init__(self, store: Store, session: Session, model: str) -> None:
        self.store, self.session, self.model = store, session, model
        self._warned = False  # whether the run's viewers know that it cannot be stored at present
        self._begin()

    def _begin(self) -> None:
        """Record the session from its beginning."""
        session = self.session
        alone = Timeline(session.timeline.about, {FIRST: session.head.ancestor(0)})
        first = next(trace.lines(trace.Trace((alone,))))
        self._generation = self.store.generation
        self.store.keep(session.id, session.rights.to_dict(), session.client.visitor, self.model, first)
        self._numbers: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
        self._next = 0
        self._number(session.head.ancestor(0))
        for node in session.timeline.nodes():
            self._record_moment(node)
        self._record_heads(session.number)

    def put(self, note: NumberedEvent) -> None:
        """Record an event of the session (`EventSink`)."""
        if not isinstance(note.event, Stepped | Edited | Moved | Branched | Snapshot | Done):
            return
        if self.store.trouble and not self._warned:  # after the event that is being published
            asyncio.get_running_loop().call_soon(self.session.publish, Refusal(NOT_STORED))
        self._warned = bool(self.store.trouble)
        if self._generation != self.store.generation:  # rows were lost
            if not self.store.trouble:
                self._begin()
            return
        self._record_moment(self.session.head)
        self._record_heads(note.n)

    def _record_moment(self, node: Node) -> None:
        if node in self._numbers or node.parent is None:
            return
        parent = self._numbers[node.parent]
        edit = None if node.edit is None else trace.edit_to_dict(node.edit)
        self.store.add_moment(self.session.id, self._number(node), parent, edit)

    def _record_heads(self, n: int) -> None:
        timeline = self.session.timeline
        heads = {name: self._numbers[node] for name, node in timeline.heads.items()}
        playing = self.session.playing or self.session.interrupted
        self.store.set_heads(self.session.id, {"heads": heads, "on": timeline.on, "playing": playing, "n": n})

    def _number(self, node: Node) -> int:
        self._numbers[node] = self._next
        self._next += 1
        return self._next - 1


def without_frames(stored: StoredRun) -> Timeline:
    """The timeline of a stored run: its first state and its edits; moments after a pass have no frame."""
    timeline = trace.parse_trace(stored.first).first
    root = timeline.head
    nodes = [root]
    for parent, edit in stored.moments:
        before = nodes[parent]
        made = None if edit is None else EDITS.read(json.loads(edit))
        nodes.append(Node(root.state, before, None, made, at=before.at + 1))
    heads = {str(name): nodes[number] for name, number in stored.now.get("heads", {FIRST: 0}).items()}
    on = str(stored.now.get("on", FIRST))
    if on not in heads:
        raise InvalidRequest("this run was not stored completely: start again")
    return Timeline(timeline.about, heads, on)


async def resume_run(
    stored: StoredRun, infer_once: Callable[[State], Awaitable[Belief]], work: Work, visitor: str
) -> Timeline:
    """Recompute a stored run. `infer_once` is awaited on this event loop for each pass, so other runs get turns."""
    loop = asyncio.get_running_loop()

    async def belief_of(state: State) -> Belief:
        return await infer_once(state)

    def wait(state: State) -> Belief:
        with work.away():
            return asyncio.run_coroutine_threadsafe(belief_of(state), loop).result()

    return await work.run(visitor, lambda: recompute(without_frames(stored), wait), LONGEST)
