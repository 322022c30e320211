"""Reads a request's JSON body within a time limit, and limits how many answers are generated at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from unmask.serve.api_error import ApiError

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


class ConcurrencyLimit:
    """Limits how many answers are generated at once; a caller beyond that gets 429 with Retry-After."""

    def __init__(self, most: int) -> None:
        self.most, self.in_use = most, 0

    @contextmanager
    def take(self, many: int) -> Iterator[None]:
        """Hold so many places during a `with` block."""
        self.check(many)
        self.in_use += many
        try:
            yield
        finally:
            self.in_use -= many

    def check(self, many: int) -> None:
        if many > self.most:
            raise ApiError(400, f"{many} answers are too many: ask for at most {self.most}", "n", "invalid_value")
        if self.in_use + many > self.most:
            why = f"{self.in_use} of {self.most} answers are in progress: try again in a moment"
            raise ApiError(429, why, code="too_many_requests", headers={"Retry-After": "2"})
