"""A live run: its timeline can be watched, steered, rewound and branched while it decodes."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from unmask.belief import Belief
from unmask.config import config
from unmask.decide.grammar.budget import StepBudget, step_budget
from unmask.errors import InvalidRequest, ModelError, OutOfMemory
from unmask.live.committed import CommittedText
from unmask.live.device import Client, Device
from unmask.live.events import branched_event, edited_event, events_to
from unmask.live.mailbox import Envelope, Mailbox
from unmask.live.pace import Pace
from unmask.live.passes import Passes
from unmask.live.permissions import Permissions
from unmask.live.publisher import NumberedEvent, Publisher
from unmask.live.scheduled_edits import ScheduledEdits
from unmask.live.undo import Version, Versions, events_between, last_edit
from unmask.models import Denoiser
from unmask.run import command as commands
from unmask.run.command import Command, Edit, Transport
from unmask.run.edit import Steering
from unmask.run.event import Done, Event, Moved, Opened, Peeked, Refusal, Snapshot, Stepped, Waiting
from unmask.run.kept_edits import edits_again, reverted
from unmask.run.peek import peek
from unmask.run.state import State
from unmask.run.stats import answer_text, run_stats
from unmask.run.timeline import Node, Timeline, with_pieces
from unmask.run.trace import Trace

log = logging.getLogger(__name__)
CELL = 56  # bytes that a cell of one moment takes, as measured


class Session(Publisher):
    """An actor that owns one timeline: it plays, pauses, applies edits between two passes, and publishes events."""

    def __init__(
        self,
        denoiser: Denoiser,
        device: Device,
        timeline: Timeline,
        group: str = "",
        watched: bool = True,
        identity: tuple[str, Permissions] | None = None,
        number: int = 0,
    ) -> None:
        super().__init__(number)
        # a restored session has its old name and keys, and continues from the number of its last event
        self.id, self.rights = identity or (secrets.token_urlsafe(9), Permissions())
        self.denoiser, self.device, self.watched = denoiser, device, watched
        self.timeline = replace(timeline, about=dict(timeline.about) | {"session": self.id})
        self.client = Client(self.id, group)
        self.playing = False
        self.unfinished = False  # /v1 may still grow a full canvas, so the run is not over when nothing is open
        self.touched = time.monotonic()
        self.closed = False
        self.interrupted = False  # was playing when its last viewer left
        self.belief: Belief | None = None  # the belief of the newest pass
        self._passes = Passes(denoiser, device, self.client, watched, self._goes_on)
        self._steering = Steering(denoiser.card, denoiser.tokenizer)
        self._mailbox = Mailbox()
        self._budget = StepBudget()  # for compiling a constraint
        self._pace = Pace()
        self._committed = CommittedText(denoiser)
        self._moments = self.head.at + 1  # of all branches together
        self.scheduled = ScheduledEdits()  # edits that the run was started with
        self._versions = Versions()
        self.publish(Opened(self.id, self.timeline.about, self.timeline.head.ancestor(0).canvas))

    @property
    def head(self) -> Node:
        """The newest moment of the present branch."""
        return self.timeline.head

    @property
    def state(self) -> State:
        return self.head.state

    @property
    def end(self) -> int:
        """The number of the newest moment."""
        return self.head.at

    @property
    def is_running(self) -> bool:
        """Whether more passes will follow without a further command."""
        return self.playing or self.unfinished

    @property
    def is_over(self) -> bool:
        """Whether nothing is open, and no scheduled edit is due that may open a cell."""
        return self.state.done and self.scheduled.due(self.end) is None

    @property
    def weight(self) -> int:
        """Estimated memory of the timeline, in bytes."""
        return CELL * self._moments * len(self.state.canvas)

    @property
    def text(self) -> str:
        return answer_text(self.denoiser, self.state.canvas)

    def trace(self) -> Trace:
        """The timeline with all its branches, as a file would hold it."""
        return Trace((with_pieces(self.timeline, self.denoiser.tokenizer),))

    def history(self) -> Iterator[Event]:
        """The events of the present branch from its beginning, for new viewers; it may be iterated on a thread."""
        first = Opened(self.id, self.timeline.about, self.head.ancestor(0).canvas)
        last: list[Event] = [branched_event(self.timeline), Moved(self.end, self.playing, self.end + 1)]
        return chain([first], events_to(self.head, 0, self.client.shared), last)

    def peeked(self, question: commands.Peek) -> Peeked:
        """The beliefs about a cell, on the present branch or another."""
        node = self.timeline.get_head(question.head) if question.head else self.head
        node = node if question.at == -1 else node.ancestor(question.at)
        about = peek(node.path(), question.cell, self.denoiser.tokenizer.display_piece)
        return Peeked(question.cell, node.at, about, question.head)

    def snapshot(self, n: int) -> NumberedEvent:
        return NumberedEvent(n, Snapshot(self.end, self.state.canvas, self.playing, self.end + 1))

    def send(
        self, command: Command | tuple[Edit, ...], ref: int | None = None, at: int | None = None, keep: bool = False
    ) -> None:
        """Put a command into the mailbox, or several edits as one request: applied together, answered once.

        `at` is the moment to apply it to, if that is not the newest; with `keep`, the edits after that moment are made
        there, too."""
        self.touched = time.monotonic()
        self._mailbox.put(Envelope(command, ref, at, keep))

    def close(self) -> None:
        """End the actor; an inference that is running is the last."""
        self.closed = self._budget.stopped = True
        self._passes.cancel()
        self._mailbox.ring()

    async def run(self) -> None:
        """Handle commands, and decode while playing, until closed."""
        while not self.closed:
            if self.playing and self.is_over:  # an edit has filled the last open cell
                self._finish()
            elif self.playing:
                await self._play()
            elif self._mailbox:
                await self._handle_all()
            else:
                await self._mailbox.wait()

    async def _play(self) -> None:
        """Decode pass by pass until paused or done."""
        self.device.join(self.client)
        while self.playing and not self.is_over and not self.closed:
            await self._handle_all()
            await self._apply_scheduled()
            if self.playing and not self.state.done and not self.closed:
                await self._pass()
        self._passes.pause()

    async def _apply_scheduled(self) -> None:
        """Apply the scheduled edits of this moment."""
        while self.playing and not self.closed and (edit := self.scheduled.due(self.end)) is not None:
            try:
                if self._steering.is_slow(self.state, edit):
                    await self._dry_run((edit,), None)
                self._edit(edit, None)
                self.scheduled.next()
            except InvalidRequest as refused:
                self.scheduled.clear()
                self.publish(Refusal(f"the run continues without its other scheduled edits: {refused}"))

    async def _pass(self) -> None:
        """One pass. If edits arrive during inference, they are applied and the inference is repeated once."""
        if self.end >= config().moments:
            self.fail(f"a timeline has at most {config().moments} moments")
            return
        try:
            made = await self._passes.next(self.head, self._mailbox, lambda *w: self.publish(Waiting(*w)))
            if made is None:
                return
            if self._mailbox.has_edits:
                await self._handle_all()
                if not self.playing or self.state.done or self.closed:
                    return
                made = await self._passes.again(self.head, made)
        except (InvalidRequest, ModelError, OutOfMemory) as error:  # the message is written for the user
            self.fail(f"the model failed: {error}")
            return
        except Exception as error:  # of the model's code: it ends this run only
            log.warning("a model failed", exc_info=error)
            self.fail(f"the model failed: {type(error).__name__}; the log of this server says more")
            return
        self.belief = made.belief
        try:
            node, *resizes = self._passes.commit(made)
        except Exception as error:  # of the policy's code
            log.warning("a policy failed", exc_info=error)
            why = f"{type(error).__name__}; the log of this server says more"
            self.fail(f"the policy '{self.state.settings.policy}' failed: {why}")
            return
        assert node.frame is not None  # it was a pass
        self.device.tokens.add(len(node.frame.cells))
        self._grow(node)
        self.publish(Stepped(node.at, node.frame, *node.times, shared=self.client.shared))
        for resize in resizes:  # the model has resized the canvas
            self._grow(resize)
            self.publish(edited_event(resize))
        if (settled := self._committed.update(self.state)) is not None:
            self.publish(settled)
        if self._pace.counted():
            self._pause()
        if self.is_over:
            self._finish()
            return
        ended = time.monotonic()
        # commands are handled during the rest; only a new pace shortens it
        while self.playing and not self.state.done and not self.closed:
            rest = self._pace.rest(made.seconds, node.times[1] / 1000)
            if (left := ended + rest - time.monotonic()) <= 0:
                return
            await self._mailbox.wait(left)
            await self._handle_all()

    def _goes_on(self, node: Node, spent: float) -> bool:
        """Whether a pass follows this moment at once, as far as is known; called from worker threads too."""
        stops = self.closed or not self.playing or node.state.done or node.at >= config().moments
        pending = self._mailbox or self.scheduled.due(node.at) is not None
        return not (stops or pending or self._pace.last or self._pace.rest(spent, node.times[1] / 1000) > 0)

    def _finish(self, failed: str = "") -> None:
        self.playing = False
        self.publish(Done(self.end, self.text, self.stats(), failed))

    def stats(self) -> dict[str, Any]:
        passes = [(node.frame, node.times) for node in self.head.path() if node.frame is not None]
        frames, clocks = [frame for frame, _ in passes], [(a / 1000, b / 1000) for _, (a, b, _) in passes]
        return run_stats(self.state.canvas, frames, clocks, self.denoiser.card, self.client.shared).to_dict()

    async def _handle_all(self) -> None:
        """Handle everything in the mailbox, in order."""
        while self._mailbox and not self.closed:
            envelope = self._mailbox.take()
            before = self._version()
            try:
                edits = self._edits(envelope)
                if any(self._steering.is_slow(self.state, edit) for edit in edits):
                    await self._dry_run(edits, envelope.at)
                if isinstance(envelope.command, Transport):
                    self._handle(envelope.command)
                else:
                    self._apply_edits(edits, envelope.ref, envelope.at)
                if envelope.changes_run:
                    self.scheduled.clear()
                    self._versions.acted(before)
            except InvalidRequest as refused:
                self.publish(Refusal(str(refused), envelope.name, envelope.ref, refused.field, refused.code))
            except Exception:  # one command that cannot be applied must not end the run
                log.exception("a command failed: %s", envelope.name)
                self.publish(Refusal("this cannot be done", envelope.name, envelope.ref))

    async def _dry_run(self, edits: Sequence[Edit], at: int | None) -> None:
        """Try slow edits on a thread first, so that compiling a constraint does not block other runs."""
        state = self._at(at).state
        with step_budget(self._budget):
            await self.device.work.run(self.client.visitor, lambda: self._steering.after(state, edits))
        self._budget = StepBudget(stopped=self.closed)

    def _at(self, at: int | None) -> Node:
        """A moment of the present branch, by default the newest."""
        return self.head if at is None else self.head.ancestor(at)

    def _edits(self, envelope: Envelope) -> Sequence[Edit]:
        """The edits of a request, with those to be made again."""
        base = self._at(envelope.at)
        if not envelope.keep or base is self.head:
            return envelope.edits
        return edits_again(self._steering, self.head, base, envelope.edits)

    def _apply_edits(self, edits: Sequence[Edit], ref: int | None, at: int | None) -> None:
        """Apply all of them or none; the event of the last one answers the request."""
        if len(edits) > 1:
            self._steering.after(self._at(at).state, edits)
        for i, edit in enumerate(edits, 1):
            self._edit(edit, at if i == 1 else None, ref if i == len(edits) else None)

    def _handle(self, command: Transport) -> None:
        match command:
            case commands.Play(slow, pace):
                self._pace = Pace.of(slow, pace)
                self._start()
            case commands.Pause():
                self._pause()
            case commands.Step(passes):
                if passes < 1:
                    raise InvalidRequest("step at least one pass")
                self._pace = Pace(passes=passes)
                self._start()
            case commands.Seek(to):
                self.head.ancestor(to)
                self.playing = False
                self.publish(Moved(to, False, self.end + 1))
            case commands.Undo(exact=False):
                self._undo_edit()
            case commands.Undo():
                self._restore(self._versions.back(self._version()))
            case commands.Redo():
                self._restore(self._versions.forth(self._version()))
            case commands.Fork(moment, name):
                self._fork(moment, name)
            case commands.Switch(head):
                self._switch(head)
            case commands.Rename(head, name):
                self.timeline = self.timeline.rename_head(head, name)
                self.publish(branched_event(self.timeline))
            case commands.Drop(head):
                self.timeline = self.timeline.drop(head)
                self._moments = sum(1 for _ in self.timeline.nodes())
                self._versions.forget()
                self.publish(branched_event(self.timeline))
            case commands.Peek():
                self.publish(self.peeked(command))
            case commands.Revert(at):
                self._revert(at)

    def _start(self) -> None:
        if self.is_over:
            raise InvalidRequest("nothing is open any more: erase or insert cells, or start again")
        self.playing = True
        self.publish(Moved(self.end, True, self.end + 1))

    def _pause(self) -> None:
        self.playing = False
        self.publish(Moved(self.end, False, self.end + 1))

    def _edit(self, edit: Edit, at: int | None, ref: int | None = None) -> None:
        base = self._at(at)
        if base.at >= config().moments:
            raise InvalidRequest(f"a timeline has at most {config().moments} moments")
        edit = self._steering.resolved(base.state, edit)
        state = self._steering.after(base.state, (edit,))  # raises before anything is changed
        if base is not self.head:
            self._fork(base.at)
        self._grow(self.head.child(state, edit=edit))
        self.publish(edited_event(self.head, ref))

    def _version(self) -> Version:
        return Version(self.timeline, self.scheduled.copy())

    def _restore(self, version: Version) -> None:
        """Continue from a version of the run, paused."""
        before, self.timeline, self.scheduled = self.timeline, version.timeline, version.scheduled
        self.playing = False
        self._passes.cancel()
        self._committed.reset()
        for event in events_between(before, self.timeline, self.client.shared):
            self.publish(event)

    def _undo_edit(self) -> None:
        """Remove the last edit if it is the newest moment, or branch off before it if passes followed."""
        last = last_edit(self.head)
        if last is not self.head:
            return self._fork(last.at - 1)
        self.timeline = self.timeline.append(self.head.ancestor(last.at - 1))
        self._passes.cancel()
        self.publish(self.snapshot(0).event)

    def _revert(self, at: int) -> None:
        """Take one edit back, and keep those after it."""
        name, base, edits = reverted(self._steering, self.timeline, at)
        if name:
            return self._switch(name)
        self._fork(base.at)
        self._apply_edits(edits, None, None)

    def _fork(self, at: int, name: str = "") -> None:
        """Continue on a new branch from a moment of this one, which is kept."""
        if len(self.timeline.heads) >= config().branches:
            raise InvalidRequest(f"a run has at most {config().branches} branches: drop one first")
        left, self.timeline = self.timeline.on, self.timeline.fork(at, name)
        self._branch_changed(left)

    def _switch(self, head: str) -> None:
        left, self.timeline = self.timeline.on, self.timeline.switch(head)
        if left != head:
            self._branch_changed(left)

    def _branch_changed(self, left: str) -> None:
        self._passes.cancel()
        self._committed.reset()
        self.publish(branched_event(self.timeline, left))
        if self.playing and self.state.done:
            self._pause()

    def _grow(self, node: Node) -> None:
        self.timeline = self.timeline.append(node)
        self._moments += 1

    def fail(self, why: str) -> None:
        """End the run, with the reason."""
        self._finish(why)
