"""OpenAI's `prediction`: what an answer will probably be.

A model that writes from left to right reads it along, and the text is the one that it writes without. For a denoiser it
is a draft to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from unmask.errors import InvalidRequest
from unmask.inference.draft import opening
from unmask.inference.follower import Follower
from unmask.inference.predicted import Predicted
from unmask.live.device import Client
from unmask.models import Denoiser
from unmask.run.edit import apply
from unmask.run.state import State
from unmask.serve.api_error import ApiError, unsupported
from unmask.serve.runtime import CHARS_PER_CELL, Runtime
from unmask.serve.v1.request import Chat
from unmask.serve.v1.structure import Structure


@dataclass(frozen=True)
class PredictedText:
    """A predicted answer as tokens: as it is, and with a space before it."""

    denoiser: Denoiser
    text: str
    tokens: tuple[int, ...]
    spaced: tuple[int, ...]

    @property
    def draft(self) -> str | None:
        """The text that a denoiser begins with; None for a model that reads it along."""
        if self.denoiser.reads_along:
            return None
        spaced = not self.denoiser.tokenizer.chat and not self.text[:1].isspace()
        return f" {self.text}" if spaced else self.text

    def counts(self, answer: Sequence[int]) -> tuple[int, int]:
        """How many of its tokens are in the answer, in their order, and how many are not."""
        follower = self.follower()
        follower.follow(answer)
        return len(follower.agreed), len(follower.text) - len(follower.agreed)

    def follower(self) -> Follower:
        return Follower(self.tokens, self.spaced)

    async def begun(self, runtime: Runtime, state: State, who: str) -> tuple[Denoiser, State]:
        """The model of the passes and the first state, for an answer that uses it."""
        settings = state.settings
        if self.denoiser.reads_along:
            drawn = bool(settings.temperature or settings.temperature_end or any(settings.heats))
            return Predicted(self.denoiser, self.follower(), drafts=not drawn), state
        state = await runtime.device_for(self.denoiser).run(
            partial(_opened, self.denoiser, state), Client("questions", visitor=who)
        )
        return self.denoiser, state


def _opened(denoiser: Denoiser, state: State) -> State:
    """The state with the words of the draft open that the model doubts most."""
    try:
        edit = opening(denoiser, state)
    except InvalidRequest as refused:
        raise unsupported("prediction", str(refused)) from None
    return state if edit is None else apply(state, edit, denoiser.card.words)


def check_prediction(body: Chat) -> None:
    """Refuse what does not go together with a prediction."""
    if body.prediction is None:
        return
    beside = {
        "n": (body.n or 1) > 1,
        "tools": bool(body.tools),
        "logprobs": bool(body.logprobs),
        "vllm_xargs": body.reads_canvas,
    }
    for name in (name for name, given in beside.items() if given):
        why = f"prediction is for one answer of plain text: leave out {name}, or the prediction"
        raise ApiError(400, why, "prediction", "invalid_value")


def predicted_text(denoiser: Denoiser, body: Chat, given: int, wanted: Structure) -> PredictedText | None:
    """The prediction of a request after a prompt of `given` tokens, if it has one that this model can use."""
    check_prediction(body)
    if body.prediction is None:
        return None
    text, card = body.prediction.text, denoiser.card
    if not text:
        raise ApiError(400, "prediction is empty: leave it out", "prediction", "invalid_value")
    if not denoiser.reads_along and (card.causal or denoiser.remote):
        raise unsupported("prediction", "this model is on another machine or engine, which reads no text along")
    if not denoiser.reads_along and wanted.constraint:
        why = f"for this model it is a draft, which cannot begin under a rule: leave it out, or {wanted.parameter}"
        raise unsupported("prediction", why)
    long = f"prompt and prediction are longer than the {card.longest} tokens that this model sees"
    if len(text) > CHARS_PER_CELL * card.longest:
        raise ApiError(400, long, "prediction", "invalid_value")
    try:
        tokens, spaced = (tuple(denoiser.tokenizer.encode(form)) for form in (text, f" {text}"))
    except InvalidRequest as refused:
        raise ApiError(400, f"prediction: {refused}", "prediction", "invalid_value") from None
    if given + len(spaced) > card.longest:
        raise ApiError(400, long, "prediction", "invalid_value")
    return PredictedText(denoiser, text, tokens, spaced)
