"""The shelf's door: small real models, each a press away: fetched beside the runs, cancelled, gone on with, closed.

`GET /shelf` says what there is, how large, and how far each is. `POST /shelf` with a `model` and what to `do` ("open",
"cancel" or "close") does it. A visitor on this machine may have any; on a server, those that its owner offers.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.errors import Refused
from unmask.serve.admission import near
from unmask.serve.model_list import may_choose, resolve
from unmask.serve.runtime import LEAVING, Host
from unmask.serve.served_models import catalogue

if TYPE_CHECKING:
    from unmask.models.hub.known_checkpoints import Item


class Wish(BaseModel):
    """Something to be done about a model."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(max_length=300)
    do: Literal["open", "cancel", "close"]


def routes(host: Host) -> list[BaseRoute]:
    """The routes of this door."""
    tasks: set[asyncio.Task[Any]] = set()

    async def look(request: Request) -> Response:
        return await shown(_home(request))

    async def act(request: Request) -> Response:
        try:
            wish = Wish.model_validate_json(await request.body())
            what = resolve(wish.model, home := _home(request))
        except (ValidationError, Refused) as error:
            return _answer({"why": str(error)}, 400)
        if host.draining:
            return _answer({"why": LEAVING}, 503)
        match wish.do:
            case "open":
                task = asyncio.create_task(opened(what))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                await asyncio.sleep(0)  # so that it is on its way when the answer says so
            case "cancel" if may_choose(home):
                host.loader.cancel(what)
            case "close" if may_choose(home):
                if not host.loader.unload(what):
                    return _answer({"why": f"a run uses '{wish.model}', or it is not open"}, 409)
            case _:
                return _answer({"why": "only the owner of this server may do that"}, 403)
        return await shown(home)

    async def opened(what: str) -> None:
        try:
            await host.model(what)
        except Refused:  # the shelf says why
            return

    async def shown(home: bool) -> Response:
        """Every model of the shelf, with how far it is."""
        from unmask.models.hub import known_checkpoints  # late: it asks torch for the device

        all_items = await asyncio.to_thread(known_checkpoints.small)
        there = set(catalogue().values())
        items = [item for item in all_items if may_choose(home) or item.name in there]
        spare = (
            await asyncio.to_thread(known_checkpoints.room) + host.loader.unused
        )  # models that nobody uses make room
        rows = []
        for item in items:
            seconds = await host.device.run(lambda item=item: known_checkpoints.seconds(item))  # type: ignore[misc]
            row = _fields(item) | {"seconds": seconds, "fits": item.need <= spare}
            rows.append(row | _state(host, item.name))
        return _answer({"items": rows, "owner": may_choose(home)})

    return [Route("/shelf", look, methods=["GET"]), Route("/shelf", act, methods=["POST"])]


def _fields(item: Item) -> dict[str, Any]:
    row = asdict(item)
    return {key: row[key] for key in "name good licence billions download need number here".split()}


def _state(host: Host, name: str) -> dict[str, Any]:
    loader = host.loader
    if name in loader.opened:
        return {"state": "open", "used": loader.used(loader.opened[name])}
    if loader.opening(name):
        how = loader.progress(name)
        return {"state": "coming"} | ({"done": how.done, "total": how.total, "left": how.seconds_left} if how else {})
    return {"state": "failed", "why": why} if (why := loader.why(name)) else {"state": "closed"}


def _home(request: Request) -> bool:
    return near(request.headers, request.client.host if request.client else "")


def _answer(row: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(row), status, {"Cache-Control": "no-store"}, "application/json")
