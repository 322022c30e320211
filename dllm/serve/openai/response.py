"""How answers look to OpenAI's clients: whole, as chunks that append, and as chunks that replace.

The types are the document's too; rows are made in their shape and checked by mypy, never at run time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from dllm.canvas import Card
from dllm.serve.answer import Answer, Progress, TokenLogprob
from dllm.serve.openai.calls import Reading
from dllm.serve.openai.request import Body
from dllm.serve.openai.shape import Named, Row, Shape

Finish = Literal["stop", "length", "tool_calls"]


class Model(TypedDict):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    max_model_len: NotRequired[int]
    x_card: NotRequired[dict[str, Any]]


class Models(TypedDict):
    object: Literal["list"]
    data: list[Model]


class CachedTokens(TypedDict):
    cached_tokens: int


class Diffusion(TypedDict):
    """What only a diffusion has to say of its work."""

    passes: int
    tokens_per_pass: float
    seed: int  # the one that gives this answer again
    dropped_messages: NotRequired[int]


class Usage(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: CachedTokens
    x_diffusion: Diffusion


class TokenRow(TypedDict):
    token: str
    logprob: float
    bytes: list[int]


class ChosenToken(TokenRow):
    top_logprobs: list[TokenRow]


class Logprobs(TypedDict):
    content: list[ChosenToken]
    refusal: None


class FunctionCall(TypedDict):
    name: str
    arguments: str


class ToolCall(TypedDict):
    id: str
    type: Literal["function"]
    function: FunctionCall


class FunctionPart(TypedDict):
    name: NotRequired[str]
    arguments: str


class ToolCallPart(TypedDict):
    index: int
    id: NotRequired[str]
    type: NotRequired[Literal["function"]]
    function: FunctionPart


class ChatMessage(TypedDict):
    role: Literal["assistant"]
    content: str | None
    refusal: None
    tool_calls: NotRequired[list[ToolCall]]


class Delta(TypedDict, total=False):
    role: Literal["assistant"]
    content: str | None
    tool_calls: list[ToolCallPart]


class ChatChoice(TypedDict):
    index: int
    message: ChatMessage
    logprobs: Logprobs | None
    finish_reason: Finish


class ChatPart(TypedDict):
    index: int
    delta: Delta
    logprobs: Logprobs | None
    finish_reason: Finish | None


class Draft(TypedDict):
    """Mercury's: the whole text so far, and the share of it that is decided."""

    diffusion_content: str
    diffusion_progress: float


class ChatAnswer(TypedDict):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    system_fingerprint: str
    choices: list[ChatChoice]
    usage: Usage


class ChatChunk(TypedDict):
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    system_fingerprint: str
    choices: list[ChatPart]
    usage: NotRequired[Usage | None]
    diffusion_meta: NotRequired[Draft]
    x_frame: NotRequired[dict[str, Any] | None]


class TextLogprobs(TypedDict):
    tokens: list[str]
    token_logprobs: list[float]
    top_logprobs: list[dict[str, float]]
    text_offset: list[int]


class TextChoice(TypedDict):
    index: int
    text: str
    logprobs: TextLogprobs | None
    finish_reason: Finish | None


class Text(TypedDict):
    id: str
    object: Literal["text_completion"]
    created: int
    model: str
    system_fingerprint: str
    choices: list[TextChoice]
    usage: NotRequired[Usage | None]
    diffusion_meta: NotRequired[Draft]
    x_frame: NotRequired[dict[str, Any] | None]


class Fault(TypedDict):
    message: str
    type: str
    param: str | None
    code: str | None


class Wrong(TypedDict):
    """Every error: four keys, always."""

    error: Fault


def model(name: str, created: int, card: Card | None) -> Model:
    """A model as /v1/models lists it; what only an opened one knows is left out until it is."""
    row: Model = {"id": name, "object": "model", "created": created, "owned_by": "unmask"}
    if card is not None:
        row["max_model_len"] = card.longest
        row["x_card"] = {"causal": card.causal, "chat": card.chat, "tools": card.tools, "words": card.words}
    return row


