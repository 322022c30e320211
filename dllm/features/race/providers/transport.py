"""HTTP transport for remote models: public https hosts only, DNS resolved once and pinned, no redirects, no proxies."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from unmask.config import config

ANSWER, ERROR = 8 << 20, 64 << 10  # bytes of an answer, and of an error's body
REFUSED = "this address is not allowed: it must be a public https address"


# RFC 6890: protocol addresses, part of which Python's `is_global` accepts
_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "2001::/23", "fec0::/10")))


class ForbiddenAddress(httpx.TransportError):
    """An address that is not public; always with the same sentence, so that it reveals nothing about the network."""

    def __init__(self) -> None:
        super().__init__(REFUSED)


def owner_origins() -> frozenset[str]:
    """Non-public origins that the owner allows, such as `http://127.0.0.1:11434`."""
    return frozenset(config().rival_origins)


class ResponseTooLarge(httpx.TransportError):
    """An answer that is larger than the limit, or compressed."""


class _LimitedBody(httpx.AsyncByteStream):
    """A response body with a limit, checked before a chunk is passed on."""

    def __init__(self, inner: httpx.AsyncByteStream, most: int, arrived: Callable[[], None]) -> None:
        self.inner, self.left, self.arrived = inner, most, arrived

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self.inner:
            self.arrived()
            self.left -= len(piece)
            if self.left < 0:
                raise ResponseTooLarge("its answer is too large")
            yield piece

    async def aclose(self) -> None:
        await self.inner.aclose()


class PublicTransport(httpx.AsyncBaseTransport):
    """A transport for one racer, which records when its request was sent and when bytes arrive."""

    def __init__(self, allowed: frozenset[str] | None = None, most: int = ANSWER) -> None:
        self.most = most
        self.allowed = owner_origins() if allowed is None else allowed
        self.sent_at = 0.0  # when the last byte of the request was out
        self.arrived_at = 0.0  # when the last bytes of the answer came
        self._inner = httpx.AsyncHTTPTransport(trust_env=False)
        self._pins: dict[str, str] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.userinfo or (origin := _origin(url)) is None:
            raise ForbiddenAddress
        host = url.host
        if origin not in self.allowed:
            if url.scheme != "https" or url.port not in (None, 443):
                raise ForbiddenAddress
            pinned = self._pins.get(host) or await _public(host)
            self._pins[host] = pinned
            request.extensions = {
                **request.extensions,
                "sni_hostname": host,
            }  # the certificate is issued for the name, not for the pinned address
            request.url = url.copy_with(host=pinned)
        request.extensions = {**request.extensions, "trace": self._trace}
        request.headers["accept-encoding"] = "identity"  # a small compressed body may expand without limit
        response = await self._inner.handle_async_request(request)
        if response.is_redirect:
            await response.aclose()
            raise ForbiddenAddress
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            await response.aclose()
            raise ResponseTooLarge("it compresses its answers, although it was asked not to")
        most = self.most if response.is_success else ERROR
        stream = cast(httpx.AsyncByteStream, response.stream)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_LimitedBody(stream, most, self._arrived),
            extensions=response.extensions,
        )

    def _arrived(self) -> None:
        self.arrived_at = time.perf_counter()

    async def _trace(self, name: str, _: Any) -> None:
        if name.endswith("send_request_body.complete"):
            self.sent_at = time.perf_counter()

    async def aclose(self) -> None:
        await self._inner.aclose()


def _origin(url: httpx.URL) -> str | None:
    parts = urlsplit(str(url))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return f"{parts.scheme}://{parts.netloc}".lower()


async def _public(host: str) -> str:
    """One address of a host, if all its addresses are public."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(5):
            found = await loop.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError, UnicodeError):
        raise ForbiddenAddress from None
    addresses = [str(row[4][0]).split("%")[0] for row in found]
    if not addresses or not all(public(a) for a in addresses):
        raise ForbiddenAddress
    return addresses[0]


def public(address: str) -> bool:
    """Whether an address is on the public internet and does not embed another kind of address."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and (
        ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip in ipaddress.ip_network("64:ff9b::/96")
    ):
        return False
    if any(ip in network for network in _SPECIAL if network.version == ip.version):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)
