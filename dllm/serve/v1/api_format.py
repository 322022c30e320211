"""One request's answer in somebody's interface: whole, and as the events of a stream."""

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
from unmask.serve.v1.structure import Structure

Row = dict[str, Any]
Named = tuple[str, Row]  # an event with its name


class ApiFormat(ABC):
    """What every interface needs to know of a request, and what it makes of the answers."""

    prefix = ""
    end = b""  # what a stream ends with
    candidates: int | None = None  # how many each token is reported with
    drafts: bool = False  # whether open cells are shown with their guesses, those behind the block too

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
        self._spelled: set[int] = set()
        self._ids: dict[tuple[int, int], str] = {}

    @abstractmethod
    def whole(self, answers: Sequence[AnswerProgress]) -> Row:
        """Everything at once."""

    @abstractmethod
    def first(self) -> Iterator[Named]:
        """What a stream says before the first pass."""

    @abstractmethod
    def chunks(self, which: int, answer: Answer, progress: AnswerProgress) -> Iterator[Named]:
        """What a pass adds to a stream."""

    @abstractmethod
    def last(self, answers: Sequence[AnswerProgress]) -> Iterator[Named]:
        """What a stream says after the last pass."""

    def error(self, error: ApiError) -> Named:
        """An error in the middle of a stream."""
        return "", error.plain()

    def reading(self, progress: AnswerProgress) -> ParsedAnswer:
        return self.structure.reading(progress.text)

    def call_id(self, which: int, number: int) -> str:
        """The name by which a tool's result comes back."""
        return self._ids.setdefault((which, number), f"call_{secrets.token_urlsafe(12)}")

    def tokens(self, answers: Sequence[AnswerProgress]) -> int:
        return sum(len(progress.tokens) for progress in answers)

    def diffusion(self, answers: Sequence[AnswerProgress]) -> Row:
        """What only a diffusion has to say of its work."""
        passes, tokens = sum(progress.passes for progress in answers), self.tokens(answers)
        row: Row = {"passes": passes, "tokens_per_pass": round(tokens / passes, 4) if passes else 0.0}
        row["seed"] = self.seed
        return row | ({"dropped_messages": self.dropped} if self.dropped else {})

    @property
    def fingerprint(self) -> str:
        return f"fp_{self.denoiser.card.weights[:12]}"

    def meta(self, text: str, progress: AnswerProgress) -> Row:
        """Mercury's: the whole text so far, and the share of it that is decided."""
        canvas = progress.canvas
        if canvas is None or progress.finish is not None:
            return {"diffusion_content": text, "diffusion_progress": 1.0}
        decided = int((canvas.answer & ~canvas.open).sum())
        return {"diffusion_content": text, "diffusion_progress": round(decided / max(int(canvas.answer.sum()), 1), 4)}

    def frame(self, progress: AnswerProgress) -> Row | None:
        """Our own frame, as the socket has it; each id's spelling once."""
        if progress.frame is None:
            return None
        event = Stepped(progress.passes, progress.frame, *progress.times)
        row = event_to_dict(event, width_for(self.denoiser.card.words), whole=False)
        seen = {*progress.frame.tokens.tolist(), *progress.frame.guess.tolist()} - self._spelled
        fresh = sorted(t for t in seen if t >= 0)
        self._spelled.update(fresh)
        return row | {"pieces": {str(t): self.denoiser.tokenizer.piece(t) for t in fresh}}
