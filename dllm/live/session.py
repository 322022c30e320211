"""A live run: its timeline can be watched, steered, rewound and branched while it decodes."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

from unmask.belief import Belief
from unmask.config import config
from unmask.decide.grammar.budget import StepBudget, step_budget
from unmask.errors import InvalidRequest, ModelError, OutOfMemory
from unmask.inference.checker_of import checker_of
from unmask.live.committed import CommittedText
from unmask.live.device import Device
from unmask.live.events import edited_event
from unmask.live.mailbox import Envelope, Mailbox
from unmask.live.pace import Pace
from unmask.live.passes import Passes
from unmask.live.permissions import Permissions
from unmask.live.steered_timeline import SteeredTimeline
from unmask.models import Denoiser
from unmask.run import command as commands
from unmask.run.command import Command, Edit, Transport
from unmask.run.event import Done, Moved, Opened, Refusal, Stepped, Waiting
from unmask.run.stats import run_stats
from unmask.run.timeline import Node, Timeline

log = logging.getLogger(__name__)


class Session(SteeredTimeline):
    """An actor that plays its timeline, pauses, and applies edits between two passes."""

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
        super().__init__(denoiser, timeline, group, identity, number)
        self.device, self.watched = device, watched
        self.unfinished = False  # /v1 may still grow a full canvas, so the run is not over when nothing is open
        self.touched = time.monotonic()
        self.closed = False
        self.interrupted = False  # was playing when its last viewer left
        self.belief: Belief | None = None  # the belief of the newest pass
        self._passes = Passes(denoiser, device, self.client, watched, self._goes_on)
        self._checker = checker_of(denoiser)
        self._read: Node | None = None  # the moment whose text the checks have read
        self._mailbox = Mailbox()
        self._budget = StepBudget()  # for compiling a constraint
        self._pace = Pace()
        self._committed = CommittedText(denoiser)
        self.publish(Opened(self.id, self.timeline.about, self.timeline.head.ancestor(0).canvas))

    def pass_by(self, denoiser: Denoiser) -> None:
        """Let a model that stands before this run's own make its passes; before the first."""
        self._passes.denoiser = denoiser

    @property
    def is_running(self) -> bool:
        """Whether more passes will follow without a further command."""
        return self.playing or self.unfinished

    @property
    def is_over(self) -> bool:
        """The same, and no check is still to read the text."""
        return super().is_over and (self._read is self.head or not self._checker.is_due(self.head))

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
            elif self.playing and not self.closed:
                await self._check()
        self._passes.pause()

    async def _check(self) -> None:
        """Let the checks read the text, and add a moment for each place that they find."""
        head = self.head
        if self._read is head or self.scheduled.due(self.end) is not None or not self._checker.is_due(head):
            return
        nodes: list[Node] = []
        try:
            nodes = await self.device.work.run(self.client.visitor, lambda: self._checker.after(head))
        except InvalidRequest as refused:
            self.publish(Refusal(f"the checks did not read this text: {refused}"))
        if self.head is not head or self.closed:
            return
        self._read = head
        for node in nodes:
            self._grow(node)
            self.publish(edited_event(node))

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
        await self._check()
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
        stops = stops or self._checker.is_due(node)
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
                self._rename(head, name)
            case commands.Drop(head):
                self._drop(head)
            case commands.Peek():
                self.publish(self.peeked(command))
            case commands.Revert(at):
                self._revert(at)

    def _start(self) -> None:
        if self.is_over:
            raise InvalidRequest("nothing is open any more: erase or insert cells, or start again")
        self.playing = True
        self.publish(Moved(self.end, True, self.end + 1))

    def _left_head(self) -> None:
        self._passes.cancel()
        self._committed.reset()

    def fail(self, why: str) -> None:
        """End the run, with the reason."""
        self._finish(why)
