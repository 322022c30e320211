"""What would follow from edits: a run goes on from an edited moment while nobody else needs the device.

Nothing is published or stored. A run that comes to the same moment takes over the passes (`Foreseen`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from unmask.errors import InvalidRequest
from unmask.live.device import Device
from unmask.live.mailbox import Mailbox
from unmask.live.passes import Passes
from unmask.live.request import Client
from unmask.live.scheduled_edits import ScheduledEdits
from unmask.models import Denoiser
from unmask.run.command import Edit
from unmask.run.edit import Steering
from unmask.run.kept_edits import edits_again
from unmask.run.timeline import Node

SECONDS = 4.0  # of device time that the passes after the edits may take
QUEUE = 8  # requests of others with which a preview is given up
BUSY = "others need this server now, so nothing is computed ahead"


class Preview:
    """The moments after a visitor's edits, pass by pass. Its requests wait until the device is idle."""

    def __init__(self, denoiser: Denoiser, device: Device, visitor: str, group: str = "", watched: bool = True) -> None:
        self.denoiser, self.device = denoiser, device
        self.client = Client("preview", group, visitor, only_idle=True)
        self._mailbox = Mailbox()  # that nobody writes into
        self._steering = Steering(denoiser.card, denoiser.tokenizer)
        self._passes = Passes(denoiser, device, self.client, watched, self._goes_on)
        self._last = 0  # the moment that is to be reached; 0: none in particular
        self._began = 0.0  # device time before the edits
        self._closed = False

    async def reach(self, node: Node, moment: int, scheduled: ScheduledEdits) -> Node:
        """A later moment of a run, with the edits that are scheduled before it."""
        self._last = moment
        while node.at < moment:
            if (edit := scheduled.due(node.at)) is not None:
                node = await self.edited(node, (edit,), node)
                scheduled.next()
            elif nodes := await self.next(node):
                node = nodes[-1]
            else:
                raise InvalidRequest(f"the run is over at moment {node.at}")
        self._last, self._began = 0, self.client.clock
        return node

    async def edited(self, node: Node, edits: Sequence[Edit], head: Node) -> Node:
        """The moment after edits, and those that were made later, up to `head`; InvalidRequest says why one is not
        possible."""
        for edit in edits if node is head else edits_again(self._steering, head, node, edits):
            resolved = self._steering.resolved(node.state, edit)
            after = partial(self._steering.after, node.state, (resolved,))
            slow = self._steering.is_slow(node.state, resolved)
            state = await self.device.work.run(self.client.visitor, after) if slow else after()
            node = node.child(state, edit=resolved)
        return node

    async def next(self, node: Node) -> list[Node]:
        """The moments of the pass that follows a moment; none where the run is over, or enough is known."""
        if not self._goes_on(node, 0):
            return []
        if self.device.waiting > QUEUE:
            raise InvalidRequest(BUSY)
        made = await self._passes.next(node, self._mailbox, _wait)
        assert made is not None
        nodes = self._passes.commit(made)
        self._passes.foresee(made)
        return nodes

    def close(self) -> None:
        """No more is wanted; a pass that is being computed is kept for a run."""
        self._closed = True
        self._passes.cancel()

    def _goes_on(self, node: Node, _: float) -> bool:
        if self._closed or node.state.done:
            return False
        return node.at < self._last if self._last else self.client.clock - self._began < SECONDS


def _wait(place: int, seconds: float) -> None:
    if place > QUEUE:
        raise InvalidRequest(BUSY)
