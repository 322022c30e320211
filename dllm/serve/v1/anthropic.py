"""Anthropic's Messages API, /v1/messages: requests are converted to chat requests, and answers back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request

from unmask.canvas import Card
from unmask.serve.answer import Answer, AnswerProgress
from unmask.serve.api_error import ApiError
from unmask.serve.v1.api_format import ApiFormat, Row
from unmask.serve.v1.api_format import Named as NamedEvent
from unmask.serve.v1.calls import ParsedAnswer, ParsedCall
from unmask.serve.v1.request import (
    MOST_STOPS,
    MOST_TOOLS,
    Anything,
    CalledFunction,
    CalledTool,
    Chat,
    Function,
    FunctionName,
    Limit,
    Loose,
    Message,
    Name,
    NamedSchema,
    NamedTool,
    Schema,
    SchemaFormat,
    Stop,
    Strict,
    Tool,
    number_field,
)


class TextBlock(Loose):
    type: Literal["text"]
    text: str


class ToolUseBlock(Loose):
    type: Literal["tool_use"]
    id: str
    name: Name
    input: dict[str, Any]


class ToolResultBlock(Loose):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str | Annotated[list[TextBlock], Field(max_length=256)] | None = None
    is_error: bool | None = None


class ThinkingBlock(Loose):
    """A model's reasoning in an earlier turn; ignored."""

    type: Literal["thinking", "redacted_thinking"]


Block = Annotated[TextBlock | ToolUseBlock | ToolResultBlock | ThinkingBlock, Field(discriminator="type")]


class MessageTurn(Loose):
    role: Literal["user", "assistant"]
    content: str | Annotated[list[Block], Field(max_length=256)]


class InputTool(Loose):
    type: Literal["custom"] | None = None
    name: Name
    description: str | None = None
    input_schema: Schema


class ToolChoiceBlock(Loose):
    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool | None = None


class Thinking(Loose):
    """Whether the model reasons first; these models do not, so it changes nothing."""

    type: Literal["disabled", "enabled", "adaptive"]


class OutputSchema(Loose):
    type: Literal["json_schema"]
    wanted: Annotated[Schema, Field(alias="schema")]


class OutputConfig(Loose):
    format: OutputSchema | None = None
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None


class Conversation(Strict):
    """The fields that both requests of this API share."""

    model: Annotated[str, Field(min_length=1, max_length=256, description="One of /v1/models.")]
    messages: Annotated[list[MessageTurn], Field(min_length=1, max_length=1024)]
    system: str | Annotated[list[TextBlock], Field(max_length=256)] | None = None
    tools: Annotated[list[InputTool], Field(max_length=MOST_TOOLS)] | None = None
    tool_choice: ToolChoiceBlock | None = None
    thinking: Thinking | None = None
    output_config: OutputConfig | None = None
    output_format: OutputSchema | None = None  # its older name
    thread: Anything = None
    cache_control: Anything = None
    diagnostics: Anything = None
    inference_geo: Anything = None
    speed: Anything = None

    def fields(self) -> dict[str, Any]:
        """The fields as those of a chat request."""
        messages = []
        if self.system:
            messages.append(Message(role="system", content=_text(self.system)))
        for turn in self.messages:
            messages += _messages(turn)
        tools = [
            Tool(type="function", function=Function(name=t.name, description=t.description, parameters=t.input_schema))
            for t in self.tools or ()
        ]
        requested, choice = self.tool_choice, None
        if requested is not None:
            if requested.type == "tool" and not requested.name:
                raise ApiError(400, "tool_choice of type tool needs the name of a tool", "tool_choice", "invalid_value")
            named = (
                NamedTool(type="function", function=FunctionName(name=requested.name or ""))
                if requested.type == "tool"
                else None
            )
            choice = named or {"auto": "auto", "any": "required", "none": "none"}[requested.type]
        parallel = (
            None
            if requested is None or requested.disable_parallel_tool_use is None
            else not requested.disable_parallel_tool_use
        )
        config = self.output_config or OutputConfig()
        schema = config.format or self.output_format
        described = schema and NamedSchema(name="answer", wanted=schema.wanted)
        return {
            "response_format": SchemaFormat(type="json_schema", json_schema=described) if described else None,
            "reasoning_effort": "xhigh" if config.effort == "max" else config.effort,
            "model": self.model,
            "messages": messages,
            "tools": tools or None,
            "tool_choice": choice,
            "parallel_tool_calls": parallel,
        }


class CountTokens(Conversation):
    """POST /v1/messages/count_tokens"""

    def chat(self) -> Chat:
        return Chat(**self.fields())


class Create(Conversation):
    """POST /v1/messages"""

    max_tokens: Limit
    stop_sequences: Annotated[list[Stop], Field(max_length=MOST_STOPS)] | None = None
    stream: bool | None = False
    temperature: Annotated[float, number_field("temperature", high=1)] | None = None
    top_p: Annotated[float, number_field("top_p")] | None = None
    top_k: Annotated[int, number_field("top_k", low=0)] | None = None
    metadata: Anything = None
    service_tier: Anything = None

    @property
    def prefilled(self) -> bool:
        """Whether the last message begins the answer."""
        last = _messages(self.messages[-1])[-1]
        return last.role == "assistant" and bool(last.text) and not last.tool_calls

    def chat(self) -> Chat:
        return Chat(
            **self.fields(),
            max_completion_tokens=self.max_tokens,
            stop=self.stop_sequences or None,
            stream=self.stream,
            continue_final_message=self.prefilled,
            **{name: getattr(self, name) for name in ("temperature", "top_p", "top_k")},
        )


def _text(content: str | Sequence[TextBlock] | None) -> str:
    return content if isinstance(content, str) else "".join(block.text for block in content or ())


