"""Who may come in at all: pages of ours and programs; and who sits at this machine itself."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from unmask.config import config

TRUSTED = (".hf.space", ".huggingface.co", ".gradio.live")
# A proxy says so in these, and then the near address is not the caller's.
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def welcome(origin: str | None, host: str) -> bool:
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


def near(headers: Mapping[str, str], client: str) -> bool:
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
