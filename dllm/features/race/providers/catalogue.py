"""Downloads prices and model ids from the gateways' own lists:
`python -m unmask.features.race.providers.catalogue`."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import sys
from collections.abc import Mapping
from typing import Any

import httpx

from unmask.features.race.providers.cards import LISTS, cards, lists_file, price_lists, shipped
from unmask.features.race.providers.transport import PublicTransport

LARGEST = 16 << 20  # bytes of a list
_NAMES = {"openrouter": ("prompt", "completion"), "vercel": ("input", "output")}  # each in dollars a token


def read(way: str, value: Any) -> dict[str, tuple[float, float] | None]:
    """Dollars for a million tokens (input, output), by model; None if the list has no usable price."""
    found: dict[str, tuple[float, float] | None] = {}
    rows = value.get("data", []) if isinstance(value, Mapping) else []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, Mapping) and isinstance(row.get("id"), str):
            pricing = row.get("pricing")
            pair = [_dollars(pricing.get(n)) if isinstance(pricing, Mapping) else None for n in _NAMES[way]]
            found[row["id"]] = (pair[0], pair[1]) if pair[0] is not None and pair[1] is not None else None
    return found


async def refresh(allowed: frozenset[str] = frozenset(), lists: Mapping[str, str] = LISTS) -> dict[str, str]:
    """Download and store every gateway's list; returns a result for each."""
    report: dict[str, str] = {}
    lists_read: dict[str, Any] = {}
    async with httpx.AsyncClient(transport=PublicTransport(allowed, LARGEST), timeout=20, trust_env=False) as web:
        for way, url in lists.items():
            try:
                async with web.stream("GET", url) as answer:
                    answer.raise_for_status()
                    raw = bytearray()
                    async for piece in answer.aiter_bytes():
                        raw += piece
                        if len(raw) > LARGEST:
                            raise ValueError("too large")
                lists_read[way] = read(way, json.loads(raw))
                report[way] = f"{len(lists_read[way])} models"
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                report[way] = f"not reached ({type(error).__name__}); the stored list is kept"
    if lists_read:
        before = price_lists().get("lists", {})
        lists_file().parent.mkdir(parents=True, exist_ok=True)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        lists_file().write_text(json.dumps({"date": today, "lists": before | lists_read}), encoding="utf-8")
        cards.cache_clear()
    return report


def _dollars(value: Any) -> float | None:
    try:
        price = float(value) * 1e6
    except (TypeError, ValueError):
        return None
    return round(price, 6) if 0 <= price < 1e6 else None


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for way, word in asyncio.run(refresh()).items():
        print(f"{way}: {word}", file=sys.stderr)
    for one in shipped().values():
        now = cards()[one.name]
        if now != one:
            print(f"{one.name}: {one.price} -> {now.price}{'' if now.confirmed else ', not in the list'}")