def _messages(turn: MessageTurn) -> list[Message]:
    """A turn as chat messages: tool results come before the text."""
    if isinstance(turn.content, str):
        return [Message(role=turn.role, content=turn.content)]
    results = [
        Message(role="tool", content=_text(b.content), tool_call_id=b.tool_use_id)
        for b in turn.content
        if isinstance(b, ToolResultBlock)
    ]
    calls = [
        CalledTool(id=b.id, function=CalledFunction(name=b.name, arguments=json.dumps(b.input)))
        for b in turn.content
        if isinstance(b, ToolUseBlock)
    ]
    text = "".join(b.text for b in turn.content if isinstance(b, TextBlock))
    if text or calls or not results:
        results.append(Message(role=turn.role, content=text, tool_calls=calls or None))
    return results


KINDS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error"}
KINDS |= {413: "request_too_large", 429: "rate_limit_error", 503: "overloaded_error"}


def error_body(error: ApiError) -> Mapping[str, Any]:
    """An error as a JSON body, as Anthropic's clients expect it."""
    kind = KINDS.get(error.status, "api_error" if error.status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": error.message}}


def tool_input(call: ParsedCall) -> Any:
    """The arguments of a call; None if they were cut off."""
    try:
        return json.loads(call.arguments)
    except ValueError:
        return None


def is_client(request: Request) -> bool:
    """Whether a client of this API asks: it names the API's version."""
    return request.url.path.startswith("/v1/messages") or "anthropic-version" in request.headers


def model_info(name: str, created: int, card: Card | None) -> Row:
    """A model as Anthropic's clients list it."""
    longest = None if card is None else card.longest
    made = datetime.fromtimestamp(created, UTC).isoformat(timespec="seconds")
    row: Row = {"type": "model", "id": name, "display_name": name, "created_at": made, "lifecycle": "active"}
    return row | {"max_input_tokens": longest, "max_tokens": longest}


def models_page(rows: Sequence[Row]) -> Row:
    """All models, as one page of such a list."""
    first, last = (rows[0]["id"], rows[-1]["id"]) if rows else (None, None)
    return {"data": list(rows), "has_more": False, "first_id": first, "last_id": last}


class MessagesFormat(ApiFormat):
    """message"""

    prefix = "msg_"

    def __init__(self, body: Create, *about: Any) -> None:
        super().__init__(body.model, *about)
        self.body = body
        self._read = ParsedAnswer()
        self._open = -1  # the block that is being written

    def whole(self, answers: Sequence[AnswerProgress]) -> Row:
        reading = self.reading(answers[0])
        blocks: list[Row] = [
            {"type": "tool_use", "id": self.call_id(0, i), "name": c.name, "input": given}
            for i, c in enumerate(reading.calls)
            if (given := tool_input(c)) is not None
        ]
        return self._message(blocks or [{"type": "text", "text": reading.content}], answers)

    def first(self) -> Iterator[NamedEvent]:
        yield self._event("message_start", message=self._message([], None))
        yield self._event("ping")

    def chunks(self, which: int, answer: Answer, progress: AnswerProgress) -> Iterator[NamedEvent]:
        before, now = self._read, self.reading(progress)
        self._read = now
        if now.content != before.content:
            if self._open < 0:
                yield from self._begin({"type": "text", "text": ""})
            yield self._delta({"type": "text_delta", "text": now.content[len(before.content) :]})
        for i, call in enumerate(now.calls):
            known = len(before.calls[i].arguments) if i < len(before.calls) else 0
            if i >= len(before.calls):
                if self._open >= 0:
                    yield self._event("content_block_stop", index=self._open)
                yield from self._begin({"type": "tool_use", "id": self.call_id(0, i), "name": call.name, "input": {}})
            if len(call.arguments) > known:
                yield self._delta({"type": "input_json_delta", "partial_json": call.arguments[known:]})

    def last(self, answers: Sequence[AnswerProgress]) -> Iterator[NamedEvent]:
        if self._open < 0:
            yield from self._begin({"type": "text", "text": ""})
        yield self._event("content_block_stop", index=self._open)
        message = self._message([], answers)
        delta = {name: message[name] for name in ("stop_reason", "stop_sequence")}
        yield self._event("message_delta", delta=delta, usage=message["usage"])
        yield self._event("message_stop")

    def error(self, error: ApiError) -> NamedEvent:
        return "error", dict(error_body(error))

    def _begin(self, block: Row) -> Iterator[NamedEvent]:
        self._open += 1
        yield self._event("content_block_start", index=self._open, content_block=block)

    def _delta(self, delta: Row) -> NamedEvent:
        return self._event("content_block_delta", index=self._open, delta=delta)

    def _event(self, kind: str, **fields: Any) -> NamedEvent:
        return kind, {"type": kind, **fields}

    def _message(self, content: list[Row], answers: Sequence[AnswerProgress] | None) -> Row:
        reason, stop = None, None
        if answers is not None:
            progress = answers[0]
            own = progress.stop if progress.stop in (self.body.stop_sequences or ()) else None
            reason = "max_tokens" if progress.finish == "length" else "stop_sequence" if own else "end_turn"
            calls = self.reading(progress).calls
            if calls and tool_input(calls[-1]) is not None:
                reason = "tool_use"
            stop = own
        usage: Row = {
            "input_tokens": self.prompt_tokens - self.cached,
            "output_tokens": 0 if answers is None else self.tokens(answers),
            "cache_read_input_tokens": self.cached,
            "cache_creation_input_tokens": 0,
        }
        if answers is not None:
            usage["x_diffusion"] = self.diffusion(answers)
        row: Row = {"id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": content}
        return row | {"stop_reason": reason, "stop_sequence": stop, "usage": usage}
