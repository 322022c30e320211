"""OpenAI's Responses API, /v1/responses, without storage: each request holds the whole conversation."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from unmask.serve.answer import Answer, AnswerProgress
from unmask.serve.api_error import ApiError
from unmask.serve.v1.api_format import ApiFormat, Row
from unmask.serve.v1.api_format import Named as NamedEvent
from unmask.serve.v1.calls import ParsedAnswer
from unmask.serve.v1.request import (
    MOST_TOOLS,
    Anything,
    CalledFunction,
    CalledTool,
    Chat,
    Effort,
    Function,
    FunctionName,
    Ignoring,
    Limit,
    Loose,
    Message,
    Name,
    NamedSchema,
    NamedTool,
    ObjectFormat,
    Part,
    Schema,
    SchemaFormat,
    TextFormat,
    Tool,
    number_field,
)


class InputMessage(Loose):
    """A message item of an input."""

    type: Literal["message"] = "message"
    role: Literal["system", "developer", "user", "assistant"]
    content: str | Annotated[list[Part], Field(max_length=256)]


class CallItem(Loose):
    type: Literal["function_call"]
    call_id: str
    name: Name
    arguments: str


class CallOutput(Loose):
    type: Literal["function_call_output"]
    call_id: str
    output: str | Annotated[list[Part], Field(max_length=256)]


class ReasoningItem(Loose):
    """A model's reasoning in an earlier turn; ignored."""

    type: Literal["reasoning"]


class FlatTool(Loose):
    type: Literal["function"]
    name: Name
    description: str | None = None
    parameters: Schema | None = None
    strict: bool | None = None


class FlatChoice(Loose):
    type: Literal["function"]
    name: Name


class FlatSchema(Loose):
    type: Literal["json_schema"]
    name: Name
    wanted: Annotated[Schema, Field(alias="schema")]
    description: str | None = None
    strict: bool | None = None


class TextOptions(Loose):
    format: Annotated[TextFormat | ObjectFormat | FlatSchema, Field(discriminator="type")] | None = None
    verbosity: Literal["medium"] | None = None


class Reasoning(Loose):
    effort: Effort | None = None


class CreateResponse(Ignoring):
    """POST /v1/responses"""

    model: Annotated[str, Field(min_length=1, max_length=256, description="One of /v1/models.")]
    input: (
        str
        | Annotated[list[CallItem | CallOutput | ReasoningItem | InputMessage], Field(min_length=1, max_length=1024)]
    ) = ""
    instructions: str | None = None
    max_output_tokens: Limit | None = None
    temperature: Annotated[float, number_field("temperature")] | None = None
    top_p: Annotated[float, number_field("top_p")] | None = None
    tools: Annotated[list[FlatTool], Field(max_length=MOST_TOOLS)] | None = None
    tool_choice: Literal["none", "auto", "required"] | FlatChoice | None = None
    parallel_tool_calls: bool | None = None
    text: TextOptions | None = None
    reasoning: Reasoning | None = None
    stream: bool | None = False
    seed: Annotated[int, Field(ge=-(2**63), le=2**63 - 1)] | None = None
    diffusing: bool | None = False

    include: Anything = None
    truncation: Anything = None
    stream_options: Anything = None
    max_tool_calls: Anything = None

    def chat(self) -> Chat:
        """The request as a chat request."""
        messages = [Message(role="system", content=self.instructions)] if self.instructions else []
        items = [InputMessage(role="user", content=self.input)] if isinstance(self.input, str) else self.input
        for item in items:
            match item:
                case CallItem():
                    function = CalledFunction(name=item.name, arguments=item.arguments)
                    call = CalledTool(id=item.call_id, function=function)
                    messages.append(Message(role="assistant", tool_calls=[call]))
                case CallOutput():
                    messages.append(Message(role="tool", content=item.output, tool_call_id=item.call_id))
                case InputMessage():
                    messages.append(Message(role=item.role, content=item.content))
        if not messages:
            raise ApiError(400, "input holds no message", "input", "invalid_value")
        tools = [
            Tool(
                type="function",
                function=Function(name=t.name, description=t.description, parameters=t.parameters, strict=t.strict),
            )
            for t in self.tools or ()
        ]
        choice = self.tool_choice
        requested = self.text.format if self.text else None
        if isinstance(requested, FlatSchema):
            described = NamedSchema(name=requested.name, wanted=requested.wanted, strict=requested.strict)
            form: Any = SchemaFormat(type="json_schema", json_schema=described)
        else:
            form = requested
        return Chat(
            model=self.model,
            messages=messages,
            max_completion_tokens=self.max_output_tokens,
            **{name: getattr(self, name) for name in ("temperature", "top_p")},
            tools=tools or None,
            tool_choice=NamedTool(type="function", function=FunctionName(name=choice.name))
            if isinstance(choice, FlatChoice)
            else choice,
            parallel_tool_calls=self.parallel_tool_calls,
            response_format=form,
            reasoning_effort=self.reasoning.effort if self.reasoning else None,
            stream=self.stream,
            seed=self.seed,
            diffusing=self.diffusing,
        )


