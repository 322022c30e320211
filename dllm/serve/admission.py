"""Who may call: pages and programs by their origin, and callers of /v1 by their key."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from hashlib import sha256
from urllib.parse import urlsplit

from unmask.config import config
from unmask.serve.api_error import ApiError

TRUSTED = (".hf.space", ".huggingface.co", ".gradio.live")
# A proxy says so in these, and then the near address is not the caller's.
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def is_allowed(origin: str | None, host: str) -> bool:
    """Is this a page of ours, or a program? A rebound name or a foreign page is neither."""
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
    try:  # a number cannot be rebound
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_local(headers: Mapping[str, str], client: str) -> bool:
    """Is the caller on this machine, and nobody passes on for somebody else?"""
    try:
        return ipaddress.ip_address(client).is_loopback and not any(name in headers for name in _PASSED_ON)
    except ValueError:
        return False


def visitor(headers: Mapping[str, str], client: str) -> str:
    """Whose request this is: an address, and behind the owner's own proxies the one that they saw.

    Of IPv6 a home has a whole network, so the first 64 bits count."""
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
        """Let a request in, or say in a sentence why not."""
        if not self._hashes:
            if not is_local(headers, client):
                raise ApiError(403, "this API is off: its owner turns it on by setting UNMASK_API_KEYS", code="api_off")
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
        for stored in self._hashes:  # every one is compared, so the time says nothing
            found |= hmac.compare_digest(digest, stored)
        return found
