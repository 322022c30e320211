"""Requests to a server that runs a model, and what goes wrong with them as a sentence."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from unmask.config import environment_key
from unmask.errors import InvalidRequest, ModelError

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 16 << 20  # of an answer
PATIENCE, CONNECT = 60.0, 5.0  # seconds for an answer, and to reach the server
TRIES = 3  # of a request to a server that is full or starting
LONGEST_WAIT = 10.0  # seconds before another try
BUSY = (429, 502, 503)
KEY = "UNMASK_ATTACH_KEY"


class Server:
    """One server, by its address."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address.rstrip("/"))
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise InvalidRequest(f"'{address[:80]}' is not the address of a server: http://HOST:PORT/v1")
        self.base = f"{parts.scheme}://{parts.netloc}"
        self.path = parts.path or "/v1"
        self.name = parts.netloc
        self.round_trip = math.inf  # seconds of the quickest request that needs no model
        self._local = threading.local()  # a connection for each thread

    def get(self, path: str) -> Any:
        began = time.perf_counter()
        answer = self._request("GET", path, None)
        self.round_trip = min(self.round_trip, time.perf_counter() - began)
        return answer

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._request("POST", path, body)

    def own_seconds(self, answer: Any, whole: float) -> float:
        """Of the seconds until an answer, those that the server's model needed: as it says, or without a round trip."""
        with suppress(KeyError, TypeError, ValueError):
            return min(float(answer["usage"]["x_diffusion"]["device_ms"]) / 1000, whole)
        return max(whole - self.round_trip, 0.0)

    def _client(self) -> httpx.Client:
        import httpx

        if not hasattr(self._local, "client"):
            timeout = httpx.Timeout(PATIENCE, connect=CONNECT)
            self._local.client = httpx.Client(timeout=timeout, trust_env=False, follow_redirects=False)
        found: httpx.Client = self._local.client
        return found

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        import httpx
        import orjson

        key = environment_key(KEY)  # read when it is used, and kept nowhere
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        for left in range(TRIES - 1, -1, -1):
            try:
                status, wait, raw = self._once(method, path, body, headers)
            except httpx.TimeoutException:
                raise ModelError(f"{self.name} did not answer within {PATIENCE:.0f} seconds") from None
            except httpx.TransportError:
                if left:  # the connection was closed in the middle, or the server is starting again
                    time.sleep(0.2)
                    continue
                raise ModelError(f"{self.name} cannot be reached") from None
            if status in BUSY and left:
                time.sleep(min(wait, LONGEST_WAIT))
                continue
            break
        if 300 <= status < 400:
            raise ModelError(f"{self.name} sends to another address, which is not followed")
        try:
            answer = orjson.loads(raw)
        except ValueError:
            raise ModelError(f"{self.name} answered {status} with something that is not JSON") from None
        if status in BUSY:
            raise ModelError(f"{self.name} is full or not ready ({status}): try again")
        if status != 200:
            raise ModelError(f"{self.name} refused ({status}): {_message(answer)}")
        return answer

    def _once(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> tuple[int, float, bytes]:
        """The status, the seconds to wait before another try, and the body of one answer."""
        with self._client().stream(method, self.base + path, json=body, headers=headers) as response:
            raw = bytearray()
            for part in response.iter_bytes():
                raw += part
                if len(raw) > MOST_BYTES:
                    raise ModelError(f"{self.name} sent more than {MOST_BYTES >> 20} MB")
            after = response.headers.get("retry-after", "")
            return response.status_code, float(after) if after.isdigit() else 0.5, bytes(raw)


def _message(answer: Any) -> str:
    """What a refusal says, shortened."""
    detail = answer.get("error", answer) if isinstance(answer, dict) else answer
    text = detail.get("message", detail) if isinstance(detail, dict) else detail
    return str(text)[:200]
