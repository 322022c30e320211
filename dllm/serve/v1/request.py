"""The requests of /v1, from bytes to fields. A parameter that would have no effect is refused, not ignored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from starlette.requests import ClientDisconnect, Request

from unmask.run.settings import SETTINGS
from unmask.serve.api_error import ApiError, unsupported

SLOWEST = 30.0  # seconds in which a body must arrive
CANDIDATES = 20  # most candidates for a token
MOST_CHOICES, MOST_PROMPTS, MOST_STOPS, MOST_TOOLS = 16, 16, 16, 64

Whole = Annotated[int, Field(strict=True)]
Token = Annotated[int, Field(strict=True, ge=0)]
Stop = Annotated[str, Field(min_length=1, max_length=256)]
Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_.-]{1,64}$")]
Anything = Annotated[Any, Field(description="Ignored: it changes nothing about the answer.")]
Effort = Literal["none", "instant", "minimal", "low", "medium", "high", "xhigh"]
Limit = Annotated[int, Field(ge=1, le=2**31 - 1, description="Most tokens of the answer.")]
Schema = Annotated[
    dict[str, Any],
    Field(
        description="A JSON schema: objects, arrays, strings, numbers, enum, const, anyOf and $ref.",
        json_schema_extra={"format": "json-schema"},
    ),
]


async def json_body(request: Request) -> dict[str, Any]:
    """The object in a request's body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ApiError(415, "send the body as application/json", code="unsupported_media_type")
    try:
        async with asyncio.timeout(SLOWEST):
            raw = await request.body()  # its size is limited by the access middleware
    except TimeoutError:
        raise ApiError(408, f"the body did not arrive within {SLOWEST:g} seconds", code="timeout") from None
    except ClientDisconnect:
        raise ApiError(400, "the client disconnected") from None
    try:
        body = orjson.loads(raw)  # refuses NaN, Infinity, bad UTF-8 and deep nesting
    except ValueError:
        raise ApiError(400, "the body is not JSON", code="invalid_json") from None
    if not isinstance(body, dict):
        raise ApiError(400, "the body must be one JSON object", code="invalid_json")
    return body


class Strict(BaseModel):
    """A part of a request in which unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Loose(BaseModel):
    """A part of a request in which unknown fields are ignored, since clients add their own."""

    model_config = ConfigDict(extra="ignore", strict=True, populate_by_name=True)


class Ignoring(Strict):
    """Fields that OpenAI's clients send and that have no effect here."""

    user: Anything = None
    metadata: Anything = None
    store: Anything = None
    service_tier: Anything = None
    safety_identifier: Anything = None
    prompt_cache_key: Anything = None
    prompt_cache_retention: Anything = None


def number_field(name: str, high: float | None = None, low: float | None = None) -> Any:
    """The range of a setting's parameter; `low` and `high` narrow it for another API."""
    each = SETTINGS[name]
    assert each.api is not None and each.range is not None
    (least, most), api = each.range, each.api
    ends = {
        "ge": next(end for end in (low, api.low, least) if end is not None),
        "le": next(end for end in (high, api.high, most) if end is not None),
    }
    limits: dict[str, Any] = ends if each.whole else ends | {"allow_inf_nan": False}
    return Field(**limits, description=api.help or None)


# settings that are numbers, by the name of their parameter
NUMBERS = {each.api.name: each for each in SETTINGS.values() if each.api and each.range}

if TYPE_CHECKING:
    NumberFields = Ignoring
else:
    NumberFields = create_model(
        "NumberFields",
        __base__=Ignoring,
        **{
            api: (Annotated[int if each.whole else float, number_field(each.name)] | None, None)
            for api, each in NUMBERS.items()
        },
    )