class Openai(Shape):
    """What chat and completions share."""

    whole_object = chunk_object = ""
    end = b"data: [DONE]\n\n"

    def __init__(self, body: Body, *about: Any) -> None:
        super().__init__(body.model, *about)
        self.body, self.candidates = body, body.candidates
        self._previous: dict[int, Progress] = {}

    def whole(self, answers: Sequence[Progress]) -> Row:
        choices = [self.choice(i, progress) for i, progress in enumerate(answers)]
        return self.head(self.whole_object) | {"choices": choices, "usage": self.usage(answers)}

    def first(self) -> Iterator[Named]:
        return iter(())

    def last(self, answers: Sequence[Progress]) -> Iterator[Named]:
        if self.body.counts:
            yield "", self.head(self.chunk_object) | {"choices": [], "usage": self.usage(answers)}

    def usage(self, answers: Sequence[Progress]) -> Usage:
        tokens = self.tokens(answers)
        diffusion: Any = self.diffusion(answers)
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": self.prompt_tokens + tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached},
            "x_diffusion": diffusion,
        }

    def head(self, kind: str) -> Row:
        row: Row = {"id": self.id, "object": kind, "created": self.created, "model": self.model}
        return row | {"system_fingerprint": self.fingerprint}

    def chunk(self, choice: ChatPart | TextChoice) -> Row:
        return self.head(self.chunk_object) | {"choices": [choice]} | ({"usage": None} if self.body.counts else {})

    def drafted(self, row: Row, text: str, progress: Progress) -> Row:
        return row | {"diffusion_meta": self.meta(text, progress), "x_frame": self.frame(progress)}

    def fresh(self, which: int, progress: Progress) -> tuple[Progress, Sequence[TokenLogprob]]:
        """Where the answer stood before, and the probabilities that have come since."""
        before = self._previous.get(which, Progress(0, "", (), ()))
        self._previous[which] = progress
        return before, progress.logprobs[len(before.logprobs) :]

    def choice(self, which: int, progress: Progress) -> Any:
        """One whole answer."""
        raise NotImplementedError


