"""Reads and writes socket messages: one JSON object each. Anything else closes the socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Protocol

import orjson
from starlette.datastructures import Address

LARGEST = 64 * 1024  # bytes of one message
LONGEST = 200  # characters of an id that is returned


class Connection(Protocol):
    """The part of a WebSocket's interface that is used here."""

    @property
    def client(self) -> Address | None: ...
    async def receive(self) -> Any: ...
    async def send_text(self, data: str) -> None: ...
    async def close(self, code: int = 1000, reason: str | None = None) -> None: ...


def encode_message(row: Mapping[str, Any]) -> str:
    """A message as JSON text."""
    return orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS).decode()


def numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields by which a client matches an answer to its request."""
    return {"ref": _simple(row.get("ref"))} | {k: _simple(row[k]) for k in ("session", "id") if k in row}


def _simple(value: Any) -> Any:
    """A number or a short text as it is; anything else is not returned."""
    return value if isinstance(value, int | float) or (isinstance(value, str) and len(value) <= LONGEST) else None


async def messages(socket: Connection, in_time: Callable[[], bool] = lambda: True) -> AsyncIterator[dict[str, Any]]:
    """The messages of a connection, until the client leaves or sends something invalid."""
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        raw = message.get("text") or message.get("bytes") or b""
        if len(raw) > LARGEST:
            await socket.close(1009)
            return
        if not in_time():
            await socket.close(1008, "too many messages at once")
            return
        try:
            row = orjson.loads(raw)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("do"), str):
            await socket.close(1008, "a message is one JSON object with a 'do'")
            return
        yield row
