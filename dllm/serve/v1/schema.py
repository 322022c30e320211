"""The OpenAPI document of /v1, made from the types of its requests and answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema

from unmask.decide import get_policy
from unmask.decide import policy_names as policies
from unmask.run.presets import presets
from unmask.serve.v1 import responses
from unmask.serve.v1.anthropic import CountTokens, Create
from unmask.serve.v1.needs import NEEDS, numbers_below
from unmask.serve.v1.parse import REFUSED
from unmask.serve.v1.request import Chat, Completion
from unmask.serve.v1.response import ChatAnswer, ChatChunk, ErrorBody, Model, Models, TextCompletion

Row = dict[str, Any]
REFER = "#/components/schemas/{model}"
REQUESTS: tuple[type[BaseModel], ...] = (Chat, Completion, responses.CreateResponse, Create, CountTokens)
ANSWERS: tuple[Any, ...] = (Model, Models, ChatAnswer, ChatChunk, TextCompletion, ErrorBody)
_TEXT: Row = {"type": "string"}
_COUNT: Row = {"type": "integer", "minimum": 0}


def _knobs() -> list[str]:
    """The names of all policies' knobs."""
    return sorted({knob for policy in policies() for knob in get_policy(policy).defaults})


@lru_cache(maxsize=8)
def document_json(models: tuple[str, ...], words: int | None) -> bytes:
    """The document as JSON; cached until a model with a larger vocabulary is opened."""
    return orjson.dumps(document(models, words), option=orjson.OPT_INDENT_2)


def document(models: Sequence[str] = (), words: int | None = None) -> Row:
    """The OpenAPI 3.1 document, with the names of models, policies and presets as enums.

    `words` is the largest vocabulary size of the open models."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Unmask",
            "version": "2",
            "description": "The APIs of OpenAI, Mercury and Anthropic for diffusion language models. These parameters "
            f"are refused unless they have no effect: {', '.join((*REFUSED, *responses.REFUSED))}.",
        },
        "servers": [{"url": "/v1"}],
        "security": [{"key": []}, {}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(models, words),
        },
    }


def _paths() -> Row:
    name = {"parameters": [{"name": "name", "in": "path", "required": True, "schema": _TEXT}]}
    fill = "TextCompletion", "TextCompletion"
    return {
        "/models": {"get": _get("List the models", "Models")},
        "/models/{name}": {"get": _get("One model", "Model", 404) | name},
        "/chat/completions": {"post": _post("Answer a conversation", "Chat", "ChatAnswer", "ChatChunk")},
        "/completions": {"post": _post("Continue a prompt, or fill a gap", "Completion", *fill)},
        "/fim/completions": {"post": _post("Fill a gap", "Completion", *fill)},
        "/edit/completions": {"post": _post("Replace the marked part", "Chat", "ChatAnswer", "ChatChunk")},
        "/responses": {"post": _post("Answer, in items", "CreateResponse", "Response", "event of a response")},
        "/responses/input_tokens": {"post": _post("Count a prompt", "CreateResponse", "CountedInput", "")},
        "/messages": {
            "post": _post("Answer, as Anthropic does", "Create", "AnthropicMessage", "event of a message", True)
        },
        "/messages/count_tokens": {"post": _post("Count a prompt", "CountTokens", "InputTokens", "", True)},
        "/health": {"get": _get("Whether the server accepts work", "Health", 503)},
        "/openapi.json": {"get": {**_get("This document", None), "security": []}},
    }


def _schemas(models: Sequence[str], words: int | None) -> Row:
    """The types of requests and answers by name."""
    _, found = models_json_schema([(kind, "validation") for kind in REQUESTS], ref_template=REFER)
    requests = _schemas_named(found["$defs"])
    answers: Row = dict(_OTHERS)
    for answer in ANSWERS:
        schema = TypeAdapter(answer).json_schema(ref_template=REFER, mode="serialization")
        answers |= schema.pop("$defs", {}) | {answer.__name__: schema}
    if twice := requests.keys() & answers.keys():
        raise TypeError(f"two types of the document are called {', '.join(sorted(twice))}")
    schemas: Row = {**requests, **answers}
    for kind in REQUESTS:
        _name_values(schemas[kind.__name__]["properties"], models, words)
    for name, needs in NEEDS.items():
        schemas[name]["allOf"] = needs
    if words is not None:
        for kind in schemas["Completion"]["properties"]["prompt"]["anyOf"]:
            for items in (kind.get("items", {}), kind.get("items", {}).get("items", {})):
                if items.get("type") == "integer":
                    items["maximum"] = words - 1
    return schemas


def _name_values(fields: Row, models: Sequence[str], words: int | None) -> None:
    """Add to a request's fields what only this server knows."""
    fields["model"] = {**fields["model"], **({"enum": [*models]} if models else {})}
    for name, known in (("policy", policies()), ("preset", [*presets()])):
        if name in fields:
            fields[name] = {**fields[name], "anyOf": [{"type": "string", "enum": known}, {"type": "null"}]}
    if "logit_bias" in fields:
        fields["logit_bias"]["anyOf"][0]["propertyNames"] = {"pattern": numbers_below(words or 10**9)}
    if "policy_options" in fields:
        fields["policy_options"]["anyOf"][0]["propertyNames"] = {"enum": _knobs()}


