"""One /v1 answer while it is decoded: its final text, its draft, and where it ends."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Canvas, Ints
from unmask.live.publisher import NumberedEvent, Subscriber
from unmask.live.session import Session
from unmask.run.command import Play, Stretch, Tune
from unmask.run.event import Done, Refusal, Stepped
from unmask.run.frame import Frame
from unmask.run.settled import settled_cells
from unmask.run.stats import decided_prefix, text_cells
from unmask.run.timeline import Node
from unmask.serve.api_error import ApiError
from unmask.serve.runtime import STOPPED
from unmask.serve.sessions import TOO_LARGE

BROKEN = "\ufffd"  # an incomplete character decodes to this; its other bytes may follow


@dataclass(frozen=True, eq=False)
class TokenLogprob:
    """The log probability of a token at the pass that wrote it, and of its alternatives."""

    token: int
    logprob: float
    others: tuple[tuple[int, float], ...]  # likeliest first


@dataclass(frozen=True, eq=False)
class AnswerProgress:
    """The state of an answer after a pass."""

    passes: int
    text: str  # final: the texts of later passes begin with it
    tokens: tuple[int, ...]  # of the final text
    logprobs: tuple[TokenLogprob, ...]  # one for each of these tokens, if requested
    finish: str | None = None  # "stop" or "length", once it is complete
    stop: str | None = None  # the stop string that ended it
    frame: Frame | None = None
    times: tuple[float, float, float] = (0.0, 0.0, 0.0)
    canvas: Canvas | None = None
    forwards: int = 0


@dataclass(frozen=True)
class AnswerLimits:
    """Where an answer ends. The canvas does not limit it: it grows by blocks until the text ends or is too long."""

    tokens: int | None = None  # most tokens; None: as many as the canvas has
    grow: int = 0  # open cells to add if the canvas is full and the text has not ended; 0: the canvas does not grow
    stops: tuple[str, ...] = ()  # stop strings; the answer ends before one
    whole: bool = False  # whether a full canvas is a complete text, as with a constraint
    closed: Callable[[str], int | None] | None = None  # from a text to the index where it is complete, if it is
    stop_tokens: tuple[int, ...] = ()  # the answer ends before one of these


class Answer:
    """Plays a session and reads its text pass by pass, until the answer ends or the reader leaves."""

    def __init__(self, session: Session, limits: AnswerLimits = AnswerLimits(), candidates: int | None = None) -> None:
        self.session, self.limits, self.candidates = session, limits, candidates
        self.stops, self.most = limits.stops, limits.tokens
        self.tokenizer, self.ends = session.denoiser.tokenizer, session.denoiser.card.ends
        self.listener = _Listener(session, candidates)
        session.unfinished = True  # from now on, also before the first pass: a server that stops tells this answer so
        self.last = AnswerProgress(0, "", (), ())
        self._decided, self._seen = -1, 0  # length of the decided prefix; last moment read, 0 before the first pass
        self._cells: Ints = np.empty(0, np.int64)

    def close(self) -> None:
        """Stop decoding after the present pass."""
        self.session.unfinished = False
        self.session.unsubscribe(self.listener)
        self.session.close()

    async def passes(self) -> AsyncIterator[AnswerProgress]:
        """The progress after every pass, in order; none is skipped, even for a slow reader."""
        self.session.send(Play())
        while self.last.finish is None:
            await self.listener.get()
            for node in self.session.head.path(after=self._seen):
                if self.listener.failed == STOPPED:  # a slow reader would delay the server's stop
                    break
                self._seen = node.at
                if node.frame is not None:
                    self.last = self._after(node, node.frame)
                    yield self.last
                    if self.last.finish is not None:
                        return
                    if node.frame.done:
                        self._grow(node.canvas)
            if self.listener.failed and self.last.finish is None:
                if self.listener.failed == STOPPED:
                    raise ApiError(503, STOPPED, code="stopping")
                if self.listener.failed == TOO_LARGE:  # more was asked for than fits: what is final is the answer
                    self.last = replace(self.last, finish="length")
                    yield self.last
                    return
                raise ApiError(500, self.listener.failed, code="model_failed")

    def draft(self, progress: AnswerProgress) -> str:
        """The whole text so far, with the model's guesses in open cells."""
        if progress.canvas is None or progress.frame is None:
            return ""
        if progress.finish is not None:
            return progress.text
        canvas, guess = progress.canvas, progress.frame.guess.astype(np.int64)
        row = np.where(canvas.open, guess, canvas.tokens)[text_cells_of_draft(canvas, self.ends)]
        text = self.tokenizer.decode([t for t in row.tolist() if t >= 0 and t not in self.ends][: self.most])
        return text[: self._stop(text)[0]]

    def _grows(self, canvas: Canvas) -> bool:
        """Whether a full canvas must grow: the text has not ended and may be longer."""
        cells, limit = canvas.answer, len(canvas) if self.most is None else self.most
        room = len(canvas) < self.session.denoiser.card.longest and int(cells.sum()) < limit
        if not self.limits.grow or not room or np.isin(canvas.tokens[cells], self.ends).any():
            return False
        if np.isin(canvas.tokens[cells], self.limits.stop_tokens).any():
            return False
        return self._stop(self.tokenizer.decode(canvas.tokens[cells].tolist()))[0] is None

    def _grow(self, canvas: Canvas) -> None:
        """Add a block, and passes in proportion."""
        settings, before = self.session.state.settings, int(canvas.answer.sum())
        more = min(self.limits.grow, self.session.denoiser.card.longest - len(canvas))
        if settings.passes_for == "answer":
            passes = min(-(-settings.passes * (before + more) // before), 4096)
            self.session.send(Tune({"passes": passes}))
        self.session.send(Stretch(len(canvas), more))
        self.session.send(Play())

    def _after(self, node: Node, frame: Frame) -> AnswerProgress:
        canvas = node.canvas
        done = frame.done and not self._grows(canvas)
        front = decided_prefix(canvas) if done else settled_cells(node.state, self.session.denoiser.card)
        passes, forwards = self.last.passes + 1, self.last.forwards + frame.cost
        progress = replace(self.last, passes=passes, forwards=forwards, frame=frame, times=node.times, canvas=canvas)
        if front == self._decided and not done:
            return progress
        self._decided = front
        cells = text_cells(canvas, self.session.denoiser.card)
        ended = bool((np.isin(canvas.tokens, self.ends) & ~canvas.open & canvas.answer)[:front].any())
        self._cells = np.flatnonzero(cells[:front])[: self.most]
        tokens = canvas.tokens[self._cells].tolist()
        found = next((i for i, token in enumerate(tokens) if token in self.limits.stop_tokens), None)
        if found is not None:
            return self._updated(progress, self.tokenizer.decode(tokens[:found]), tokens[:found], "stop")
        text = self.tokenizer.decode(tokens)
        stop, which = self._stop(text)
        if stop is not None:
            return self._updated(replace(progress, stop=which), text[:stop], tokens, "stop")
        if self.limits.closed is not None and (end := self.limits.closed(text)) is not None:
            return self._updated(progress, text[:end], tokens, "stop")
        if ended and int(cells[:front].sum()) <= len(tokens):
            return self._updated(progress, text, tokens, "stop")
        if done or len(tokens) == self.most:
            whole = done and self.limits.whole and int(cells[:front].sum()) <= len(tokens)
            return self._updated(progress, text, tokens, "stop" if whole else "length")
        return self._updated(progress, self._sure(text), tokens, None)

    def _updated(self, progress: AnswerProgress, text: str, tokens: list[int], finish: str | None) -> AnswerProgress:
        if not text.startswith(self.last.text):  # some tokenizers decode a prefix differently once more follows
            text = self.last.text
        if finish is None or len(text) < len(self.tokenizer.decode(tokens)):
            tokens = tokens[: self._covering(tokens, text, whole=finish is not None)]
        logprobs: tuple[TokenLogprob, ...] = ()
        if self.candidates is not None:
            logprobs = tuple(self.listener.logprobs[int(c)] for c in self._cells[: len(tokens)])
        return replace(progress, text=text, tokens=tuple(tokens), logprobs=logprobs, finish=finish)

    def _covering(self, tokens: list[int], text: str, whole: bool) -> int:
        """How many tokens a text takes; one that is only partly in it counts only if the text is whole."""
        low, high = 0, len(tokens)
        while low < high:  # binary search for the fewest tokens whose text is as long
            middle = (low + high) // 2
            if len(self.tokenizer.decode(tokens[:middle]).rstrip(BROKEN)) < len(text):
                low = middle + 1
            else:
                high = middle
        if not whole and low and len(self.tokenizer.decode(tokens[:low])) > len(text):
            low -= 1
        return low

    def _stop(self, text: str) -> tuple[int | None, str | None]:
        """Where the first stop string begins, and which one it is."""
        found = [(at, stop) for stop in self.stops if (at := text.find(stop)) >= 0]
        return min(found, default=(None, None))

    def _sure(self, text: str) -> str:
        """A final text without an incomplete character, or the beginning of a stop string, at its end."""
        text = text.rstrip(BROKEN)
        overlap = 0
        for stop in self.stops:
            for size in range(min(len(stop) - 1, len(text)), overlap, -1):
                if text.endswith(stop[:size]):
                    overlap = size
                    break
        return text[: len(text) - overlap]


def text_cells_of_draft(canvas: Canvas, ends: Sequence[int]) -> Any:
    """Answer cells before the first decided end-of-text token, open ones included."""
    cells = canvas.answer.copy()
    ended = np.flatnonzero(canvas.answer & ~canvas.open & np.isin(canvas.tokens, list(ends)))
    if ended.size:
        cells[ended[0] :] = False
    return cells


class _Listener(Subscriber):
    """Reads every pass as it is published, while the session still has its belief; keeps the log probabilities."""

    def __init__(self, session: Session, candidates: int | None) -> None:
        super().__init__(session.snapshot)
        self.session, self.candidates = session, candidates
        self.logprobs: dict[int, TokenLogprob] = {}
        self.failed = ""
        session.subscribers.add(self)

    def put(self, note: NumberedEvent) -> None:
        match note.event:
            case Stepped(frame=frame) if self.candidates is not None and self.session.belief is not None:
                self._keep(frame, self.session.belief, self.candidates)
            case Done(failed=failed):
                self.failed = failed
            case Refusal(why=why, do="stretch" | "play"):  # the canvas cannot grow
                self.failed = why
        super().put(note)

    def _keep(self, frame: Frame, belief: Belief, candidates: int) -> None:
        for cell, token in zip(frame.cells.tolist(), frame.tokens.tolist(), strict=True):
            ids, probs = belief.top_ids[cell].tolist(), belief.top_probs[cell].tolist()
            p = (
                belief.confidence[cell]
                if token == belief.token[cell]
                else dict(zip(ids, probs, strict=True)).get(token, 0)
            )
            others = tuple((t, _log(q)) for t, q in zip(ids, probs, strict=True))[:candidates]
            self.logprobs[cell] = TokenLogprob(token, _log(float(p)), others)


def _log(p: float) -> float:
    return round(min(0.0, math.log(p)), 6) if p > 0 else -9999.0  # as OpenAI reports a probability of 0
