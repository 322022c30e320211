"""OpenAI's completion format: a complete answer, chunks that append, and chunks that replace the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unmask.inference.prompt_logprobs import Scored
from unmask.serve.answer import Answer, AnswerProgress, TokenLogprob
from unmask.serve.v1.api_format import Named, Row
from unmask.serve.v1.request import Body
from unmask.serve.v1.response import OpenAIFormat, TextChoice, TextLogprobs


class CompletionFormat(OpenAIFormat):
    """text_completion; with `echo` the prompt precedes the answer, with `best_of` only the likeliest are sent."""

    whole_object, chunk_object, prefix = "text_completion", "text_completion", "cmpl-"

    def __init__(
        self,
        body: Body,
        *about: Any,
        prompts: Sequence[Sequence[int]] = (),
        keep: int = 0,
        scores: Sequence[Sequence[Scored]] = (),
    ) -> None:
        super().__init__(body, *about)
        self.scores = scores  # log probabilities of the echoed prompts, if they are requested
        self.echoed = prompts  # one for each answer if `echo` is set, else empty
        self.keep = keep  # answers to send for each prompt
        self.best = getattr(body, "best_of", None) or 0
        if self.best > self.keep > 0 and self.candidates is None:
            self.candidates = 0  # log probabilities are needed to choose

    def whole(self, answers: Sequence[AnswerProgress]) -> Row:
        if not self.best > self.keep > 0:
            return super().whole(answers)
        chosen: list[int] = []
        for at in range(0, len(answers), self.best):
            order = sorted(range(at, at + self.best), key=lambda i: -_mean_logprob(answers[i]))
            chosen += order[: self.keep]
        choices = [self.choice(i, answers[which], which) for i, which in enumerate(chosen)]
        return self.head(self.whole_object) | {"choices": choices, "usage": self.usage(answers)}

    def first(self) -> Iterator[Named]:
        for which, prompt in enumerate(self.echoed):
            part = self._part(which, self._echo(prompt), (), 0)
            part["choices"][0]["logprobs"] = self._prompt_logprobs(which)
            yield "", part

    def chunks(self, which: int, answer: Answer, progress: AnswerProgress) -> Iterator[Named]:
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

    def choice(self, which: int, progress: AnswerProgress, source: int | None = None) -> TextChoice:
        source = which if source is None else source
        text = self._echo(self.echoed[source]) if self.echoed else ""
        own = self._logprobs(progress.logprobs, len(text)) if self.body.candidates is not None else None
        if own is not None and (prompt := self._prompt_logprobs(source)) is not None:
            own = {name: [*prompt[name], *own[name]] for name in own}  # type: ignore[assignment, literal-required]
        finish: Any = progress.finish
        return {"index": which, "text": text + progress.text, "logprobs": own, "finish_reason": finish}

    def _part(self, which: int, text: str, logprobs: Sequence[TokenLogprob], offset: int, finish: Any = None) -> Row:
        rows = self._logprobs(logprobs, offset) if logprobs and self.body.candidates is not None else None
        return self.chunk({"index": which, "text": text, "logprobs": rows, "finish_reason": finish})

    def _echo(self, prompt: Sequence[int]) -> str:
        """The prompt's text."""
        return self.denoiser.tokenizer.decode(list(prompt))

    def _prompt_logprobs(self, which: int) -> TextLogprobs | None:
        """Log probabilities of an echoed prompt; its first token has none, as OpenAI reports it."""
        if not self.scores:
            return None
        piece = self.denoiser.tokenizer.piece
        pieces, scores = [piece(token) for token in self.echoed[which]], self.scores[which]
        own: list[float | None] = [None, *(p for p, _ in scores[1:])]
        others: list[dict[str, float] | None] = [None]
        spelled = self.spelled
        others += [{spelled(t): p for t, p in reversed(best)} for _, best in scores[1:]]  # of equal texts, the likelier
        offsets = _offsets(pieces, 0)
        return {
            "tokens": [spelled(token) for token in self.echoed[which]],
            "token_logprobs": own,
            "top_logprobs": others,
            "text_offset": offsets,
        }

    def _logprobs(self, logprobs: Sequence[TokenLogprob], offset: int) -> TextLogprobs:
        piece, spelled = self.denoiser.tokenizer.piece, self.spelled
        pieces = [piece(s.token) for s in logprobs]
        return {
            "tokens": [spelled(s.token) for s in logprobs],
            "token_logprobs": [s.logprob for s in logprobs],
            "top_logprobs": [{spelled(t): p for t, p in s.others} for s in logprobs],
            "text_offset": _offsets(pieces, offset),
        }


def _offsets(pieces: Sequence[str], offset: int) -> list[int]:
    return [offset + sum(map(len, pieces[:i])) for i in range(len(pieces))]


def _mean_logprob(progress: AnswerProgress) -> float:
    """The mean log probability of an answer's tokens."""
    rows = progress.logprobs
    return sum(row.logprob for row in rows) / len(rows) if rows else float("-inf")