class Body(NumberFields):
    """Fields that all kinds of request share."""

    model: Annotated[str, Field(min_length=1, max_length=256, description="One of /v1/models.")]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=MOST_CHOICES)] | None = 1
    stop: Stop | Annotated[list[Stop], Field(max_length=MOST_STOPS)] | None = None
    seed: Annotated[int, Field(ge=-(2**63), le=2**63 - 1)] | None = None
    logit_bias: Annotated[dict[str, Annotated[float, Field(ge=-100, le=100)]], Field(max_length=1024)] | None = None
    max_tokens: Limit | None = None
    min_tokens: Annotated[int, Field(ge=0, le=65_536, description="No end of text before this many tokens.")] | None = (
        None
    )
    ignore_eos: Annotated[bool, Field(description="Do not end before the token limit.")] | None = None
    reasoning_effort: Annotated[Effort, Field(description="How many passes an answer may take.")] | None = None
    realtime: (
        Annotated[bool, Field(description="Short blocks from left to right, so that text arrives early.")] | None
    ) = None

    policy: Annotated[str, Field(max_length=64, description="Ours: the decoding policy, by name.")] | None = None
    policy_options: (
        Annotated[dict[str, float | str], Field(max_length=32, description="Ours: the policy's knobs.")] | None
    ) = None
    preset: Annotated[str, Field(max_length=64, description="Ours: a published decoder by name.")] | None = None
    diffusing: (
        Annotated[bool, Field(description="Ours and Mercury's: each chunk replaces the last with the whole text.")]
        | None
    ) = False

    @property
    def numbers(self) -> dict[str, Any]:
        """The values of the settings that are numbers, by the setting's name, where they are given."""
        given = {api: value for api in NUMBERS if (value := getattr(self, api)) is not None}
        return {NUMBERS[api].name: max(value, NUMBERS[api].low) for api, value in given.items()}

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    @property
    def limit(self) -> int | None:
        """Tokens of the answer, at the most."""
        return self.max_tokens

    @property
    def candidates(self) -> int | None:
        """How many candidates to report for each token; None: no log probabilities."""
        return None

    @property
    def counts(self) -> bool:
        """Whether a stream ends with the usage."""
        return bool(self.stream_options and self.stream_options.include_usage)


class StreamOptions(Loose):
    include_usage: bool | None = False


class Part(Loose):
    """A text part of a message's content."""

    type: Literal["text", "input_text", "output_text"]
    text: str


class CalledFunction(Loose):
    name: Name
    arguments: str


class CalledTool(Loose):
    id: str | None = None
    type: Literal["function"] = "function"
    function: CalledFunction


class Message(Loose):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | Annotated[list[Part], Field(max_length=256)] | None = None
    name: str | None = None
    tool_calls: Annotated[list[CalledTool], Field(max_length=MOST_TOOLS)] | None = None
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class Function(Loose):
    name: Name
    description: str | None = None
    parameters: Schema | None = None
    strict: bool | None = None


class Tool(Loose):
    type: Literal["function"]
    function: Function


class FunctionName(Loose):
    name: Name


class NamedTool(Loose):
    type: Literal["function"]
    function: FunctionName


class AllowedTools(Loose):
    """Some of the tools, of which one may or must be called."""

    mode: Literal["auto", "required"]
    tools: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_TOOLS)]

    @property
    def names(self) -> set[str]:
        return {str(tool.get("name") or (tool.get("function") or {}).get("name")) for tool in self.tools}


class AllowedToolChoice(Loose):
    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools


class TextFormat(Loose):
    type: Literal["text"]


class ObjectFormat(Loose):
    type: Literal["json_object"]


class NamedSchema(Loose):
    name: Name
    description: str | None = None
    wanted: Annotated[Schema | None, Field(alias="schema")] = None
    strict: bool | None = None


class SchemaFormat(Loose):
    type: Literal["json_schema"]
    json_schema: NamedSchema


Format = Annotated[TextFormat | ObjectFormat | SchemaFormat, Field(discriminator="type")]
ToolChoice = Literal["none", "auto", "required"] | NamedTool | AllowedToolChoice


