"""OpenAI's chat format: a complete answer, chunks that append, and chunks that replace the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.serve.answer import Answer, AnswerProgress, TokenLogprob
from unmask.serve.v1.api_format import Named, Row
from unmask.serve.v1.calls import ParsedAnswer
from unmask.serve.v1.response import (
    ChatChoice,
    ChatMessage,
    ChosenToken,
    Delta,
    Finish,
    FunctionPart,
    Logprobs,
    OpenAIFormat,
    TokenRow,
    ToolCallPart,
)


class ChatFormat(OpenAIFormat):
    """chat.completion"""

    whole_object, chunk_object, prefix = "chat.completion", "chat.completion.chunk", "chatcmpl-"

    def first(self) -> Iterator[Named]:
        for which in range(self.body.n or 1):
            yield "", self._part(which, {"role": "assistant", "content": None if self.structure.only else ""})

    def chunks(self, which: int, answer: Answer, progress: AnswerProgress) -> Iterator[Named]:
        before, logprobs = self.fresh(which, progress)
        if self.body.diffusing:  # each chunk holds the whole answer and replaces the last
            text = answer.draft(progress)
            drafted = self.structure.reading(text)
            delta = self._delta(which, ParsedAnswer(), drafted, whole=True)
            text = text if self.structure.tools else drafted.content
            yield "", self.drafted(self._part(which, delta, logprobs), text, progress)
        else:
            delta = self._delta(which, self.reading(before), self.reading(progress))
            if delta or logprobs:
                yield "", self._part(which, delta, logprobs)
        if progress.finish is not None:
            yield "", self._part(which, {}, finish=self._finish(progress))

    def choice(self, which: int, progress: AnswerProgress) -> ChatChoice:
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

    def _finish(self, progress: AnswerProgress) -> Finish:
        if progress.finish == "length":
            return "length"
        return "tool_calls" if self.reading(progress).calls else "stop"

    def _delta(self, which: int, before: ParsedAnswer, now: ParsedAnswer, whole: bool = False) -> Delta:
        """The part of an answer that was not sent before."""
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
        piece = self.denoiser.tokenizer.piece(token)
        return {"token": piece, "logprob": logprob, "bytes": list(piece.encode("utf-8", "replace"))}
