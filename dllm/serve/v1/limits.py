"""How much one request may bring, how long it may take to bring it, and how many run at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from unmask.serve.api_error import ApiError

SLOWEST = 30.0  # seconds that a body may take


async def json_body(request: Request) -> dict[str, Any]:
    """The object in a request's body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ApiError(415, "send the body as application/json", code="unsupported_media_type")
    try:
        async with asyncio.timeout(SLOWEST):
            raw = await request.body()  # the gate counts its bytes
    except TimeoutError:
        raise ApiError(408, f"the body did not arrive within {SLOWEST:g} seconds", code="timeout") from None
    except ClientDisconnect:
        raise ApiError(400, "the caller left") from None
    try:
        body = orjson.loads(raw)  # refuses NaN, Infinity, bad UTF-8 and deep nesting
    except ValueError:
        raise ApiError(400, "the body is not JSON", code="invalid_json") from None
    if not isinstance(body, dict):
        raise ApiError(400, "the body must be one JSON object", code="invalid_json")
    return body


class ConcurrencyLimit:
    """The answers that may be written at once; a caller who finds none free gets a time to come back."""

    def __init__(self, most: int) -> None:
        self.most, self.in_use = most, 0

    @contextmanager
    def take(self, many: int) -> Iterator[None]:
        """So many places, for as long as the block lasts."""
        self.check(many)
        self.in_use += many
        try:
            yield
        finally:
            self.in_use -= many

    def check(self, many: int) -> None:
        if many > self.most:
            raise ApiError(400, f"{many} answers are asked for and {self.most} is the most", "n", "invalid_value")
        if self.in_use + many > self.most:
            why = f"{self.in_use} answers are being written and {self.most} is the most: try again in a moment"
            raise ApiError(429, why, code="too_many_requests", headers={"Retry-After": "2"})
