"""Published speed claims, each with its author, source, date and conditions; read from claims.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("claims.toml")


@cache
def claims() -> list[dict[str, Any]]:
    """All claims; a missing field is empty."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["claim"]
    empty = {"by": "", "condition": "", "source": "", "article": "", "date": "", "seen": "", "check": ""}
    return [empty | row for row in rows]
