"""The structure that `response_format` and `tools` ask for: a constraint for the run, and a parser of its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from unmask.canvas import Card
from unmask.serve.api_error import ApiError
from unmask.serve.v1.calls import PLAIN, TAGGED, Markup, ParsedAnswer, ParsedCall, closing, parse_answer
from unmask.serve.v1.request import (
    AllowedToolChoice,
    Body,
    Chat,
    Function,
    NamedTool,
    ObjectFormat,
    SchemaFormat,
    TextFormat,
)

GUIDED = ("guided_json", "guided_regex", "regex", "guided_grammar", "guided_choice")  # each a parameter of its own
NO_ARGUMENTS = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class Structure:
    """The constraint on an answer's text, and how the text is parsed."""

    constraint: Mapping[str, Any] = field(default_factory=dict)
    tools: Sequence[Function] = ()  # that may be called; the prompt describes them
    markup: Markup = PLAIN
    only: str = ""  # the one tool whose arguments are the whole text
    json: bool = False  # the whole text is one JSON value
    parameter: str = "response_format"  # of the request, that asked for it
    free: bool = True  # whether the text may be of any length, since it need not be a call or JSON

    @property
    def record(self) -> bool:
        """Whether the text is a bare JSON value, without markup of a tool call."""
        return self.json or bool(self.only)

    def closed(self, text: str) -> int | None:
        """The index at which a bare JSON value is complete, if it is."""
        if not self.record:
            return None
        start = len(text) - len(text.lstrip())
        return closing(text, start) if text[start : start + 1] in ("{", "[") else None

    def reading(self, text: str) -> ParsedAnswer:
        """Parse a complete or incomplete text."""
        if self.only:
            text = text.lstrip()
            return ParsedAnswer("", (ParsedCall(self.only, text[: closing(text)]),) if text else ())
        if self.tools:
            return parse_answer(text, self.markup)
        return ParsedAnswer(text.strip() if self.json else text.lstrip())


def structure(body: Chat, card: Card) -> Structure:
    """The structure of the answer to a chat request."""
    parameter, text = _text(body)
    tools = [tool.function for tool in body.tools or ()]
    choice = body.tool_choice or ("auto" if tools else "none")
    if isinstance(choice, AllowedToolChoice):
        names, choice = choice.allowed_tools.names, choice.allowed_tools.mode
        if unknown := names - {tool.name for tool in tools}:
            why = f"allowed_tools names '{min(unknown)[:64]}', which is not one of tools"
            raise ApiError(400, why, "tool_choice", "invalid_value")
        tools = [tool for tool in tools if tool.name in names]
    json = text.get("kind") in ("schema", "json_object")
    if choice == "none":
        return Structure(text, json=json, parameter=parameter, free=not text)
    if isinstance(choice, NamedTool):
        tools = [tool for tool in tools if tool.name == choice.function.name]
        if not tools:
            raise ApiError(400, "tool_choice must name one of tools", "tool_choice", "invalid_value")
    if not tools:
        if choice == "required":
            raise ApiError(400, "tool_choice needs tools", "tool_choice", "invalid_value")
        return Structure(text, json=json, parameter=parameter, free=not text)
    trained = card.tools == "template"
    if choice != "auto" and len(tools) == 1 and not trained and not body.parallel_tool_calls:
        schema = tools[0].parameters or NO_ARGUMENTS
        return Structure({"kind": "schema", "schema": schema}, tools, only=tools[0].name, parameter="tools", free=False)
    # a model that was not trained to call tools may call several only if the request allows it
    several = not isinstance(choice, NamedTool) and (
        trained if body.parallel_tool_calls is None else body.parallel_tool_calls
    )
    markup = TAGGED if trained else PLAIN
    constraint: dict[str, Any] = {
        "kind": "calls",
        "tools": [{"name": tool.name, "parameters": tool.parameters or NO_ARGUMENTS} for tool in tools],
        "before": markup.before,
        "after": markup.after,
        "most": 0 if several else 1,
    }
    if choice == "auto":
        constraint["otherwise"] = [text]
    return Structure(constraint, tools, markup, parameter="tools", free=choice == "auto" and not text)


def _schema(wanted: Any) -> dict[str, Any]:
    """The constraint of a schema; one that refers to itself may contain itself once."""
    row = {"kind": "schema", "schema": wanted}
    return row | ({"depth": 1} if b'"$ref"' in orjson.dumps(wanted, option=orjson.OPT_NON_STR_KEYS) else {})


def guided(body: Body) -> tuple[str, dict[str, Any]]:
    """The constraint that vLLM's and SGLang's parameters ask for, and which of them."""
    outputs = body.structured_outputs
    schema = body.guided_json if body.guided_json is not None else outputs and outputs.wanted
    pattern = body.guided_regex or body.regex or (outputs and outputs.regex)
    grammar = body.guided_grammar or (outputs and outputs.grammar)
    options = body.guided_choice or (outputs and outputs.choice)
    asks = [ask for ask in (schema is not None, pattern, grammar, options, outputs and outputs.json_object) if ask]
    if len(asks) > 1:
        why = "ask for one structure: JSON, a pattern, a grammar or a choice"
        raise ApiError(400, why, "structured_outputs", "invalid_value")
    by = next((name for name in GUIDED if getattr(body, name) is not None), "structured_outputs")
    if schema is not None:
        try:
            wanted = orjson.loads(schema) if isinstance(schema, str) else schema
        except ValueError:
            raise ApiError(400, "guided_json is not a JSON schema", "guided_json", "invalid_value") from None
        return by, _schema(wanted)
    if pattern:
        return by, {"kind": "regex", "pattern": pattern}
    if grammar:
        return by, {"kind": "grammar", "text": grammar}
    if options:
        return by, {"kind": "choice", "options": options}
    return by, {"kind": "json_object"} if outputs and outputs.json_object else {}


def guided_structure(body: Body) -> Structure:
    """The structure of a completion."""
    parameter, row = guided(body)
    return Structure(row, json=row.get("kind") in ("schema", "json_object"), parameter=parameter, free=not row)


def _text(body: Chat) -> tuple[str, dict[str, Any]]:
    """The constraint on the text, and the parameter that asks for it."""
    parameter, row = guided(body)
    if row:
        if body.response_format is not None and not isinstance(body.response_format, TextFormat):
            why = "ask for one structure: response_format, or a guided one"
            raise ApiError(400, why, "response_format", "invalid_value")
        return parameter, row
    match body.response_format:
        case ObjectFormat():
            row = {"kind": "json_object"}
        case SchemaFormat(json_schema=described):
            row = _schema(described.wanted or NO_ARGUMENTS)
    return "response_format", row
