"""A run writes down what it cannot compute again; and comes back from that, as it was, in a session of its own name."""

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
from unmask.run import trace
from unmask.run.event import Branched, Done, Edited, Moved, Snapshot, Stepped
from unmask.run.state import State
from unmask.run.timeline import FIRST, Node, Timeline


class Journal:
    """Follows one session and tells the store of each new moment, and of where its branches stand."""

    def __init__(self, store: Store, session: Session) -> None:
        self.store, self.session = store, session
        self._numbers: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
        self._next = 0
        self._number(session.head.ancestor(0))

    @classmethod
    def begin(cls, store: Store, session: Session, model: str) -> Journal:
        """Keep a run from its beginning on, and what there is of it already."""
        alone = Timeline(session.timeline.about, {FIRST: session.head.ancestor(0)})
        first = next(trace.lines(trace.Trace((alone,))))
        store.keep(session.id, session.rights.to_dict(), session.client.visitor, model, first)
        journal = cls(store, session)
        for node in session.timeline.nodes():
            journal._grow(node)
        journal._stand(session.number)
        return journal

    def put(self, note: NumberedEvent) -> None:
        """What a session tells of itself."""
        if not isinstance(note.event, Stepped | Edited | Moved | Branched | Snapshot | Done):
            return
        self._grow(self.session.head)
        self._stand(note.n)

    def _grow(self, node: Node) -> None:
        if node in self._numbers or node.parent is None:
            return
        parent = self._numbers[node.parent]
        edit = None if node.edit is None else trace.edit_to_dict(node.edit)
        self.store.grow(self.session.id, self._number(node), parent, edit)

    def _stand(self, n: int) -> None:
        timeline = self.session.timeline
        heads = {name: self._numbers[node] for name, node in timeline.heads.items()}
        playing = self.session.playing or self.session.interrupted
        self.store.stand(self.session.id, {"heads": heads, "on": timeline.on, "playing": playing, "n": n})

    def _number(self, node: Node) -> int:
        self._numbers[node] = self._next
        self._next += 1
        return self._next - 1


def without_frames(kept: StoredRun) -> Timeline:
    """The kept run without its frames: where it began, which edits it had, and how many passes between them."""
    timeline = trace.parse_trace(kept.first).first
    root = timeline.head
    nodes = [root]
    for parent, edit in kept.moments:
        before = nodes[parent]
        made = None if edit is None else trace.edit_from_dict(json.loads(edit))
        nodes.append(Node(root.state, before, None, made, at=before.at + 1))
    heads = {str(name): nodes[number] for name, number in kept.now.get("heads", {FIRST: 0}).items()}
    on = str(kept.now.get("on", FIRST))
    if on not in heads:
        raise InvalidRequest("this run was not kept whole")
    return Timeline(timeline.about, heads, on)


async def resume_run(kept: StoredRun, think: Callable[[State], Awaitable[Belief]]) -> Timeline:
    """The run as it was, lived again in turns like any other. `think` is asked on the loop."""
    loop = asyncio.get_running_loop()

    async def model_input(state: State) -> Belief:
        return await think(state)

    def wait(state: State) -> Belief:
        return asyncio.run_coroutine_threadsafe(model_input(state), loop).result()

    return await asyncio.to_thread(lambda: recompute(without_frames(kept), wait))
