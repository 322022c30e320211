"""What the JSON routes of features have in common: who asks, a body as a value, answers, and refusals as sentences."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from unmask.errors import InvalidRequest
from unmask.run.message import read
from unmask.serve import admission

B = TypeVar("B", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]


def visitor(request: Request) -> str:
    """The visitor who asks."""
    return admission.visitor(request.headers, request.client.host if request.client else "")


def is_local(request: Request) -> bool:
    """Whether the caller is on this machine, so that it may name any folder or id."""
    return admission.is_local(request.headers, request.client.host if request.client else "")


async def body(kind: type[B], request: Request) -> B:
    """The body of a request; InvalidRequest names the first field that is wrong."""
    try:
        row = orjson.loads(await request.body())
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"the message is no JSON: {error}"[:200]) from None
    read_body: B = read(_adapter(kind), row, "message")
    return read_body


def answer(row: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON response that must not be cached."""
    return Response(orjson.dumps(row), status, {"Cache-Control": "no-store"}, "application/json")


def refused(why: str, status: int = 400) -> Response:
    return answer({"why": why}, status)


def refusing(handler: Handler) -> Handler:
    """The handler; what it refuses is answered with the reason."""

    async def run(request: Request) -> Response:
        try:
            return await handler(request)
        except InvalidRequest as reason:
            return refused(str(reason))

    return run


@cache
def _adapter(kind: type[B]) -> TypeAdapter[B]:
    return TypeAdapter(kind)
