"""A server with toys on a real port, and callers who keep what they were sent."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.live.test_device import Slow
from tests.until import LONG, until
from unmask.canvas import NOTHING
from unmask.models.toy import Toy
from unmask.serve.runtime import Runtime


class Place:
    """A server with a toy, a slow toy and a causal toy, and those who call on it."""

    def __init__(self, runtime: Runtime, port: int) -> None:
        self.runtime, self.port = runtime, port
        self.toy, self.slow, self.twin = Toy(seed=0), Slow(0.01), Causal()
        for name, model in (("toy", self.toy), ("denoiser", self.slow), ("twin", self.twin)):
            self.offer(name, model)

    def offer(self, name: str, model: Toy) -> None:
        self.runtime.loader.put(name, model)

    @contextlib.asynccontextmanager
    async def caller(self, **fields: Any) -> AsyncIterator["Caller"]:
        async with connect(
            f"ws://127.0.0.1:{self.port}/ws", max_size=None, open_timeout=LONG, ping_interval=None, **fields
        ) as line:
            yield Caller(line)

    async def quiet(self) -> None:
        """Until nothing plays."""
        await until(lambda: not any(s.playing for s in self.runtime.sessions.alive.values()))


class Causal(Toy):
    """Right about the leftmost open cell alone; its vocabulary has words."""

    def __init__(self) -> None:
        super().__init__(seed=3)
        self.card = replace(self.card, causal=True)


class Caller:
    """Somebody with a line, and everything they heard."""

    def __init__(self, line: ClientConnection) -> None:
        self.line, self.messages, self.sizes = line, list[dict[str, Any]](), deque[int]()
        self.session, self.keys = "", dict[str, str]()

    async def say(self, do: str, **fields: Any) -> None:
        await self.line.send(json.dumps({"do": do, "session": self.session} | fields))

    async def hear(self, *names: str) -> dict[str, Any]:
        """The next message of one of these names; others are heard on the way."""
        async with asyncio.timeout(LONG):
            while True:
                raw = await self.line.recv()
                self.messages.append(json.loads(raw))
                self.sizes.append(len(raw))
                if self.messages[-1]["did"] in names:
                    return self.messages[-1]

    async def open(self, model: str = "toy", **fields: Any) -> dict[str, Any]:
        settings = {"policy": "confidence", "passes": 8} | fields.pop("settings", {})
        sides = [{"model": model, "settings": settings}]
        await self.say("open", **{"sides": sides, "prompt": "3 1 4 1 5", "length": 16} | fields)
        opened = await self.hear("opened", "refused")
        self.session, self.keys = opened.get("session", ""), opened.get("keys", {})
        return opened

    async def closed(self) -> int:
        """The code it is closed with."""
        async with asyncio.timeout(LONG):
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await self.line.recv()
        return int(self.line.close_code or 0)


def drawn(rows: Sequence[dict[str, Any]]) -> list[int]:
    """The canvas that the messages of one session lead to, as a page would draw it."""
    tokens: list[int] = []
    for row in rows:
        if "canvas" in row:
            tokens = list(row["canvas"]["tokens"])
        if row["did"] == "stepped":
            for cell, token in zip(row["w"], row["t"], strict=True):
                tokens[cell] = token
            for cell in row.get("x", []):
                tokens[cell] = NOTHING
    return tokens
