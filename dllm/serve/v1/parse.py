"""Reads the requests of /v1, from bytes to fields. A parameter that would have no effect is refused, not ignored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from unmask.serve.api_error import ApiError, unsupported
from unmask.serve.v1.request import Body, Chat, whole

SLOWEST = 30.0  # seconds in which a body must arrive


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


# Parameters that are refused: the values that are accepted because they ask for nothing, and the reason.
REFUSED: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "functions": ((None, []), "use tools instead"),
    "function_call": ((None, "none", "auto"), "use tool_choice instead"),
    "modalities": ((None, ["text"]), "these models write text"),
    "audio": ((None,), "these models write text"),
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
    fields = {name: whole(value) for name, value in body.items() if name not in refused}
    check_parts(body.get("messages"))
    try:
        request = kind.model_validate(fields)
    except ValidationError as error:
        raise first_error(error, fields) from None
    if isinstance(request, Chat) and request.top_logprobs and not request.logprobs:
        raise ApiError(400, "top_logprobs needs logprobs to be true", "top_logprobs", "invalid_value")
    if isinstance(request, Body) and request.logprob_token_ids and not request.reads_canvas:
        raise unsupported("logprob_token_ids", "only a canvas that is read, with vllm_xargs, has them")
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


def _same(given: Any, value: Any) -> bool:
    return bool(given == value) and (isinstance(given, bool) == isinstance(value, bool))


def first_error(error: ValidationError, body: Any = None) -> ApiError:
    """A validation error as an `ApiError`, named by the path to the field in the body.

    Where a field may be of several types there is an error for each: the one that leads deepest is meant."""
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    found = max(errors, key=lambda one: len(_path(one["loc"], body)))
    where = ".".join(_path(found["loc"], body)) or (str(found["loc"][0]) if found["loc"] else "")
    match found["type"]:
        case "missing":
            return ApiError(400, f"{where} is missing", where, "missing_required_parameter")
        case "extra_forbidden":
            return ApiError(400, f"{where} is not a parameter here", where[:256], "unknown_parameter")
        case _:
            reason = str(found["msg"])
            return ApiError(400, f"{where}: {reason[0].lower()}{reason[1:]}", where[:256], "invalid_value")
