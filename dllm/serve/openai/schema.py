"""What /v1 is, for programs: an OpenAPI document made from the types that check the requests."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from dllm.serve.openai.request import REFUSED, Chat, Completion

Row = dict[str, Any]
_TEXT: Row = {"type": "string"}
_COUNT: Row = {"type": "integer", "minimum": 0}
_MAYBE: Row = {"type": ["string", "null"]}
_FINISH: Row = {"type": ["string", "null"], "enum": ["stop", "length", None]}


def document() -> Row:
    """OpenAPI 3.1."""
    _, schemas = models_json_schema(
        [(Chat, "validation"), (Completion, "validation")], ref_template="#/components/schemas/{model}"
    )
    unused = ", ".join(REFUSED)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Unmask",
            "version": "1",
            "description": "OpenAI's interface to models that denoise. Refused by name, unless they ask for nothing: "
            f"{unused}.",
        },
        "servers": [{"url": "/v1"}],
        "security": [{"key": []}, {}],
        "paths": {
            "/models": {"get": _get("The models there are", "Models")},
            "/models/{name}": {
                "get": _get("One model", "Model", 404)
                | {"parameters": [{"name": "name", "in": "path", "required": True, "schema": _TEXT}]}
            },
            "/chat/completions": {"post": _post("Answer a conversation", "Chat", "ChatAnswer", "ChatChunk")},
            "/completions": {"post": _post("Go on from a prompt, or fill a gap", "Completion", "Text", "Text")},
            "/fim/completions": {"post": _post("Fill a gap", "Completion", "Text", "Text")},
            "/openapi.json": {"get": {**_get("This document", None), "security": []}},
        },
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": {**schemas["$defs"], **_RESPONSES},
        },
    }


def _refer(name: str | None) -> Row:
    return {"$ref": f"#/components/schemas/{name}"} if name else {"type": "object"}


def _refusals(*statuses: int) -> Row:
    content = {"application/json": {"schema": _refer("Wrong")}}
    return {str(status): {"description": _STATUSES[status], "content": content} for status in statuses}


def _get(summary: str, answer: str | None, *more: int) -> Row:
    content = {"application/json": {"schema": _refer(answer)}}
    refusals = _refusals(401, 403, *more) if answer else {}
    return {"summary": summary, "responses": {"200": {"description": "ok", "content": content}, **refusals}}


def _post(summary: str, request: str, answer: str, chunk: str) -> Row:
    content = {
        "application/json": {"schema": _refer(answer)},
        "text/event-stream": {"schema": {"type": "string", "description": f"data: lines, each a {chunk}"}},
    }
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": _refer(request)}}},
        "responses": {
            "200": {"description": "the answer", "content": content},
            **_refusals(400, 401, 403, 404, 408, 413, 415, 429, 500, 503),
        },
    }


_STATUSES = {
    400: "the request is wrong; param says where",
    401: "no key, or an unknown one",
    403: "this API is off for callers from elsewhere",
    404: "no such model",
    408: "the body came too slowly",
    413: "the body is too large",
    415: "the body is not JSON",
    429: "too much at once; Retry-After says when",
    500: "the model failed",
    503: "full, or stopping; Retry-After says when",
}


def _object(required: str, **properties: Row) -> Row:
    return {"type": "object", "required": required.split(), "properties": properties}


def _list(of: Row) -> Row:
    return {"type": "array", "items": of}


_TOKEN = _object(
    "token logprob bytes", token=_TEXT, logprob={"type": "number", "maximum": 0}, bytes=_list({"type": "integer"})
)
_LOGPROBS = {
    "type": ["object", "null"],
    "properties": {"content": _list({**_TOKEN, "properties": {**_TOKEN["properties"], "top_logprobs": _list(_TOKEN)}})},
}
_TEXT_LOGPROBS = {
    "type": ["object", "null"],
    "properties": {
        "tokens": _list(_TEXT),
        "token_logprobs": _list({"type": "number"}),
        "top_logprobs": _list({"type": "object"}),
        "text_offset": _list(_COUNT),
    },
}
_DIFFUSION = _object(
    "passes tokens_per_pass seed",
    passes={**_COUNT, "description": "refinements of the canvas"},
    tokens_per_pass={"type": "number", "minimum": 0},
    seed={**_COUNT, "description": "the seed that gives this answer again"},
)
_USAGE = _object(
    "prompt_tokens completion_tokens total_tokens x_diffusion",
    prompt_tokens=_COUNT,
    completion_tokens=_COUNT,
    total_tokens=_COUNT,
    x_diffusion=_DIFFUSION,
)
_HEAD: Row = {"id": _TEXT, "created": _COUNT, "model": _TEXT, "system_fingerprint": _TEXT}
_MESSAGE = _object("role content", role={"const": "assistant"}, content=_TEXT, refusal=_MAYBE)
_DELTA: Row = {"type": "object", "properties": {"role": {"const": "assistant"}, "content": _TEXT}}
_DRAFT = _object(
    "diffusion_content diffusion_progress",
    diffusion_content=_TEXT,
    diffusion_progress={"type": "number", "minimum": 0, "maximum": 1},
)
_REPLACING: Row = {"diffusion_meta": _DRAFT, "x_frame": {"type": ["object", "null"]}}


def _answer(kind: str, choice: Row, **more: Row) -> Row:
    usage = {"anyOf": [_USAGE, {"type": "null"}]}
    return _object(
        "id object created model choices", object={"const": kind}, choices=_list(choice), usage=usage, **_HEAD, **more
    )


_RESPONSES: Row = {
    "Model": _object("id object created owned_by", id=_TEXT, object={"const": "model"}, created=_COUNT, owned_by=_TEXT),
    "Models": _object("object data", object={"const": "list"}, data=_list(_refer("Model"))),
    "ChatAnswer": _answer(
        "chat.completion",
        _object(
            "index message finish_reason", index=_COUNT, message=_MESSAGE, logprobs=_LOGPROBS, finish_reason=_FINISH
        ),
    ),
    "ChatChunk": _answer(
        "chat.completion.chunk",
        _object("index delta finish_reason", index=_COUNT, delta=_DELTA, logprobs=_LOGPROBS, finish_reason=_FINISH),
        **_REPLACING,
    ),
    "Text": _answer(
        "text_completion",
        _object("index text finish_reason", index=_COUNT, text=_TEXT, logprobs=_TEXT_LOGPROBS, finish_reason=_FINISH),
        **_REPLACING,
    ),
    "Wrong": _object(
        "error",
        error={
            **_object("message type param code", message=_TEXT, type=_TEXT, param=_MAYBE, code=_MAYBE),
            "additionalProperties": False,
        },
    ),
}
