"""The WebSocket of the race: JSON messages on `/race`. Keys are received and never sent."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import orjson
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.features.race import quota
from unmask.features.race.providers.cards import RemoteModel, Secret, card, cards, custom_model, key_for, missing_key
from unmask.features.race.providers.claims import claims
from unmask.features.race.race import ROUNDS, News, Race
from unmask.features.race.racers import Local, Racer, Remote
from unmask.run.spec import RunSpec
from unmask.serve.admission import is_local, visitor
from unmask.serve.doors.messages import messages
from unmask.serve.runtime import LEAVING, Runtime
from unmask.serve.served_models import ServedModels, served_models

RACERS, LONGEST = 6, 512  # racers, tokens of an answer
EACH = 4  # races of one visitor
FRAME = 0.03  # seconds between two updates of one racer


def routes(runtime: Runtime, models: tuple[str, ...] = ()) -> list[BaseRoute]:
    """The routes of the race."""
    registry, running = ServedModels(runtime, served_models(models)), Running()

    async def door(socket: WebSocket) -> None:
        await socket.accept()
        await _Connection(runtime, registry, running, socket).run()

    return [WebSocketRoute("/race", door), *quota.routes()]


class Running:
    """The races that run now. One over the limit is refused, not queued: a silent model may hold a place for long."""

    def __init__(self) -> None:
        self.visitors: Counter[str] = Counter()

    def check(self, visitor: str) -> None:
        if self.visitors[visitor] >= EACH or self.visitors.total() >= config().races:
            raise InvalidRequest("too many races at once: stop one, or try again in a minute")

    @contextmanager
    def take(self, visitor: str) -> Iterator[None]:
        """Hold a place while the block runs."""
        self.check(visitor)
        self.visitors[visitor] += 1
        try:
            yield
        finally:
            self.visitors[visitor] -= 1


class _Connection:
    """One WebSocket connection to `/race`."""

    def __init__(self, runtime: Runtime, registry: ServedModels, running: Running, socket: WebSocket) -> None:
        self.runtime, self.registry, self.running, self.socket = runtime, registry, running, socket
        client = socket.client.host if socket.client else ""
        self.visitor, self.owner = visitor(socket.headers, client), is_local(socket.headers, client)
        self.race: asyncio.Task[None] | None = None

    async def run(self) -> None:
        try:
            async for row in messages(self.socket):
                try:
                    await self._handle(row)
                except InvalidRequest as refused:
                    await self._send({"did": "refused", "why": str(refused)})
                except (TypeError, ValueError, KeyError, OverflowError):
                    await self._send({"did": "refused", "why": "this message cannot be understood"})
        except (WebSocketDisconnect, RuntimeError):
            return
        finally:
            self._stop()

    async def _handle(self, row: Mapping[str, Any]) -> None:
        match row.get("do"):
            case "field":
                await self._send(self._field())
            case "race":
                self._stop()
                race = self._race(row)
                self.running.check(self.visitor)
                self.race = asyncio.ensure_future(self._run(race, row.get("rounds") == ROUNDS))
            case "stop":
                self._stop()
            case _:
                raise InvalidRequest("'do' must be field, race or stop")

    def _field(self) -> dict[str, Any]:
        """For JSON: the models that may race, whether each has a key, and published claims."""
        rivals = [
            {
                "card": c.name,
                "title": c.title,
                "kind": c.kind,
                "where": c.way,
                "diffusing": c.diffusing,
                "efforts": list(c.efforts),
                "key": bool(self._key(c)),
                "wanted": missing_key(c),
                "confirmed": c.confirmed,
                "price": None if c.price is None else vars(c.price),
            }
            for c in cards().values()
        ]
        mine = {"way": quota.WAY, "signed": bool(quota.key(self.socket.cookies))} if quota.offered() else None
        ours = list(self.registry.names)
        return {"did": "field", "ours": ours, "rivals": rivals, "quota": mine, "claims": claims()}

    def _key(self, one: RemoteModel, typed: str = "") -> Secret:
        """The key to use: the one that was typed, the visitor's own quota, or the owner's key if that is allowed."""
        signed = quota.key(self.socket.cookies) if one.way == quota.WAY and not typed.strip() else Secret("")
        return signed or key_for(one, typed, self.owner)

    def _race(self, row: Mapping[str, Any]) -> Race:
        if self.runtime.draining:
            raise InvalidRequest(LEAVING)
        rows, prompt, length = row.get("racers"), row.get("prompt"), row.get("length", 96)
        if not isinstance(prompt, str) or not 0 < len(prompt) <= 8000:
            raise InvalidRequest("the prompt must have 1 to 8,000 characters")
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= LONGEST:
            raise InvalidRequest(f"an answer has 1 to {LONGEST} tokens")
        if not isinstance(rows, list) or not 1 <= len(rows) <= RACERS or not all(isinstance(x, dict) for x in rows):
            raise InvalidRequest(f"choose 1 to {RACERS} racers")
        return Race([self._racer(row) for row in rows], prompt, length)

    def _racer(self, row: Mapping[str, Any]) -> Racer:
        text = {k: v for k, v in row.items() if isinstance(v, str)}
        if "model" in text and text["model"] in self.registry.names:
            spec = {"model": text["model"], "preset": row.get("preset") or "", "changes": row.get("settings") or {}}
            return Local(self.runtime, self.registry, RunSpec.from_dict(spec), self.visitor)
        if "card" in text:
            one = card(text["card"])
            return Remote(
                one, self._key(one, text.get("key", "")), row.get("diffusing") is True, text.get("effort", "")
            )
        if "address" in text:
            one = custom_model(text["address"], text.get("name", ""), row.get("diffusing") is True)
            return Remote(one, key_for(one, text.get("key", "")), row.get("diffusing") is True)
        raise InvalidRequest(
            "a racer needs a 'model' of this server, the 'card' of a remote model, or the 'address' of your own server"
        )

    async def _run(self, race: Race, in_turns: bool) -> None:
        with self.running.take(self.visitor):
            ours = [racer for racer in race.racers if isinstance(racer, Local)]
            for racer in ours:  # first, since its kind is known once it is opened
                await racer.warm(race.length)
            await self._send(
                {"did": "began", "racers": [racer.fields() for racer in race.racers], "in_turns": in_turns}
            )
            for rival in race.racers:
                if rival not in ours:
                    await rival.warm(race.length)
            last: dict[int, float] = {}
            async for news in race.in_turns() if in_turns else race.at_once():
                now = time.monotonic()
                if news.done or now - last.get(news.racer, 0.0) >= FRAME:
                    last[news.racer] = now
                    await self._send(_news_to_dict(news))
            message = {"did": "results", "table": race.table(), "csv": race.csv(), "trace": race.trace()}
            await self._send(message | {"began": race.began})

    def _stop(self) -> None:
        if self.race is not None:
            self.race.cancel()
            self.race = None

    async def _send(self, row: Mapping[str, Any]) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.send_text(orjson.dumps(row).decode())


def _news_to_dict(news: News) -> dict[str, Any]:
    row = {"did": "news", "racer": news.racer, "round": news.round, "at": round(news.at, 4), "text": news.text}
    return row | {"settled": news.settled, "done": news.done, "meter": news.meter.to_dict()}