class Chatting(Openai):
    """chat.completion"""

    whole_object, chunk_object, prefix = "chat.completion", "chat.completion.chunk", "chatcmpl-"

    def first(self) -> Iterator[Named]:
        for which in range(self.body.n or 1):
            yield "", self._part(which, {"role": "assistant", "content": None if self.structure.only else ""})

    def chunks(self, which: int, answer: Answer, progress: Progress) -> Iterator[Named]:
        before, logprobs = self.fresh(which, progress)
        if self.body.diffusing:  # each chunk holds the whole answer and replaces the last
            text = answer.draft(progress)
            drafted = self.structure.reading(text)
            delta = self._delta(which, Reading(), drafted, whole=True)
            text = text if self.structure.tools else drafted.content
            yield "", self.drafted(self._part(which, delta, logprobs), text, progress)
        else:
            delta = self._delta(which, self.reading(before), self.reading(progress))
            if delta or logprobs:
                yield "", self._part(which, delta, logprobs)
        if progress.finish is not None:
            yield "", self._part(which, {}, finish=self._finish(progress))

    def choice(self, which: int, progress: Progress) -> ChatChoice:
        reading = self.reading(progress)
        message: ChatMessage = {"role": "assistant", "content": reading.content, "refusal": None}
        if reading.calls:
            message["content"] = reading.content or None
            message["tool_calls"] = [
                {
                    "id": self.call_id(which, i),
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for i, call in enumerate(reading.calls)
            ]
        logprobs = self._logprobs(progress.logprobs)
        return {"index": which, "message": message, "logprobs": logprobs, "finish_reason": self._finish(progress)}

    def _finish(self, progress: Progress) -> Finish:
        if progress.finish == "length":
            return "length"
        return "tool_calls" if self.reading(progress).calls else "stop"

    def _delta(self, which: int, before: Reading, now: Reading, whole: bool = False) -> Delta:
        """What of an answer was not read before."""
        delta: Delta = {}
        if now.content != before.content or (whole and not self.structure.tools):
            delta["content"] = now.content[len(before.content) :]
        parts: list[ToolCallPart] = []
        for i, call in enumerate(now.calls):
            known = len(before.calls[i].arguments) if i < len(before.calls) else -1
            if known < 0:
                function: FunctionPart = {"name": call.name, "arguments": call.arguments}
                parts.append({"index": i, "id": self.call_id(which, i), "type": "function", "function": function})
            elif len(call.arguments) > known:
                parts.append({"index": i, "function": {"arguments": call.arguments[known:]}})
        if parts:
            delta["tool_calls"] = parts
        return delta

    def _part(
        self, which: int, delta: Delta, logprobs: Sequence[TokenLogprob] = (), finish: Finish | None = None
    ) -> Row:
        rows = self._logprobs(logprobs) if logprobs else None
        return self.chunk({"index": which, "delta": delta, "logprobs": rows, "finish_reason": finish})

    def _logprobs(self, logprobs: Sequence[TokenLogprob]) -> Logprobs | None:
        if self.candidates is None:
            return None
        rows: list[ChosenToken] = [
            {**self._row(s.token, s.logprob), "top_logprobs": [self._row(t, p) for t, p in s.others]} for s in logprobs
        ]
        return {"content": rows, "refusal": None}

    def _row(self, token: int, logprob: float) -> TokenRow:
        piece = self.denoiser.speller.piece(token)
        return {"token": piece, "logprob": logprob, "bytes": list(piece.encode("utf-8", "replace"))}


class Completing(Openai):
    """text_completion; with `echo` the prompt stands before the answer, with `best_of` only the likeliest are told."""

    whole_object, chunk_object, prefix = "text_completion", "text_completion", "cmpl-"

    def __init__(self, body: Body, *about: Any, prompts: Sequence[Sequence[int]] = (), keep: int = 0) -> None:
        super().__init__(body, *about)
        self.echoed = prompts  # one for each answer, where they are to be repeated
        self.keep = keep  # of so many answers to each prompt
        self.best = getattr(body, "best_of", None) or 0
        if self.best > self.keep > 0 and self.candidates is None:
            self.candidates = 0  # their probabilities decide

    def whole(self, answers: Sequence[Progress]) -> Row:
        if not self.best > self.keep > 0:
            return super().whole(answers)
        chosen: list[int] = []
        for at in range(0, len(answers), self.best):
            order = sorted(range(at, at + self.best), key=lambda i: -_likely(answers[i]))
            chosen += order[: self.keep]
        choices = [self.choice(i, answers[which], which) for i, which in enumerate(chosen)]
        return self.head(self.whole_object) | {"choices": choices, "usage": self.usage(answers)}

    def first(self) -> Iterator[Named]:
        for which, prompt in enumerate(self.echoed):
            yield "", self._part(which, self._echo(prompt), (), 0)

    def chunks(self, which: int, answer: Answer, progress: Progress) -> Iterator[Named]:
        before, logprobs = self.fresh(which, progress)
        offset = len(self._echo(self.echoed[which])) if self.echoed else 0
        if self.body.diffusing:
            text = answer.draft(progress)
            yield "", self.drafted(self._part(which, text, logprobs, offset + len(before.text)), text, progress)
        elif progress.text != before.text or len(progress.tokens) != len(before.tokens):
            text = progress.text[len(before.text) :]
            yield "", self._part(which, text, logprobs, offset + len(before.text))
        if progress.finish is not None:
            yield "", self._part(which, "", (), 0, progress.finish)

    def choice(self, which: int, progress: Progress, source: int | None = None) -> TextChoice:
        text = self._echo(self.echoed[which if source is None else source]) if self.echoed else ""
        own = self._logprobs(progress.logprobs, len(text)) if self.body.candidates is not None else None
        finish: Any = progress.finish
        return {"index": which, "text": text + progress.text, "logprobs": own, "finish_reason": finish}

    def _part(self, which: int, text: str, logprobs: Sequence[TokenLogprob], offset: int, finish: Any = None) -> Row:
        rows = self._logprobs(logprobs, offset) if logprobs and self.body.candidates is not None else None
        return self.chunk({"index": which, "text": text, "logprobs": rows, "finish_reason": finish})

    def _echo(self, prompt: Sequence[int]) -> str:
        """The prompt again; how likely its words were nobody asked the model, so `logprobs` are of the answer alone."""
        return self.denoiser.speller.decode(list(prompt))

    def _logprobs(self, logprobs: Sequence[TokenLogprob], offset: int) -> TextLogprobs:
        piece = self.denoiser.speller.piece
        pieces = [piece(s.token) for s in logprobs]
        return {
            "tokens": pieces,
            "token_logprobs": [s.logprob for s in logprobs],
            "top_logprobs": [{piece(t): p for t, p in s.others} for s in logprobs],
            "text_offset": _offsets(pieces, offset),
        }


def _offsets(pieces: Sequence[str], offset: int) -> list[int]:
    return [offset + sum(map(len, pieces[:i])) for i in range(len(pieces))]


def _likely(progress: Progress) -> float:
    """How likely an answer is, word for word."""
    rows = progress.logprobs
    return sum(row.logprob for row in rows) / len(rows) if rows else float("-inf")
