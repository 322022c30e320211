"""What a caller may ask of /v1: each field with its range. What would be a lie to accept is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dllm.serve.errors import ApiError, unsupported

CANDIDATES = 5  # kept for every token, so more of them cannot be told
MOST_CHOICES, MOST_PROMPTS, MOST_STOPS = 16, 16, 16

Whole = Annotated[int, Field(strict=True)]
Stop = Annotated[str, Field(min_length=1, max_length=256)]
Anything = Annotated[Any, Field(description="Ignored: it changes nothing about the answer.")]


class Body(BaseModel):
    """Fields that both kinds of request share."""

    model_config = ConfigDict(extra="forbid", strict=True)

    model: Annotated[str, Field(min_length=1, max_length=256, description="One of /v1/models.")]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=MOST_CHOICES)] | None = 1
    stop: Stop | Annotated[list[Stop], Field(max_length=MOST_STOPS)] | None = None
    seed: Annotated[int, Field(ge=-(2**63), le=2**63 - 1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    logit_bias: Annotated[dict[str, Annotated[float, Field(ge=-100, le=100)]], Field(max_length=1024)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=65_536, description="The length of the canvas.")] | None = None

    passes: Annotated[int, Field(ge=1, le=4096, description="Ours: how often the canvas is refined.")] | None = None
    block_length: (
        Annotated[int, Field(ge=0, le=65_536, description="Ours: cells in a block; 0 is the whole answer.")] | None
    ) = None
    policy: Annotated[str, Field(max_length=64, description="Ours: the rule that says where to write next.")] | None = (
        None
    )
    policy_options: (
        Annotated[dict[str, float | str], Field(max_length=32, description="Ours: the policy's knobs.")] | None
    ) = None
    preset: Annotated[str, Field(max_length=64, description="Ours: a published decoder by name.")] | None = None
    diffusing: (
        Annotated[bool, Field(description="Ours and Mercury's: each chunk replaces the last with the whole text.")]
        | None
    ) = False

    user: Anything = None
    metadata: Anything = None
    store: Anything = None
    service_tier: Anything = None
    safety_identifier: Anything = None
    prompt_cache_key: Anything = None
    prompt_cache_retention: Anything = None

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    @property
    def length(self) -> int | None:
        return self.max_tokens

    @property
    def candidates(self) -> int | None:
        """How many candidates a token is told with; None where nobody asked for probabilities."""
        return None


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    include_usage: bool | None = False


class Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    type: Literal["text"]
    text: str


class Message(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | Annotated[list[Part], Field(max_length=256)] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class Chat(Body):
    """POST /v1/chat/completions"""

    messages: Annotated[list[Message], Field(min_length=1, max_length=1024)]
    max_completion_tokens: Annotated[int, Field(ge=1, le=65_536)] | None = None
    logprobs: bool | None = False
    top_logprobs: Annotated[int, Field(ge=0, le=CANDIDATES)] | None = None

    @property
    def length(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens

    @property
    def candidates(self) -> int | None:
        return (self.top_logprobs or 0) if self.logprobs else None


class Completion(Body):
    """POST /v1/completions, and its alias /v1/fim/completions"""

    prompt: (
        str
        | Annotated[list[str], Field(min_length=1, max_length=MOST_PROMPTS)]
        | Annotated[list[Whole], Field(min_length=1, max_length=65_536)]
    ) = ""
    suffix: Annotated[str, Field(description="Infill: prompt and suffix are fixed, the middle is written.")] | None = (
        None
    )
    logprobs: Annotated[int, Field(ge=0, le=CANDIDATES)] | None = None

    @property
    def candidates(self) -> int | None:
        return self.logprobs

    @property
    def prompts(self) -> list[str | list[int]]:
        if isinstance(self.prompt, str):
            return [self.prompt]
        if isinstance(self.prompt[0], int):
            return [[t for t in self.prompt if isinstance(t, int)]]
        return [p for p in self.prompt if isinstance(p, str)]


# What would be a lie to accept: the values that ask for nothing, and why anything else cannot be had.
REFUSED: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "tools": ((None, []), "these models call no tools"),
    "tool_choice": ((None, "none", "auto"), "these models call no tools"),
    "parallel_tool_calls": ((None, True, False), "these models call no tools"),
    "functions": ((None, []), "these models call no functions"),
    "function_call": ((None, "none", "auto"), "these models call no functions"),
    "response_format": ((None, {"type": "text"}), "only text can be promised; no grammar constrains the canvas yet"),
    "presence_penalty": ((None, 0), "use logit_bias to discourage a token"),
    "frequency_penalty": ((None, 0), "use logit_bias to discourage a token"),
    "modalities": ((None, ["text"]), "these models write text"),
    "audio": ((None,), "these models write text"),
    "prediction": ((None,), "a predicted answer would not be used"),
    "reasoning_effort": ((None, "none"), "these models write no hidden reasoning"),
    "verbosity": ((None, "medium"), "say a length with max_completion_tokens"),
    "web_search_options": ((None,), "these models search nothing"),
    "best_of": ((None, 1), "ask for n answers and choose"),
    "echo": ((None, False), "the answer alone is returned"),
}

B = TypeVar("B", bound=Body)


def parse(kind: type[B], body: Mapping[str, Any]) -> B:
    """The request in a body, or the first thing that is wrong with it, by name."""
    for name, (harmless, why) in REFUSED.items():
        if name in body and not any(_same(body[name], value) for value in harmless):
            raise unsupported(name, why)
    fields = {name: value for name, value in body.items() if name not in REFUSED}
    if fields.get("logprobs") is not True and fields.get("top_logprobs") and "logprobs" in kind.model_fields:
        raise ApiError(400, "top_logprobs needs logprobs to be true", "top_logprobs", "invalid_value")
    try:
        request = kind.model_validate(fields)
    except ValidationError as error:
        raise _first(error) from None
    if request.diffusing and not request.stream:
        raise ApiError(400, "diffusing needs stream to be true: it shows the text as it is refined", "diffusing")
    if request.stream_options is not None and not request.stream:
        raise ApiError(400, "stream_options needs stream to be true", "stream_options", "invalid_value")
    return request


def _same(fields: Any, value: Any) -> bool:
    return bool(fields == value) and (isinstance(fields, bool) == isinstance(value, bool))


def _first(error: ValidationError) -> ApiError:
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    names = [str(part) for part in found["loc"] if isinstance(part, int) or str(part).isidentifier()]
    top = str(found["loc"][0]) if found["loc"] else ""
    where = ".".join(n for n in names if n not in ("str", "int", "float", "bool")) or top
    match found["type"]:
        case "missing":
            return ApiError(400, f"{where} is missing", where, "missing_required_parameter")
        case "extra_forbidden":
            return ApiError(400, f"{top} is not a parameter here", top[:256], "unknown_parameter")
        case _:
            reason = str(found["msg"])
            return ApiError(400, f"{where}: {reason[0].lower()}{reason[1:]}", where[:256], "invalid_value")
