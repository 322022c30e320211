"""Text as a terminal may show it: what would move its cursor, rename its window or hide words is a visible sign."""

from __future__ import annotations

import re

# C0 but line ends and tabs, DEL, C1, and the marks that turn the order of what follows
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The same text with a sign for each control character: `␛` for ESC, which begins a terminal's commands."""
    return _CONTROL.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"
