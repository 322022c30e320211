"""The fields of the requests of /v1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from unmask.run.settings import SETTINGS

CANDIDATES = 20  # most candidates for a token
MOST_CHOICES, MOST_PROMPTS, MOST_STOPS, MOST_TOOLS = 16, 16, 16, 64

Whole = Annotated[int, Field(strict=True)]


def whole(value: Any) -> Any:
    """A whole number that a client wrote as 1.0 becomes an int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Token = Annotated[int, BeforeValidator(whole), Field(strict=True, ge=0)]
Stop = Annotated[str, Field(min_length=1, max_length=256)]
Option = Annotated[str, Field(min_length=1)]
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


TemplateValues = Annotated[
    dict[Annotated[str, Field(max_length=64)], str | bool | int | float | None],
    Field(max_length=16, description="vLLM's: values for the model's chat template, where it has one."),
]


class CanvasFields(Loose):
    """vLLM's fields for a canvas that is given and read from outside; others in `vllm_xargs` are ignored."""

    diffusion_seed_canvas: Annotated[list[Token], Field(min_length=1, max_length=65_536)] | None = None
    diffusion_pinned: Annotated[list[Token], Field(max_length=65_536)] | None = None
    diffusion_max_steps: Annotated[int, Field(ge=1, le=4096)] | None = None
    diffusion_read_only: bool | Literal[0, 1] | None = None
    diffusion_canvas_length: Annotated[int, Field(ge=1, le=65_536)] | None = None
    diffusion_constrained: bool | None = None

    @property
    def any(self) -> bool:
        return any(value is not None for _, value in self)


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

    structured_outputs: Annotated[StructuredOutputs | None, Field(description="vLLM's: what the text must be.")] = None
    guided_json: Annotated[Schema | str, Field(description="vLLM's: a JSON schema.")] | None = None
    guided_regex: Annotated[str, Field(max_length=4096, description="vLLM's: a regular expression.")] | None = None
    guided_grammar: (
        Annotated[str, Field(max_length=65_536, description="vLLM's: a grammar, as llama.cpp or Lark write it.")] | None
    ) = None
    guided_choice: (
        Annotated[list[Option], Field(min_length=1, max_length=256, description="vLLM's: one of these.")] | None
    ) = None
    regex: Annotated[str, Field(max_length=4096, description="SGLang's: a regular expression.")] | None = None
    stop_token_ids: Annotated[list[Token], Field(max_length=64, description="vLLM's: tokens that end it.")] | None = (
        None
    )
    bad_words: (
        Annotated[list[str], Field(max_length=64, description="vLLM's: words that are never written.")] | None
    ) = None
    vllm_xargs: (
        Annotated[CanvasFields, Field(description="vLLM's: a canvas to begin with, and how to read it.")] | None
    ) = None
    logprob_token_ids: (
        Annotated[list[Token], Field(max_length=128, description="vLLM's: tokens whose probability each cell has.")]
        | None
    ) = None
    return_tokens_as_token_ids: Annotated[bool, Field(description="vLLM's: tokens as `token_id:7`.")] | None = None

    checks: (
        Annotated[list[Name], Field(max_length=16, description="Ours: checks by name; what they find opens again.")]
        | None
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
    def reads_canvas(self) -> bool:
        """Whether it gives or reads a canvas."""
        return self.vllm_xargs is not None and self.vllm_xargs.any

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


class StructuredOutputs(Strict):
    """What the text must be: one of these."""

    wanted: Annotated[Schema | str | None, Field(alias="json")] = None
    regex: Annotated[str, Field(max_length=4096)] | None = None
    grammar: Annotated[str, Field(max_length=65_536)] | None = None
    choice: Annotated[list[Option], Field(min_length=1, max_length=256)] | None = None
    json_object: bool | None = None


class StreamOptions(Loose):
    include_usage: bool | None = False


class Part(Loose):
    """A text part of a message's content."""

    type: Literal["text", "input_text", "output_text"]
    text: str


class Prediction(Strict):
    """What the answer will probably be."""

    type: Literal["content"]
    content: Annotated[str, Field(min_length=1)] | Annotated[list[Part], Field(min_length=1, max_length=256)]

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


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
    continue_final_message: (
        Annotated[bool, Field(description="vLLM's: go on with the last message, which is the assistant's.")] | None
    ) = None
    prediction: (
        Annotated[Prediction, Field(description="What the answer will probably be: read along, or a draft.")] | None
    ) = None
    add_generation_prompt: Anything = None
    chat_template_kwargs: TemplateValues | None = None

    @property
    def template(self) -> Mapping[str, Any]:
        return self.chat_template_kwargs or {}

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
    max_tokens: (
        Annotated[int, Field(ge=0, le=2**31 - 1, description="Most tokens of the answer; 0 with echo for none.")] | None
    ) = None
    logprobs: Annotated[int, Field(ge=0, le=CANDIDATES)] | None = None
    add_special_tokens: Anything = None
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
