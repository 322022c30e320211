"""What is claimed in public, side by side, each with who claims it, where, when, and on what condition."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("claims.toml")


@cache
def claims() -> list[dict[str, Any]]:
    """Every claim; an article without an address is named by its title alone."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["claim"]
    empty = {"by": "", "condition": "", "source": "", "article": "", "date": "", "seen": "", "check": ""}
    return [empty | row for row in rows]
