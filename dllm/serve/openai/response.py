"""How answers look to OpenAI's clients: whole, as chunks that append, and as chunks that replace."""

from __future__ import annotations

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from dllm.models import Denoiser
from dllm.run.event import Stepped, plain
from dllm.run.packed import width_for
from dllm.serve.answer import Answer, Progress, TokenLogprob
from dllm.serve.openai.request import Body

Row = dict[str, Any]


def model(name: str, created: int) -> Row:
    """A model as /v1/models lists it."""
    return {"id": name, "object": "model", "created": created, "owned_by": "unmask"}


class Shape(ABC):
    """One request's answer in OpenAI's shape."""

    whole_object = chunk_object = prefix = ""

    def __init__(self, body: Body, denoiser: Denoiser, prompt_tokens: int, seed: int) -> None:
        self.body, self.denoiser, self.prompt_tokens, self.seed = body, denoiser, prompt_tokens, seed
        self.id, self.created = self.prefix + secrets.token_urlsafe(18), int(time.time())
        self._previous: dict[int, Progress] = {}
        self._spelled: set[int] = set()

    @property
    def counts(self) -> bool:
        return bool(self.body.stream_options and self.body.stream_options.include_usage)

    def whole(self, progress: Sequence[tuple[Answer, Progress]]) -> Row:
        """Everything at once."""
        choices = [self._choice(i, w) for i, (_, w) in enumerate(progress)]
        return self._head(self.whole_object) | {"choices": choices, "usage": self.usage([w for _, w in progress])}

    def first(self, which: int) -> Iterator[Row]:
        """What a stream says before the first pass."""
        return iter(())

    def chunks(self, which: int, answer: Answer, progress: Progress) -> Iterator[Row]:
        """What a pass adds to a stream; with `diffusing`, the whole text that replaces the last one."""
        before = self._previous.get(which, Progress(0, "", (), ()))
        fresh = (progress.tokens[len(before.tokens) :], progress.logprobs[len(before.logprobs) :])
        if self.body.diffusing:
            text = answer.draft(progress)
            row = self._part(which, text, fresh, None, len(before.text))
            row |= {"diffusion_meta": self._meta(text, progress), "x_frame": self._frame(answer, progress)}
            yield row
        elif progress.text != before.text or len(progress.tokens) != len(before.tokens):
            yield self._part(which, progress.text[len(before.text) :], fresh, None, len(before.text))
        self._previous[which] = progress
        if progress.finish is not None:
            yield self._part(which, None, ((), ()), progress.finish, 0)

    def last(self, progress: Sequence[Progress]) -> Iterator[Row]:
        """What a stream says after the last pass."""
        if self.counts:
            yield self._head(self.chunk_object) | {"choices": [], "usage": self.usage(progress)}

    def usage(self, progress: Sequence[Progress]) -> Row:
        tokens, passes = sum(len(w.tokens) for w in progress), sum(w.passes for w in progress)
        each = round(tokens / passes, 4) if passes else 0.0
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": self.prompt_tokens + tokens,
            "x_diffusion": {"passes": passes, "tokens_per_pass": each, "seed": self.seed},
        }

    def _head(self, kind: str) -> Row:
        print_ = f"fp_{self.denoiser.card.weights[:12]}"
        return {"id": self.id, "object": kind, "created": self.created, "model": self.body.model} | {
            "system_fingerprint": print_
        }

    def _chunk(self, choice: Row) -> Row:
        return self._head(self.chunk_object) | {"choices": [choice]} | ({"usage": None} if self.counts else {})

    def _meta(self, text: str, progress: Progress) -> Row:
        canvas = progress.canvas
        if canvas is None or progress.finish is not None:
            return {"diffusion_content": text, "diffusion_progress": 1.0}
        decided = int((canvas.answer & ~canvas.open).sum())
        return {"diffusion_content": text, "diffusion_progress": round(decided / max(int(canvas.answer.sum()), 1), 4)}

    def _frame(self, answer: Answer, progress: Progress) -> Row | None:
        """Our own frame, as the socket tells it; each id's spelling once."""
        if progress.frame is None:
            return None
        event = Stepped(progress.passes, progress.frame, *progress.times)
        row = plain(event, width_for(self.denoiser.card.words), whole=False)
        seen = {*progress.frame.tokens.tolist(), *progress.frame.guess.tolist()} - self._spelled
        fresh = sorted(t for t in seen if t >= 0)
        self._spelled.update(fresh)
        return row | {"pieces": {str(t): self.denoiser.speller.piece(t) for t in fresh}}

    @abstractmethod
    def _choice(self, which: int, progress: Progress) -> Row:
        """One whole answer."""

    @abstractmethod
    def _part(
        self,
        which: int,
        text: str | None,
        fresh: tuple[Sequence[int], Sequence[TokenLogprob]],
        finish: str | None,
        offset: int,
    ) -> Row:
        """What came since the last piece of one answer."""