REFUSED: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "previous_response_id": ((None,), "nothing is stored: send the whole conversation"),
    "conversation": ((None,), "nothing is stored: send the whole conversation"),
    "background": ((None, False), "nothing is stored: wait for the answer, or stream it"),
    "prompt": ((None,), "there are no stored prompts"),
    "top_logprobs": ((None, 0), "ask /v1/chat/completions for them"),
}


class ResponsesFormat(ApiFormat):
    """response"""

    prefix = "resp_"

    def __init__(self, body: CreateResponse, *about: Any) -> None:
        super().__init__(body.model, *about)
        self.body, self.drafts = body, bool(body.diffusing)
        self._number = 0
        self._read = ParsedAnswer()
        self._items: list[Row] = []  # output items that were begun, in order

    def whole(self, answers: Sequence[AnswerProgress]) -> Row:
        reading = self.reading(answers[0])
        return self._response(answers, self._finished(reading))

    def first(self) -> Iterator[NamedEvent]:
        for kind in ("response.created", "response.in_progress"):
            yield self._event(kind, response=self._response(None, []))

    def chunks(self, which: int, answer: Answer, progress: AnswerProgress) -> Iterator[NamedEvent]:
        if self.body.diffusing:
            text = answer.draft(progress)
            row = {"diffusion_meta": self.meta(text, progress), "x_frame": self.frame(progress)}
            yield self._event("response.x_draft", **row)
        before, now = self._read, self.reading(progress)
        self._read = now
        if now.content != before.content:
            yield from self._text(now.content[len(before.content) :])
        for i, call in enumerate(now.calls):
            known = len(before.calls[i].arguments) if i < len(before.calls) else 0
            if i >= len(before.calls):
                if i:
                    yield from self._close(self._items[-1], before.calls[i - 1].arguments)
                yield from self._open(
                    {"id": self._name("fc"), "type": "function_call", "status": "in_progress", "arguments": ""}
                    | {"call_id": self.call_id(0, i), "name": call.name}
                )
            if len(call.arguments) > known:
                place = {"item_id": self._items[-1]["id"], "output_index": len(self._items) - 1}
                yield self._event("response.function_call_arguments.delta", **place, delta=call.arguments[known:])

    def last(self, answers: Sequence[AnswerProgress]) -> Iterator[NamedEvent]:
        if not self._items:
            yield from self._text("")
        content = self._read.calls[-1].arguments if self._read.calls else self._read.content
        yield from self._close(self._items[-1], content)
        response = self._response(answers, self._items)
        yield self._event(f"response.{response['status']}", response=response)

    def error(self, error: ApiError) -> NamedEvent:
        row = error.plain()["error"]
        return self._event("error", code=row["code"], message=row["message"], param=row["param"])

    def _text(self, delta: str) -> Iterator[NamedEvent]:
        part = {"type": "output_text", "text": "", "annotations": []}
        if not self._items:
            row = {"id": self._name("msg"), "type": "message", "status": "in_progress", "role": "assistant"}
            yield from self._open(row | {"content": []})
            yield self._event("response.content_part.added", **self._place(), part=part)
        yield self._event("response.output_text.delta", **self._place(), delta=delta, logprobs=[])

    def _open(self, item: Row) -> Iterator[NamedEvent]:
        self._items.append(item)
        yield self._event("response.output_item.added", output_index=len(self._items) - 1, item=dict(item))

    def _close(self, item: Row, content: str) -> Iterator[NamedEvent]:
        at = len(self._items) - 1
        item["status"] = "completed"
        if item["type"] == "message":
            part = {"type": "output_text", "text": content, "annotations": []}
            item["content"] = [part]
            yield self._event("response.output_text.done", **self._place(), text=content, logprobs=[])
            yield self._event("response.content_part.done", **self._place(), part=part)
        else:
            item["arguments"] = content
            yield self._event(
                "response.function_call_arguments.done",
                item_id=item["id"],
                output_index=at,
                name=item["name"],
                arguments=content,
            )
        yield self._event("response.output_item.done", output_index=at, item=dict(item))

    def _place(self) -> Row:
        return {"item_id": self._items[-1]["id"], "output_index": len(self._items) - 1, "content_index": 0}

    def _finished(self, reading: ParsedAnswer) -> list[Row]:
        """The output items of a complete answer."""
        items: list[Row] = [
            {"id": self._name("fc"), "type": "function_call", "status": "completed", "arguments": call.arguments}
            | {"call_id": self.call_id(0, i), "name": call.name}
            for i, call in enumerate(reading.calls)
        ]
        if items:
            return items
        part = {"type": "output_text", "text": reading.content, "annotations": []}
        row = {"id": self._name("msg"), "type": "message", "status": "completed", "role": "assistant"}
        return [row | {"content": [part]}]

    def _event(self, kind: str, **fields: Any) -> NamedEvent:
        self._number += 1
        return kind, {"type": kind, "sequence_number": self._number - 1, **fields}

    def _name(self, kind: str) -> str:
        return f"{kind}_{secrets.token_urlsafe(18)}"

    def _response(self, answers: Sequence[AnswerProgress] | None, output: list[Row]) -> Row:
        body = self.body
        cut = answers is not None and answers[0].finish == "length"
        row: Row = {
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": "in_progress" if answers is None else "incomplete" if cut else "completed",
            "model": self.model,
            "output": output,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "instructions": body.instructions,
            "metadata": body.metadata if isinstance(body.metadata, dict) else {},
            "parallel_tool_calls": bool(body.parallel_tool_calls),
            "temperature": body.temperature,
            "top_p": body.top_p,
            "max_output_tokens": body.max_output_tokens,
            "previous_response_id": None,
            "reasoning": {"effort": body.reasoning.effort if body.reasoning else None, "summary": None},
            "text": {"format": self._format()},
            "tool_choice": body.tool_choice.model_dump()
            if isinstance(body.tool_choice, FlatChoice)
            else body.tool_choice or "auto",
            "tools": [
                {"type": "function", "name": t.name, "description": t.description, "parameters": t.parameters}
                | {"strict": True}
                for t in body.tools or ()
            ],
            "truncation": "auto",  # a conversation that is too long loses its oldest turns
            "store": False,
            "usage": None,
        }
        if answers is not None:
            tokens = self.tokens(answers)
            row["usage"] = {
                "input_tokens": self.prompt_tokens,
                "input_tokens_details": {"cached_tokens": self.cached, "cache_write_tokens": 0},
                "output_tokens": tokens,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": self.prompt_tokens + tokens,
                "x_diffusion": self.diffusion(answers),
            }
        return row

    def _format(self) -> Row:
        requested = self.body.text.format if self.body.text else None
        return {"type": "text"} if requested is None else requested.model_dump(by_alias=True, exclude_none=True)
