"""Base class of the answer formats: an answer as one JSON body, and as the events of a stream."""

from __future__ import annotations

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from unmask.models import Denoiser
from unmask.run.codec import width_for
from unmask.run.event import Stepped, event_to_dict
from unmask.serve.answer import Answer, AnswerProgress
from unmask.serve.api_error import ApiError
from unmask.serve.v1.calls import ParsedAnswer
from unmask.serve.v1.prediction import PredictedText
from unmask.serve.v1.structure import Structure

Row = dict[str, Any]
Named = tuple[str, Row]  # an event with its name


class ApiFormat(ABC):
    """Formats the answers to one request for one API."""

    prefix = ""
    end = b""  # the last bytes of a stream
    candidates: int | None = None  # alternatives reported for each token; None: no log probabilities
    note: str = ""  # about a prompt that is unlike the model's training texts, or an answer that makes little sense
    predicted: PredictedText | None = None
    drafts: bool = False  # whether guesses are shown for all open cells, also for those after the present block

    def __init__(
        self,
        model: str,
        denoiser: Denoiser,
        structure: Structure,
        prompt_tokens: int,
        seed: int,
        dropped: int = 0,
        cached: int = 0,
    ) -> None:
        self.model, self.denoiser, self.structure, self.seed = model, denoiser, structure, seed
        self.prompt_tokens, self.dropped, self.cached = prompt_tokens, dropped, cached
        self.id, self.created = self.prefix + secrets.token_urlsafe(18), int(time.time())
        self._sent: set[int] = set()  # tokens whose text was sent
        self._ids: dict[tuple[int, int], str] = {}

    @abstractmethod
    def whole(self, answers: Sequence[AnswerProgress]) -> Row:
        """The complete answer as one body."""

    @abstractmethod
    def first(self) -> Iterator[Named]:
        """The events before the first pass."""

    @abstractmethod
    def chunks(self, which: int, answer: Answer, progress: AnswerProgress) -> Iterator[Named]:
        """The events of one pass."""

    @abstractmethod
    def last(self, answers: Sequence[AnswerProgress]) -> Iterator[Named]:
        """The events after the last pass."""

    def error(self, error: ApiError) -> Named:
        """The event for an error after the stream has begun."""
        return "", error.plain()

    def reading(self, progress: AnswerProgress) -> ParsedAnswer:
        return self.structure.reading(progress.text)

    def call_id(self, which: int, number: int) -> str:
        """The id of a tool call, which the tool's result repeats."""
        return self._ids.setdefault((which, number), f"call_{secrets.token_urlsafe(12)}")

    def tokens(self, answers: Sequence[AnswerProgress]) -> int:
        return sum(len(progress.tokens) for progress in answers)

    def diffusion(self, answers: Sequence[AnswerProgress]) -> Row:
        """Figures that only a diffusion model has."""
        passes, tokens = sum(progress.passes for progress in answers), self.tokens(answers)
        row: Row = {"passes": passes, "tokens_per_pass": round(tokens / passes, 4) if passes else 0.0}
        row["seed"] = self.seed
        row |= {"forwards": sum(progress.forwards for progress in answers)} if self.predicted else {}
        row |= {"dropped_messages": self.dropped} if self.dropped else {}
        return row | ({"note": self.note} if self.note else {})

    @property
    def fingerprint(self) -> str:
        return f"fp_{self.denoiser.card.weights[:12]}"

    def meta(self, text: str, progress: AnswerProgress) -> Row:
        """Mercury's `diffusion_meta`: the whole text so far, and the share of it that is decided."""
        canvas = progress.canvas
        if canvas is None or progress.finish is not None:
            return {"diffusion_content": text, "diffusion_progress": 1.0}
        decided = int((canvas.answer & ~canvas.open).sum())
        return {"diffusion_content": text, "diffusion_progress": round(decided / max(int(canvas.answer.sum()), 1), 4)}

    def frame(self, progress: AnswerProgress) -> Row | None:
        """A frame as on the WebSocket; each token's text is sent once."""
        if progress.frame is None:
            return None
        event = Stepped(progress.passes, progress.frame, *progress.times)
        row = event_to_dict(event, width_for(self.denoiser.card.words), whole=False)
        seen = {*progress.frame.tokens.tolist(), *progress.frame.guess.tolist()} - self._sent
        fresh = sorted(t for t in seen if t >= 0)
        self._sent.update(fresh)
        return row | {"pieces": {str(t): self.denoiser.tokenizer.piece(t) for t in fresh}}
