"""Checks of a caller: its Origin and Host, whether it is on this machine, its visitor, and its key."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from unmask.config import config
from unmask.serve.api_error import ApiError

SPACE_HOSTS = (".hf.space", ".huggingface.co")  # hosts of a Space, accepted only there
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
    if name and name in ("localhost", *config().hosts, config().space_host):
        return True
    if (config().space or config().space_host) and name.endswith(SPACE_HOSTS):
        return True
    try:  # an IP address cannot be rebound
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_local(headers: Headers, client: str) -> bool:
    """Whether the caller is on this machine: a loopback address, no proxy, and nothing configured for other people.

    A proxy on this machine connects from a loopback address too, and may add no header that shows it."""
    ip = _address(client)
    direct = ip is not None and ip.is_loopback and not any(name in headers for name in _PASSED_ON)
    return direct and not config().for_others


def visitor(headers: Headers, client: str) -> str:
    """The visitor of a request: its address, or behind trusted proxies the one that they report.

    Each proxy adds an entry at the end, perhaps as another line, so only the last entries can be trusted. Of an IPv6
    address only the first 64 bits count, since one home has that whole network."""
    lines = ",".join(headers.getlist("x-forwarded-for"))
    passed, proxies = [part.strip() for part in lines.split(",") if part.strip()], config().proxies
    ip = (_address(passed[-proxies]) if 0 < proxies <= len(passed) else None) or _address(client)
    if ip is None:
        return client[:64]
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network(f"{ip}/64", strict=False))
    return str(ip)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IP address, without the port that some proxies append; None if the text is none."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


class Keys:
    """The keys of a server, kept as hashes only, so that none can be printed, logged or dumped."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._hashes = tuple(sha256(key.encode()).digest() for key in keys if key)

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def __repr__(self) -> str:
        return f"Keys({len(self._hashes)})"

    def admit(self, headers: Headers, client: str) -> None:
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
