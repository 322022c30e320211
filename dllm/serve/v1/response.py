"""The types of OpenAI's answers, and the base class of the chat and completion formats.

The OpenAPI document is made from these types. Answers are plain dicts, checked by mypy and not at run time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from unmask.canvas import Card
from unmask.decide import get_policy
from unmask.run.spec import RunSpec
from unmask.serve.answer import AnswerProgress, TokenLogprob
from unmask.serve.v1.api_format import ApiFormat, Named, Row
from unmask.serve.v1.canvas import SPELLED, mask_token, served_width
from unmask.serve.v1.request import CANDIDATES, Body

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


class PredictedTokens(TypedDict):
    accepted_prediction_tokens: int
    rejected_prediction_tokens: int


class Diffusion(TypedDict):
    """Figures that only a diffusion model has."""

    passes: int
    tokens_per_pass: float
    seed: int  # reproduces this answer
    forwards: NotRequired[int]  # with a prediction: a pass that was read along with an earlier one takes none
    dropped_messages: NotRequired[int]
    note: NotRequired[str]  # about a prompt that is unlike the model's training texts


class Usage(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: CachedTokens
    completion_tokens_details: NotRequired[PredictedTokens]
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
    """Mercury's `diffusion_meta`: the whole text so far, and the share of it that is decided."""

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
    token_logprobs: list[float | None]
    top_logprobs: list[dict[str, float] | None]
    text_offset: list[int]


class TextChoice(TypedDict):
    index: int
    text: str
    logprobs: TextLogprobs | None
    finish_reason: Finish | None


class TextCompletion(TypedDict):
    id: str
    object: Literal["text_completion"]
    created: int
    model: str
    system_fingerprint: str
    choices: list[TextChoice]
    usage: NotRequired[Usage | None]
    diffusion_meta: NotRequired[Draft]
    x_frame: NotRequired[dict[str, Any] | None]


class ErrorDetail(TypedDict):
    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(TypedDict):
    """The body of every error."""

    error: ErrorDetail


def model(name: str, created: int, card: Card | None) -> Model:
    """A model as /v1/models lists it; fields that need its card are left out until it is open."""
    row: Model = {"id": name, "object": "model", "created": created, "owned_by": "unmask"}
    if card is not None:
        row["max_model_len"] = card.longest
        row["x_card"] = {"causal": card.causal, "chat": card.chat, "tools": card.tools, "words": card.words}
        if not card.causal:
            about = {"canvas_length": served_width(card.longest), "max_logprobs": CANDIDATES, "noise": card.noise}
            row["x_card"] |= {**about, "mask_token_id": mask_token(card), "preset": _readable_preset(card)}
            row["x_card"] |= {
                name: getattr(card, name) for name in ("ends", "never", "expand", "skips", "titles", "knows", "spaced")
            }
    return row


def _readable_preset(card: Card) -> dict[str, Any]:
    """The card's decoder, if a client can run it that only reads canvases; else one that writes what is sure."""
    needs = get_policy(RunSpec().settings(card, 1).policy).needs
    preset = dict(card.preset)
    return preset | {"preset": "fast-dllm"} if needs.verify or needs.shadow else preset


class OpenAIFormat(ApiFormat):
    """Base class of the chat and completion formats."""

    whole_object = chunk_object = ""
    end = b"data: [DONE]\n\n"

    def __init__(self, body: Body, *about: Any) -> None:
        super().__init__(body.model, *about)
        self.body, self.candidates, self.drafts = body, body.candidates, bool(body.diffusing)
        self._previous: dict[int, AnswerProgress] = {}

    def spelled(self, token: int) -> str:
        """A token as its log probability names it."""
        by_id = getattr(self.body, "return_tokens_as_token_ids", None)
        return SPELLED.format(token) if by_id else self.denoiser.tokenizer.piece(token)

    def whole(self, answers: Sequence[AnswerProgress]) -> Row:
        choices = [self.choice(i, progress) for i, progress in enumerate(answers)]
        return self.head(self.whole_object) | {"choices": choices, "usage": self.usage(answers)}

    def first(self) -> Iterator[Named]:
        return iter(())

    def last(self, answers: Sequence[AnswerProgress]) -> Iterator[Named]:
        if self.body.counts:
            yield "", self.head(self.chunk_object) | {"choices": [], "usage": self.usage(answers)}

    def usage(self, answers: Sequence[AnswerProgress]) -> Usage:
        tokens = self.tokens(answers)
        diffusion: Any = self.diffusion(answers)
        usage: Usage = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": self.prompt_tokens + tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached},
            "x_diffusion": diffusion,
        }
        if self.predicted is not None:
            accepted, rejected = self.predicted.counts(answers[0].tokens)
            usage["completion_tokens_details"] = {
                "accepted_prediction_tokens": accepted,
                "rejected_prediction_tokens": rejected,
            }
        return usage

    def head(self, kind: str) -> Row:
        row: Row = {"id": self.id, "object": kind, "created": self.created, "model": self.model}
        return row | {"system_fingerprint": self.fingerprint}

    def chunk(self, choice: ChatPart | TextChoice) -> Row:
        return self.head(self.chunk_object) | {"choices": [choice]} | ({"usage": None} if self.body.counts else {})

    def drafted(self, row: Row, text: str, progress: AnswerProgress) -> Row:
        return row | {"diffusion_meta": self.meta(text, progress), "x_frame": self.frame(progress)}

    def fresh(self, which: int, progress: AnswerProgress) -> tuple[AnswerProgress, Sequence[TokenLogprob]]:
        """The previous progress of an answer, and the log probabilities that are new since."""
        before = self._previous.get(which, AnswerProgress(0, "", (), ()))
        self._previous[which] = progress
        return before, progress.logprobs[len(before.logprobs) :]

    @abstractmethod
    def choice(self, which: int, progress: AnswerProgress) -> Any:
        """One complete answer."""
