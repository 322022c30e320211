"""The actor: one timeline and its mailbox. The only noun with time in it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dllm.belief import Belief
from dllm.canvas import Refused
from dllm.decide import named
from dllm.live.audience import Note, Subscriber
from dllm.live.device import Client, Device
from dllm.models import Denoiser
from dllm.run.command import EDITS, Command, Edit, Fork, Pause, Peek, Play, Seek, Step, Stretch, Tune, Undo, plain
from dllm.run.edit import apply
from dllm.run.event import (
    Done,
    Edited,
    Event,
    Forked,
    Moved,
    Opened,
    Peeked,
    Refusal,
    Settled,
    Snapshot,
    Stepped,
    Waiting,
)
from dllm.run.measure import answer, measured, settled, text_cells
from dllm.run.peek import peek
from dllm.run.state import State
from dllm.run.step import step
from dllm.run.trace import Moment, Trace, head

MOST_MOMENTS = 8192  # passes and edits in one timeline
MOST_WAITING = 1000  # commands in a mailbox
CELL = 56  # bytes that a cell of one moment takes, as measured
KEPT = 512  # events kept for those who come back
SLOWEST = 60.0  # seconds a pass may be stretched to


class Session:
    """A run that can be watched, steered, rewound and forked."""

    def __init__(
        self,
        denoiser: Denoiser,
        device: Device,
        state: State,
        prompt: str = "",
        group: str = "",
        watched: bool = True,
        adopt: Callable[[Session], None] | None = None,
        parent: tuple[str, int] | None = None,
    ) -> None:
        self.id, self.token = secrets.token_urlsafe(9), secrets.token_urlsafe(18)
        self.denoiser, self.device, self.prompt, self.watched = denoiser, device, prompt, watched
        self.client = Client(self.id, group)
        self.states: list[State] = [state]
        self.moments: list[Moment] = [Moment(state.canvas, state.settings)]
        self.head = head(denoiser, state, prompt) | {"session": self.id}
        if parent:
            self.head |= {"parent": parent[0], "forked_at": parent[1]}
        self.cursor, self.playing = 0, False
        self.touched = time.monotonic()
        self.notes: deque[Note] = deque(maxlen=KEPT)
        self.subscribers: set[Subscriber] = set()
        self.closed = False
        self.interrupted = False  # was playing when its last watcher left
        self.belief: Belief | None = None  # the thought behind the newest pass, whole
        self._adopt = adopt
        self._mailbox: deque[tuple[Command, int | None, int | None]] = deque()
        self._mail = asyncio.Event()
        self._forgot = False  # the newest state's carry was let go, and must be thought again
        self._passes_left: int | None = None
        self._slow, self._pace = 1.0, 0.0
        self._said = 0  # cells that were told to be settled
        self._n = 0
        self.publish(Opened(self.id, self.head, state.canvas))

    # what others see

    @property
    def state(self) -> State:
        """The newest state."""
        return self.states[-1]

    @property
    def end(self) -> int:
        """The newest moment."""
        return len(self.states) - 1

    @property
    def weight(self) -> int:
        """About how many bytes the timeline takes."""
        return CELL * len(self.moments) * len(self.state.canvas)

    @property
    def text(self) -> str:
        return answer(self.denoiser, self.state.canvas)

    def trace(self) -> Trace:
        """The timeline as a file would hold it."""
        moments = list(self.moments)
        used = {int(t) for m in moments for t in m.canvas.tokens if t >= 0}
        for m in moments:
            if m.frame is not None:
                used.update(m.frame.top_ids.ravel().tolist())
        return Trace(self.head, moments, {t: self.denoiser.speller.piece(t) for t in used if t >= 0})

    def subscribe(self, after: int | None = None) -> Subscriber:
        """Events from now on; with `after`, also those missed since, or a snapshot where they are gone."""
        subscriber = Subscriber(self.snapshot)
        if after is not None:
            missed = [n for n in self.notes if n.n > after]
            if missed and (missed[0].n == after + 1) and len(missed) < subscriber.room:
                for note in missed:
                    subscriber.put(note)
            elif after < self._n:
                subscriber.put(self.snapshot(self._n))
        self.subscribers.add(subscriber)
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        self.subscribers.discard(subscriber)

    def snapshot(self, n: int) -> Note:
        return Note(n, Snapshot(self.end, self.state.canvas, self.playing, len(self.states)))

    def publish(self, event: Event) -> None:
        self._n += 1
        note = Note(self._n, event)
        self.notes.append(note)
        for subscriber in tuple(self.subscribers):
            subscriber.put(note)

    # what others ask

    def send(self, command: Command, ref: int | None = None, at: int | None = None) -> None:
        """Put a command into the mailbox. `at` is the moment it was made at, where that is not the newest."""
        self.touched = time.monotonic()
        if len(self._mailbox) >= MOST_WAITING:
            raise Refused("too many commands at once: wait for some to be done")
        self._mailbox.append((command, ref, at))
        self._mail.set()

    def close(self) -> None:
        """End the actor; a thought in flight is the last."""
        self.closed = True
        self._mail.set()

    async def run(self) -> None:
        """Live: handle commands, and think while playing."""
        while not self.closed:
            if self.playing and self.state.done:  # a person's pin was the last
                self._finish()
            elif self.playing:
                await self._play()
            elif self._mailbox:
                self._handle_all()
            else:
                self._mail.clear()
                if not self._mailbox and not self.closed:
                    await self._mail.wait()

    async def _play(self) -> None:
        """Take a seat, and turns, until paused or done."""
        seat = self.device.seats.ask(self.client.group)
        try:
            told = (0, 0.0)
            while not seat.free.is_set():
                if (place := seat.waiting) != told:
                    told = place
                    self.publish(Waiting(place[0], round(place[1], 1)))
                await self._until(seat.free, 1.0)
                self._handle_all()
                if not self.playing or self.closed:
                    return
            self.device.join(self.client)
            while self.playing and not self.state.done and not self.closed:
                self._handle_all()
                if self.playing and not self.state.done and not self.closed:
                    await self._pass()
        finally:
            seat.leave()

    async def _pass(self) -> None:
        """One pass. Edits that come while it is thought are put in and it is thought again, once."""
        if len(self.states) > MOST_MOMENTS:
            self._fail(f"a timeline has at most {MOST_MOMENTS} moments")
            return
        try:
            if self._forgot:
                await self._carry_again()
            belief, spent = await self.device.think(self.client, self.denoiser, self.state, self.watched)
            if self._edits_wait():
                self._handle_all()
                if not self.playing or self.state.done or self.closed:
                    return
                belief, again = await self.device.think(self.client, self.denoiser, self.state, self.watched)
                spent += again
        except Exception as error:  # the model's own: it ends this run, with a sentence, and nobody else's
            self._fail(f"the model failed: {type(error).__name__}: {error}")
            return
        began = time.perf_counter()
        self.belief = belief
        try:
            state, frame = step(self.state, belief)
        except Exception as error:  # a policy's own
            self._fail(f"the policy '{self.state.settings.policy}' failed: {type(error).__name__}: {error}")
            return
        other = time.perf_counter() - began
        times = (1000 * spent, 1000 * other, 1000 * self.client.clock)
        self._append(state, Moment(state.canvas, state.settings, frame, None, times))
        self.publish(Stepped(self.end, frame, *times, shared=self.client.shared))
        self._tell_settled()
        if self._passes_left is not None:
            self._passes_left -= 1
            if self._passes_left <= 0:
                self._pause()
        if state.done:
            self._finish()
            return
        ended = time.monotonic()
        # what is asked during a rest is done at once, and only a new pace shortens the rest
        while self.playing and not self.state.done and not self.closed:
            rest = min(max((self._slow - 1) * spent, self._pace - spent - other), SLOWEST)
            if (left := ended + rest - time.monotonic()) <= 0:
                return
            await self._until(self._mail, left)
            self._handle_all()

    async def _carry_again(self) -> None:
        """Think through the past again for the carry of the newest state, which only a newest state keeps."""
        carry: Any = None
        for state, moment in zip(self.states, self.moments[1:], strict=False):
            if moment.frame is not None:
                belief, _ = await self.device.think(
                    self.client, self.denoiser, replace(state, carry=carry), self.watched
                )
                carry = belief.carry
            elif isinstance(moment.edit, Stretch):
                carry = None
        self.states[-1], self._forgot = replace(self.state, carry=carry), False

    def _finish(self) -> None:
        self.playing = False
        self.publish(Done(self.end, self.text, self.measures()))

    def measures(self) -> dict[str, Any]:
        passes = [m for m in self.moments if m.frame is not None]
        clocks = [(m.times[0] / 1000, m.times[1] / 1000) for m in passes]
        frames = [m.frame for m in passes if m.frame is not None]
        ends = self.denoiser.card.ends
        return measured(self.state.canvas, frames, clocks, ends, self.client.shared).plain()

    # commands

    def _handle_all(self) -> None:
        """Everything in the mailbox, in order; a slider that was dragged counts once, at its last place."""
        while self._mailbox:
            command, ref, at = self._mailbox.popleft()
            while isinstance(command, Tune) and self._mailbox and isinstance(follower := self._mailbox[0][0], Tune):
                if self._mailbox[0][2] != at:
                    break
                _, ref, at = self._mailbox.popleft()
                command = Tune(_merged(command.changes, follower.changes))
            try:
                self._handle(command, ref, at)
            except Refused as refused:
                self.publish(Refusal(str(refused), type(command).__name__.lower(), ref))

    def _handle(self, command: Command, ref: int | None, at: int | None) -> None:
        match command:
            case Play(slow, pace):
                self._slow, self._pace, self._passes_left = (
                    min(max(slow, 1.0), 1000.0),
                    min(max(pace, 0), SLOWEST),
                    None,
                )
                self._start()
            case Pause():
                self._pause()
            case Step(passes):
                if passes < 1:
                    raise Refused("step at least one pass")
                self._passes_left, self._pace, self._slow = passes, 0.0, 1.0
                self._start()
            case Seek(to):
                self._check_moment(to)
                self.playing, self.cursor = False, to
                self.publish(Moved(to, False, len(self.states)))
            case Undo():
                self._undo()
            case Fork(moment):
                self._fork(moment)
            case Peek(cell, moment):
                moment = self.end if moment == -1 else moment
                self._check_moment(moment)
                self.publish(Peeked(cell, moment, peek(self.moments, cell, moment, self.denoiser.speller.piece)))
            case _:
                self._edit(command, at, ref)

    def _start(self) -> None:
        if self.state.done:
            raise Refused("nothing is open any more: erase or insert cells, or start again")
        self.playing, self.cursor = True, self.end
        self.publish(Moved(self.end, True, len(self.states)))

    def _pause(self) -> None:
        self.playing = False
        self.publish(Moved(self.end, False, len(self.states)))

    def _edit(self, edit: Edit, at: int | None, ref: int | None = None) -> None:
        if at is not None and at != self.end:
            self._check_moment(at)
            self._fork(at, edit, ref)
            return
        if len(self.states) > MOST_MOMENTS:
            raise Refused(f"a timeline has at most {MOST_MOMENTS} moments")
        state = self._applied(self.state, edit)
        self._append(state, Moment(state.canvas, state.settings, None, edit))
        self.publish(Edited(self.end, plain(edit), state.canvas, state.settings.plain(), ref))

    def _applied(self, state: State, edit: Edit) -> State:
        card = self.denoiser.card
        after = apply(state, edit, card.words)
        if len(after.canvas) > card.longest:
            raise Refused(f"this model sees at most {card.longest} cells")
        return after

    def _undo(self) -> None:
        """Stand before the last edit: drop it if it is the newest moment, fork if passes followed it."""
        edits = [i for i, m in enumerate(self.moments) if m.edit is not None]
        if not edits:
            raise Refused("there is nothing to undo")
        if edits[-1] == self.end:
            self._forgot = self.denoiser.reflects
            self.states.pop()
            self.moments.pop()
            self.cursor = self.end
            self.publish(Snapshot(self.end, self.state.canvas, self.playing, len(self.states)))
        else:
            self._fork(edits[-1] - 1)

    def _fork(self, at: int, edit: Edit | None = None, ref: int | None = None) -> Session:
        """Another session goes on from a moment of this one, which pauses and is left alone."""
        self._check_moment(at)
        state = self.states[at]
        if edit is not None:
            self._applied(state, edit)  # refused before anything exists
        made = Session(
            self.denoiser,
            self.device,
            self.states[0],
            self.prompt,
            self.client.group,
            self.watched,
            self._adopt,
            (self.id, at),
        )
        made.states, made.moments, made.cursor = self.states[: at + 1], self.moments[: at + 1], at
        made._forgot = self.denoiser.reflects
        made._slow, made._pace, made._passes_left = self._slow, self._pace, self._passes_left
        made.publish(made.snapshot(0).event)
        if edit is not None:
            made._edit(edit, None, ref)
        if self.playing:
            self._pause()
            if not made.state.done:
                made._start()
        if self._adopt is not None:
            self._adopt(made)
        self.publish(Forked(made.id, self.id, at))
        return made

    def _check_moment(self, at: int) -> None:
        if not 0 <= at <= self.end:
            raise Refused(f"there is no moment {at}: the timeline goes from 0 to {self.end}")

    def _append(self, state: State, moment: Moment) -> None:
        # a carry is kept for the newest state only
        self.states[-1] = replace(self.states[-1], carry=None) if self.state.carry is not None else self.state
        self.states.append(state)
        self.moments.append(moment)
        self.cursor = self.end

    def _tell_settled(self) -> None:
        if named(self.state.settings.policy).revises and not self.state.done:
            return
        canvas = self.state.canvas
        upto = settled(canvas)
        if upto > self._said:
            self._said = upto
            front = canvas.tokens[:upto][text_cells(canvas, self.denoiser.card.ends)[:upto]]
            self.publish(Settled(self.denoiser.speller.decode(front.tolist()), upto))

    def _fail(self, why: str) -> None:
        self.playing = False
        self.publish(Done(self.end, self.text, self.measures(), why))

    def _edits_wait(self) -> bool:
        return any(type(c) in EDITS.values() for c, _, _ in self._mailbox)

    async def _until(self, event: asyncio.Event, seconds: float) -> None:
        """Wait for an event or for mail, so long at the most."""
        self._mail.clear()  # or mail that is long read would wake it again and again
        if self._mailbox or self.closed:
            return
        waits = [asyncio.ensure_future(e.wait()) for e in {event, self._mail}]
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def _merged(first: Mapping[str, Any], then: Mapping[str, Any]) -> dict[str, Any]:
    both = {**first, **then}
    if "options" in first and "options" in then and "policy" not in then:
        both["options"] = {**first["options"], **then["options"]}
    return both
