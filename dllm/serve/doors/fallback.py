"""Fallback for blocked sockets: the same messages over HTTP, out as server-sent events and in by POST."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.datastructures import Address
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from unmask.serve.admission import is_local, visitor
from unmask.serve.doors.messages import LARGEST
from unmask.serve.doors.socket import Visit
from unmask.serve.runtime import Runtime

ROOM = 256  # queued messages in each direction


class FallbackConnection:
    """A connection made of an event stream and POST requests, with the interface of a socket."""

    def __init__(self, client: Address | None) -> None:
        self.client = client
        self.inward: asyncio.Queue[dict[str, Any]] = asyncio.Queue(ROOM)
        self.outward: asyncio.Queue[str | None] = asyncio.Queue(ROOM)

    async def receive(self) -> dict[str, Any]:
        return await self.inward.get()

    async def send_text(self, data: str) -> None:
        await self.outward.put(data)  # waits for a slow reader, as a socket does

    async def close(self, code: int = 1000, reason: str | None = None) -> None:
        self.hang_up()

    def hang_up(self) -> None:
        """End both directions."""
        for queue, last in ((self.inward, {"type": "websocket.disconnect"}), (self.outward, None)):
            while queue.full():
                queue.get_nowait()
            queue.put_nowait(last)  # type: ignore[arg-type]


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes of the fallback."""
    lines: dict[str, FallbackConnection] = {}

    async def listen(request: Request) -> Response:
        # the name is the secret that a POST needs
        name, line = (
            secrets.token_urlsafe(18),
            FallbackConnection(request.client),
        )
        lines[name] = line
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        client = request.client.host if request.client else ""
        who, home = visitor(request.headers, client), is_local(request.headers, client)
        return StreamingResponse(events(name, line, who, home), media_type="text/event-stream", headers=headers)

    async def events(name: str, line: FallbackConnection, who: str, at_home: bool) -> AsyncIterator[bytes]:
        visit = asyncio.ensure_future(Visit(runtime, line, who, at_home).run())
        try:
            yield b"data: " + orjson.dumps({"did": "line", "line": name}) + b"\n\n"
            while (text := await line.outward.get()) is not None:
                yield f"data: {text}\n\n".encode()
        finally:
            lines.pop(name, None)
            line.hang_up()
            await asyncio.wait([visit], timeout=5)

    async def speak(request: Request) -> Response:
        line = lines.get(request.path_params["name"])
        if line is None:
            return Response(status_code=404)
        raw = b""
        async for part in request.stream():
            raw += part
            if len(raw) > LARGEST:
                line.hang_up()
                return Response(status_code=413)
        if line.inward.full():
            return Response(status_code=429)
        line.inward.put_nowait({"type": "websocket.receive", "text": raw.decode("utf-8", "replace")})
        return Response(status_code=204)

    return [Route("/line", listen, methods=["GET"]), Route("/line/{name}", speak, methods=["POST"])]