class Chat(Body):
    """POST /v1/chat/completions"""

    messages: Annotated[list[Message], Field(min_length=1, max_length=1024)]
    max_completion_tokens: Limit | None = None
    logprobs: bool | None = False
    top_logprobs: Annotated[int, Field(ge=0, le=CANDIDATES)] | None = None
    response_format: Format | None = None
    tools: Annotated[list[Tool], Field(max_length=MOST_TOOLS)] | None = None
    tool_choice: ToolChoice | None = None
    parallel_tool_calls: bool | None = None

    @property
    def limit(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens

    @property
    def candidates(self) -> int | None:
        return (self.top_logprobs or 0) if self.logprobs else None


class Completion(Body):
    """POST /v1/completions, and its alias /v1/fim/completions"""

    prompt: (
        str
        | Annotated[list[str], Field(min_length=1, max_length=MOST_PROMPTS)]
        | Annotated[list[Token], Field(min_length=1, max_length=65_536)]
        | Annotated[
            list[Annotated[list[Token], Field(min_length=1, max_length=65_536)]],
            Field(min_length=1, max_length=MOST_PROMPTS),
        ]
    ) = ""
    suffix: (
        Annotated[str, Field(description="Text after the gap: the text between prompt and suffix is generated.")] | None
    ) = None
    logprobs: Annotated[int, Field(ge=0, le=CANDIDATES)] | None = None
    echo: Annotated[bool, Field(description="Whether the prompt precedes the answer.")] | None = False
    best_of: (
        Annotated[int, Field(ge=1, le=MOST_CHOICES, description="Generate this many answers and send the likeliest n.")]
        | None
    ) = None

    @property
    def candidates(self) -> int | None:
        return self.logprobs

    @property
    def prompts(self) -> list[str | list[int]]:
        if isinstance(self.prompt, str):
            return [self.prompt]
        tokens = [t for t in self.prompt if isinstance(t, int)]
        return [tokens] if tokens else [p for p in self.prompt if not isinstance(p, int)]


# Parameters that are refused: the values that are accepted because they ask for nothing, and the reason.
REFUSED: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "functions": ((None, []), "use tools instead"),
    "function_call": ((None, "none", "auto"), "use tool_choice instead"),
    "modalities": ((None, ["text"]), "these models write text"),
    "audio": ((None,), "these models write text"),
    "prediction": ((None,), "a predicted answer would not be used"),
    "verbosity": ((None, "medium"), "set a length with max_completion_tokens"),
    "web_search_options": ((None,), "these models cannot search the web"),
}

# parts of a message that are not text
NOT_TEXT = {
    "image_url": "an image", "image": "an image", "input_image": "an image", "input_audio": "audio", "audio": "audio",
    "file": "a file", "input_file": "a file", "document": "a document", "video_url": "a video", "video": "a video",
}  # fmt: skip

B = TypeVar("B", bound=BaseModel)


def parse(kind: type[B], body: Mapping[str, Any], refused: Mapping[str, tuple[tuple[Any, ...], str]] = REFUSED) -> B:
    """The request in a body; an `ApiError` about the first invalid field."""
    for name, (harmless, why) in refused.items():
        if name in body and not any(_same(body[name], value) for value in harmless):
            raise unsupported(name, why)
    fields = {name: _whole(value) for name, value in body.items() if name not in refused}
    check_parts(body.get("messages"))
    try:
        request = kind.model_validate(fields)
    except ValidationError as error:
        raise first_error(error, fields) from None
    if isinstance(request, Chat) and request.top_logprobs and not request.logprobs:
        raise ApiError(400, "top_logprobs needs logprobs to be true", "top_logprobs", "invalid_value")
    return request


def _path(names: Sequence[int | str], body: Any) -> list[str]:
    """The parts of an error's place that are in the body; the others name the types that were tried."""
    path = []
    for i, name in enumerate(names):
        in_list = isinstance(body, list) and isinstance(name, int) and name < len(body)
        if in_list or (isinstance(body, Mapping) and name in body):
            body = body[name]
        elif not (isinstance(body, Mapping | None) and i == len(names) - 1 and str(name).isidentifier()):
            continue  # unless it is a field that is missing
        path.append(str(name))
    return path


def check_parts(messages: Any) -> None:
    """Refuse what is not text in a message, by its name."""
    for i, message in enumerate(messages if isinstance(messages, list) else ()):
        content = message.get("content") if isinstance(message, Mapping) else None
        for j, part in enumerate(content if isinstance(content, list) else ()):
            kind = part.get("type") if isinstance(part, Mapping) else None
            if isinstance(kind, str) and (what := NOT_TEXT.get(kind)):
                where = f"messages.{i}.content.{j}"
                raise ApiError(400, f"{where} is {what}: these models read text only", where, "unsupported_content")


def _whole(value: Any) -> Any:
    """A whole number that a client wrote as 1.0 becomes an int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _same(given: Any, value: Any) -> bool:
    return bool(given == value) and (isinstance(given, bool) == isinstance(value, bool))


def first_error(error: ValidationError, body: Any = None) -> ApiError:
    """The first validation error as an `ApiError`, named by the path to the field in the body."""
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(_path(found["loc"], body)) or (str(found["loc"][0]) if found["loc"] else "")
    match found["type"]:
        case "missing":
            return ApiError(400, f"{where} is missing", where, "missing_required_parameter")
        case "extra_forbidden":
            return ApiError(400, f"{where} is not a parameter here", where[:256], "unknown_parameter")
        case _:
            reason = str(found["msg"])
            return ApiError(400, f"{where}: {reason[0].lower()}{reason[1:]}", where[:256], "invalid_value")