class Chatting(Shape):
    """chat.completion"""

    whole_object, chunk_object, prefix = "chat.completion", "chat.completion.chunk", "chatcmpl-"

    def first(self, which: int) -> Iterator[Row]:
        delta = {"role": "assistant", "content": ""}
        yield self._chunk({"index": which, "delta": delta, "logprobs": None, "finish_reason": None})

    def _choice(self, which: int, progress: Progress) -> Row:
        message = {"role": "assistant", "content": progress.text, "refusal": None}
        logprobs = self._logprobs(progress.logprobs)
        return {"index": which, "message": message, "logprobs": logprobs, "finish_reason": progress.finish}

    def _part(
        self,
        which: int,
        text: str | None,
        fresh: tuple[Sequence[int], Sequence[TokenLogprob]],
        finish: str | None,
        offset: int,
    ) -> Row:
        delta = {} if text is None else {"content": text}
        logprobs = self._logprobs(fresh[1]) if fresh[1] else None
        return self._chunk({"index": which, "delta": delta, "logprobs": logprobs, "finish_reason": finish})

    def _logprobs(self, logprobs: Sequence[TokenLogprob]) -> Row | None:
        if self.body.candidates is None:
            return None
        rows = [
            self._row(s.token, s.logprob) | {"top_logprobs": [self._row(t, p) for t, p in s.others]} for s in logprobs
        ]
        return {"content": rows, "refusal": None}

    def _row(self, token: int, logprob: float) -> Row:
        piece = self.denoiser.speller.piece(token)
        return {"token": piece, "logprob": logprob, "bytes": list(piece.encode("utf-8", "replace"))}


class Completing(Shape):
    """text_completion"""

    whole_object, chunk_object, prefix = "text_completion", "text_completion", "cmpl-"

    def _choice(self, which: int, progress: Progress) -> Row:
        logprobs = self._logprobs(progress.logprobs, 0)
        return {"index": which, "text": progress.text, "logprobs": logprobs, "finish_reason": progress.finish}

    def _part(
        self,
        which: int,
        text: str | None,
        fresh: tuple[Sequence[int], Sequence[TokenLogprob]],
        finish: str | None,
        offset: int,
    ) -> Row:
        logprobs = self._logprobs(fresh[1], offset) if fresh[1] else None
        return self._chunk({"index": which, "text": text or "", "logprobs": logprobs, "finish_reason": finish})

    def _logprobs(self, logprobs: Sequence[TokenLogprob], offset: int) -> Row | None:
        if self.body.candidates is None:
            return None
        piece = self.denoiser.speller.piece
        pieces = [piece(s.token) for s in logprobs]
        offsets = [offset + sum(map(len, pieces[:i])) for i in range(len(pieces))]
        top = [{piece(t): p for t, p in s.others} for s in logprobs]
        return {
            "tokens": pieces,
            "token_logprobs": [s.logprob for s in logprobs],
            "top_logprobs": top,
            "text_offset": offsets,
        }