def _schemas_named(part: Any) -> Any:
    """Let each field that holds a JSON schema refer to the supported part of JSON Schema."""
    if isinstance(part, dict):
        if part.get("format") == "json-schema":
            return _refer("JsonSchema")
        return {name: _schemas_named(value) for name, value in part.items()}
    return [_schemas_named(value) for value in part] if isinstance(part, list) else part


def _refer(name: str | None) -> Row:
    return {"$ref": REFER.format(model=name)} if name else {"type": "object"}


def _refusals(*statuses: int, anthropic: bool = False) -> Row:
    content = {"application/json": {"schema": _refer("AnthropicError" if anthropic else "ErrorBody")}}
    return {str(status): {"description": _STATUSES[status], "content": content} for status in statuses}


def _get(summary: str, answer: str | None, *more: int) -> Row:
    content = {"application/json": {"schema": _refer(answer)}}
    refusals = _refusals(401, 403, *more) if answer else {}
    return {"summary": summary, "responses": {"200": {"description": "ok", "content": content}, **refusals}}


def _post(summary: str, request: str, answer: str, chunk: str, anthropic: bool = False) -> Row:
    content: Row = {"application/json": {"schema": _refer(answer)}}
    if chunk:
        about = f"server-sent events, the data of each a {chunk}"
        content["text/event-stream"] = {"schema": {"type": "object", "description": about}}
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": _refer(request)}}},
        "responses": {
            "200": {"description": "the answer", "content": content},
            **_refusals(400, 401, 403, 404, 408, 413, 415, 429, 500, 503, anthropic=anthropic),
        },
    }


_STATUSES = {
    400: "the request is invalid; param names the parameter",
    401: "no key, or an unknown one",
    403: "this API is off for other machines",
    404: "no such model",
    408: "the body arrived too slowly",
    413: "the body is too large",
    415: "the body is not JSON",
    429: "too many requests; retry after Retry-After seconds",
    500: "the model failed",
    503: "at capacity, or stopping; retry after Retry-After seconds",
}


def _object(required: str, **properties: Row) -> Row:
    return {"type": "object", "required": required.split(), "properties": properties}


_OTHERS: Row = {
    # a small part of the JSON schemas that the grammar supports
    "JsonSchema": {
        "type": "object",
        "required": ["type", "properties"],
        "additionalProperties": False,
        "properties": {
            "type": {"const": "object"},
            "description": _TEXT,
            "properties": {
                "type": "object",
                "maxProperties": 4,
                "propertyNames": {"pattern": "^[a-z_]{1,12}$"},
                "additionalProperties": {
                    "type": "object",
                    "required": ["type"],
                    "additionalProperties": False,
                    "properties": {"type": {"enum": ["string", "integer", "boolean", "null"]}, "description": _TEXT},
                },
            },
        },
    },
    "Response": _object(
        "id object status model output usage",
        id=_TEXT,
        object={"const": "response"},
        status={"enum": ["completed", "incomplete"]},
        model=_TEXT,
        output={"type": "array", "minItems": 1, "items": {"type": "object", "required": ["id", "type", "status"]}},
        usage=_object("input_tokens output_tokens total_tokens", input_tokens=_COUNT, output_tokens=_COUNT),
    ),
    "AnthropicMessage": _object(
        "id type role model content stop_reason usage",
        id=_TEXT,
        type={"const": "message"},
        role={"const": "assistant"},
        model=_TEXT,
        content={"type": "array", "items": {"type": "object", "required": ["type"]}},
        stop_reason={"enum": ["end_turn", "max_tokens", "stop_sequence", "tool_use"]},
        usage=_object("input_tokens output_tokens", input_tokens=_COUNT, output_tokens=_COUNT),
    ),
    "InputTokens": _object("input_tokens", input_tokens=_COUNT),
    "CountedInput": _object("object input_tokens", object={"const": "response.input_tokens"}, input_tokens=_COUNT),
    "Health": _object("status", status=_TEXT),
    "AnthropicError": _object(
        "type error", type={"const": "error"}, error=_object("type message", type=_TEXT, message=_TEXT)
    ),
}
