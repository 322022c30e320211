"""Errors of the HTTP API, in OpenAI's format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class ApiError(Exception):
    """A request that is refused or has failed: HTTP status, message, the parameter it is about, and an error code."""

    def __init__(
        self,
        status: int,
        message: str,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code
        self.headers = dict(headers or {})

    def plain(self) -> dict[str, Any]:
        """The error as a JSON body, as OpenAI's clients expect it."""
        kind = _TYPES.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


def unsupported(param: str, why: str) -> ApiError:
    """The error for a known parameter that has no effect here: ignoring it silently would mislead the caller."""
    return ApiError(400, f"{param} is not supported here: {why}", param, "unsupported_parameter")
