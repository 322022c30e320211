"""Checks of a caller: its Origin and Host, whether it is on this machine, its visitor, and its key."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from hashlib import sha256
from urllib.parse import urlsplit

from unmask.config import config
from unmask.serve.api_error import ApiError

TRUSTED = (".hf.space", ".huggingface.co", ".gradio.live")
# Headers that a proxy adds: then the address of the connection is not the caller's.
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def is_allowed(origin: str | None, host: str) -> bool:
    """Whether a request comes from a page of this server or from a program; guards against DNS rebinding and CSRF."""
    try:
        name, page = urlsplit(f"//{host}").hostname or "", urlsplit(origin or "").netloc.lower()
    except ValueError:
        return False
    if not _ours(name):
        return False
    if origin is None:  # programs send none
        return True
    return page == host.lower() or origin.lower() in config().origins


def _ours(name: str) -> bool:
    if name and (name in ("localhost", *config().hosts, config().space_host) or name.endswith(TRUSTED)):
        return True
    try:  # an IP address cannot be rebound
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_local(headers: Mapping[str, str], client: str) -> bool:
    """Whether the caller is on this machine, and not behind a proxy."""
    try:
        return ipaddress.ip_address(client).is_loopback and not any(name in headers for name in _PASSED_ON)
    except ValueError:
        return False


def visitor(headers: Mapping[str, str], client: str) -> str:
    """The visitor of a request: its address, or behind trusted proxies the one that they report.

    Of an IPv6 address only the first 64 bits count, since one home has that whole network."""
    passed = [part.strip() for part in headers.get("x-forwarded-for", "").split(",") if part.strip()]
    proxies = config().proxies
    address = passed[-proxies] if 0 < proxies <= len(passed) else client
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is None:
        return str(ipaddress.ip_network(f"{ip}/64", strict=False))
    return str(ip)


class Keys:
    """The keys of a server, kept as hashes only, so that none can be printed, logged or dumped."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._hashes = tuple(sha256(key.encode()).digest() for key in keys if key)

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def __repr__(self) -> str:
        return f"Keys({len(self._hashes)})"

    def admit(self, headers: Mapping[str, str], client: str) -> None:
        """Raise an `ApiError` unless a request may use a route that needs a key."""
        if not self._hashes:
            if not is_local(headers, client):
                raise ApiError(
                    403, "this API is off: the server's owner turns it on by setting UNMASK_API_KEYS", code="api_off"
                )
            if not is_allowed(headers.get("origin"), headers.get("host", "")):
                raise ApiError(
                    403, "without a key only programs on this machine and its own page may call", code="origin"
                )
            return
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if theirs := headers.get("x-api-key"):  # as Anthropic's clients send it
            scheme, key = "bearer", theirs
        if scheme.lower() != "bearer" or not key:
            why = "send a key in the header 'Authorization: Bearer ...'; one in the address is not read"
            raise ApiError(401, why, code="missing_api_key", headers={"WWW-Authenticate": "Bearer"})
        if not self._holds(key.strip()):
            raise ApiError(401, "this key is not known", code="invalid_api_key", headers={"WWW-Authenticate": "Bearer"})

    def _holds(self, key: str) -> bool:
        digest = sha256(key.encode("utf-8", "surrogateescape")).digest()
        found = False
        for stored in self._hashes:  # compare all, so that the response time reveals nothing
            found |= hmac.compare_digest(digest, stored)
        return found
