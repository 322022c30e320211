"""Connections on which nobody asks for anything are closed: a thousand of them cost a caller nothing."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from unmask.config import config


class Punctual(H11Protocol):
    """One connection, whose first request must be whole in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(config().patience, self._late)

    def _late(self) -> None:
        begun: object = self.cycle  # its first request, of which h11 makes a cycle once its head is whole
        became_socket = self.transport.get_protocol() is not self
        if begun is None and not became_socket and not self.transport.is_closing():
            self.transport.abort()
