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
            rows = self._logprobs(logprobs, progress, len(before.tokens)) if logprobs else None
            yield "", self.drafted(self._part(which, delta, rows), text, progress)
        else:
            delta = self._delta(which, self.reading(before), self.reading(progress))
            if delta or logprobs:
                rows = self._logprobs(logprobs, progress, len(before.tokens)) if logprobs else None
                yield "", self._part(which, delta, rows)
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
        logprobs = self._logprobs(progress.logprobs, progress)
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

    def _part(self, which: int, delta: Delta, rows: Logprobs | None = None, finish: Finish | None = None) -> Row:
        return self.chunk({"index": which, "delta": delta, "logprobs": rows, "finish_reason": finish})

    def _logprobs(self, logprobs: Sequence[TokenLogprob], progress: AnswerProgress, first: int = 0) -> Logprobs | None:
        """The rows of tokens from number `first` on; their joined texts are the content, after a leading space."""
        if self.candidates is None:
            return None
        begins, ends = self._content(progress)
        at = sum(len(self._piece(token)) for token in progress.tokens[:first])
        rows: list[ChosenToken] = []
        for s in logprobs:
            piece = self._piece(s.token)
            shown = piece[: max(ends - at, 0)] if at + len(piece) > begins else ""  # its leading space is its own
            at += len(piece)
            if shown or not piece:
                others = [self._row(self._piece(t), p, t) for t, p in s.others]
                rows.append({**self._row(shown, s.logprob, s.token), "top_logprobs": others})
        return {"content": rows, "refusal": None}

    def _content(self, progress: AnswerProgress) -> tuple[int, int]:
        """Where the content begins and ends in the joined texts of the tokens."""
        reading, joined = self.reading(progress), "".join(map(self._piece, progress.tokens))
        begins = -1 if reading.calls or not reading.content else joined.find(reading.content)
        return (begins, begins + len(reading.content)) if begins >= 0 else (0, len(joined))

    def _piece(self, token: int) -> str:
        return self.denoiser.tokenizer.piece(token)

    def _row(self, piece: str, logprob: float, token: int) -> TokenRow:
        by_id = getattr(self.body, "return_tokens_as_token_ids", None)
        name = self.spelled(token) if by_id else piece
        return {"token": name, "logprob": logprob, "bytes": list(piece.encode("utf-8", "replace"))}
