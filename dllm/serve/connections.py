"""HTTP connections with deadlines, and room for newcomers when the process runs out of file descriptors."""

from __future__ import annotations

import asyncio
import errno
import time
from asyncio import constants
from collections.abc import Mapping
from typing import Any, ClassVar

import h11
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from unmask.config import config

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

RESERVE = 64  # file descriptors for files, models and connections to other servers
BODY_GRACE = 2.0  # seconds after the answer 408 in which the connection is closed
RETRY_SECONDS = 0.05  # after `accept` failed for want of a file descriptor; asyncio's default is a second


class TimedConnection(H11Protocol):
    """A connection that is closed if the head or the body of any of its requests takes longer than the read timeout."""

    idle: ClassVar[set[TimedConnection]] = set()  # connections of this process on which no request is being answered
    _expected = ""  # what the client has not sent completely: a head or a body
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if isinstance(self.app, ProxyHeadersMiddleware):  # it would believe any program on this machine
            self.app = self.app.app
        self._watch()
        while len(self.connections) > connection_limit() and close_oldest():
            pass

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._expect("")

    def _watch(self) -> None:
        became_socket = self.transport.get_protocol() is not self
        if became_socket or self.transport.is_closing():
            self._expect("")
        else:
            self._expect({h11.IDLE: "head", h11.SEND_BODY: "body"}.get(self.conn.their_state, ""))

    def _expect(self, part: str) -> None:
        """Start a deadline when the client begins to send a part, and end it when that is complete."""
        if part == self._expected:
            return
        self._expected, self.since = part, time.monotonic()
        (self.idle.add if part == "head" else self.idle.discard)(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if part:
            seconds = config().read_timeout + (BODY_GRACE if part == "body" else 0.0)
            self._deadline = self.loop.call_later(seconds, self.transport.abort)


def close_oldest() -> bool:
    """Close the connection that has been idle for the longest time; whether there was one."""
    oldest = min(TimedConnection.idle, key=lambda c: c.since, default=None)
    if oldest is None:
        return False
    TimedConnection.idle.discard(oldest)
    oldest.connections.discard(oldest)
    oldest.transport.abort()
    return True


def connection_limit() -> int:
    """Connections for which this process may have file descriptors."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource else 1 << 16
    return most - min(RESERVE, most // 4)


def share_limit() -> int:
    """Open requests and sockets of one visitor: as configured, and at most half of what the process can have."""
    return min(config().visitor_connections, connection_limit() // 2)


def handle_loop_error(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """asyncio's handler, except that a lack of file descriptors is answered by closing idle connections."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        close_oldest()
        return
    loop.default_exception_handler(dict(context))


def survive_lack_of_descriptors(loop: asyncio.AbstractEventLoop) -> None:
    """Keep accepting connections when descriptors run out: asyncio would log a traceback for each that waits."""
    vars(constants)["ACCEPT_RETRY_DELAY"] = RETRY_SECONDS
    loop.set_exception_handler(handle_loop_error)
