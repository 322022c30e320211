"""How late the race's client notes the chunks of a remote answer, against the times at which they were sent."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Iterator
from dataclasses import replace

from bench.row import Row, at_most
from tests.features.race.providers.scripted import DONE, chunk, head, rival
from unmask.features.race.providers.cards import Secret, custom_model
from unmask.features.race.providers.client import RemoteRequest
from unmask.features.race.providers.meter import Caps

PIECES, WANTED = 10, 5.0  # milliseconds
SCRIPT = [(0.05, head()), *[(0.03, chunk("word "))] * PIECES, (0.03, chunk(None, "stop")), (0.0, DONE)]


async def lags() -> list[float]:
    """The delay of the first and the last chunk of one answer, in milliseconds."""
    async with rival(SCRIPT) as to:
        card = replace(custom_model(f"{to.origin}/v1", "m"), key="K")
        call = RemoteRequest(card, Secret("k"), "hello", Caps(), allowed=frozenset({to.origin}))
        async for _ in call.run():
            pass
        first, last = (call.meter.first or 0.0) - to.sent[1], (call.meter.end or 0.0) - to.sent[PIECES]
        return [1000 * abs(first), 1000 * abs(last)]


def rows(tiny: bool) -> Iterator[Row]:
    found = [asyncio.run(lags()) for _ in range(3 if tiny else 15)]
    for name, values in zip(("first", "last"), zip(*found, strict=True), strict=True):
        yield at_most(f"a rival's {name} piece is noted late by, median", statistics.median(values), WANTED, " ms")
