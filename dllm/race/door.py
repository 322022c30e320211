"""The door of the race: JSON messages on `/race`. Keys come in and never go out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from dllm.canvas import Refused
from dllm.race.entrants import Entrant, Ours, Theirs
from dllm.race.race import ROUNDS, News, Race
from dllm.rivals.cards import card, cards, key_for, own, wanted
from dllm.rivals.claims import claims
from dllm.serve.gate import near, welcome
from dllm.serve.heard import heard
from dllm.serve.host import LEAVING, Host
from dllm.serve.served import Served, offered

LANES, AT_ONCE, LONGEST = 6, 4, 512  # lanes of a race, races at once, tokens of an answer
FRAME = 0.03  # seconds between two pieces of news of one lane


def routes(host: Host, models: tuple[str, ...] = ()) -> list[BaseRoute]:
    """The routes of this door."""
    served, running = Served(host, offered(models)), asyncio.Semaphore(AT_ONCE)

    async def door(socket: WebSocket) -> None:
        if not welcome(socket.headers.get("origin"), socket.headers.get("host", "")):
            await socket.close(1008)
            return
        await socket.accept()
        await _Visit(host, served, running, socket).run()

    return [WebSocketRoute("/race", door)]


class _Visit:
    """One page at the races."""

    def __init__(self, host: Host, served: Served, running: asyncio.Semaphore, socket: WebSocket) -> None:
        self.host, self.served, self.running, self.socket = host, served, running, socket
        self.owner = near(socket.headers, socket.client.host if socket.client else "")
        self.race: asyncio.Task[None] | None = None

    async def run(self) -> None:
        try:
            async for row in heard(self.socket):
                try:
                    await self._take(row)
                except Refused as refused:
                    await self._say({"did": "refused", "why": str(refused)})
        except (WebSocketDisconnect, RuntimeError):
            return
        finally:
            self._stop()

    async def _take(self, row: Mapping[str, Any]) -> None:
        match row.get("do"):
            case "field":
                await self._say(self._field())
            case "race":
                self._stop()
                self.race = asyncio.ensure_future(self._run(self._asked(row), row.get("rounds") == ROUNDS))
            case "stop":
                self._stop()
            case _:
                raise Refused("here one can ask for the field, a race, or to stop")

    def _field(self) -> dict[str, Any]:
        """Who may race, which of them have a key here, and what is claimed of them."""
        rivals = [
            {
                "card": c.name,
                "title": c.title,
                "kind": c.kind,
                "where": c.way,
                "diffusing": c.diffusing,
                "efforts": list(c.efforts),
                "key": bool(key_for(c, owner=self.owner)),
                "wanted": wanted(c),
                "confirmed": c.confirmed,
                "price": None if c.price is None else vars(c.price),
            }
            for c in cards().values()
        ]
        return {"did": "field", "ours": list(self.served.names), "rivals": rivals, "claims": claims()}

    def _asked(self, row: Mapping[str, Any]) -> Race:
        if self.host.draining:
            raise Refused(LEAVING)
        lanes, prompt, length = row.get("lanes"), row.get("prompt"), row.get("length", 96)
        if not isinstance(prompt, str) or not 0 < len(prompt) <= 8000:
            raise Refused("a prompt has 1 to 8000 letters")
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= LONGEST:
            raise Refused(f"an answer has 1 to {LONGEST} tokens")
        if not isinstance(lanes, list) or not 1 <= len(lanes) <= LANES or not all(isinstance(x, dict) for x in lanes):
            raise Refused(f"choose 1 to {LANES} lanes")
        return Race([self._entrant(lane) for lane in lanes], prompt, length)

    def _entrant(self, lane: Mapping[str, Any]) -> Entrant:
        text = {k: v for k, v in lane.items() if isinstance(v, str)}
        if "model" in text and text["model"] in self.served.names:
            told = {k: lane[k] for k in ("preset", "settings") if lane.get(k)}
            return Ours(self.host, self.served, text["model"], told)
        if "card" in text:
            one = card(text["card"])
            key = key_for(one, text.get("key", ""), self.owner)
            return Theirs(one, key, lane.get("diffusing") is True, text.get("effort", ""))
        if "address" in text:
            one = own(text["address"], text.get("name", ""), lane.get("diffusing") is True)
            return Theirs(one, key_for(one, text.get("key", "")), lane.get("diffusing") is True)
        raise Refused("a lane is a model of this place, a rival by its card, or a server of your own")

    async def _run(self, race: Race, in_turns: bool) -> None:
        async with self.running:
            for entrant in race.entrants:
                if isinstance(entrant, Ours):
                    await entrant.warm(race.length)
            await self._say({"did": "began", "lanes": [e.told() for e in race.entrants], "in_turns": in_turns})
            last: dict[int, float] = {}
            async for news in race.in_turns() if in_turns else race.at_once():
                now = time.monotonic()
                if news.done or now - last.get(news.lane, 0.0) >= FRAME:
                    last[news.lane] = now
                    await self._say(_plain(news))
            told = {"did": "results", "table": race.table(), "csv": race.csv(), "trace": race.trace()}
            await self._say(told | {"began": race.began})

    def _stop(self) -> None:
        if self.race is not None:
            self.race.cancel()
            self.race = None

    async def _say(self, row: Mapping[str, Any]) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.send_text(orjson.dumps(row).decode())


def _plain(news: News) -> dict[str, Any]:
    row = {"did": "news", "lane": news.lane, "round": news.round, "at": round(news.at, 4), "text": news.text}
    return row | {"settled": news.settled, "done": news.done, "meter": news.meter.plain()}
