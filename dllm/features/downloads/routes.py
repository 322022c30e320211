"""Opens, cancels and closes small models from the Hub; a download does not delay runs and can be resumed.

`GET /shelf` lists the models with their sizes and progress. `POST /shelf` with a `model` and what to `do` ("open",
"cancel" or "close") does it. A visitor on this machine may open any of them; on a server, those that its owner offers.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.errors import InvalidRequest
from unmask.live.device import Client
from unmask.serve.json_routes import answer, body, is_local, refused, refusing, visitor
from unmask.serve.model_list import may_choose, resolve_model
from unmask.serve.runtime import LEAVING, Runtime
from unmask.serve.served_models import served_models

if TYPE_CHECKING:
    from unmask.models.hub.known_checkpoints import CheckpointInfo


class DownloadRequest(BaseModel):
    """The body of `POST /shelf`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(max_length=300)
    do: Literal["open", "cancel", "close"]


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes of `/shelf`."""
    tasks: set[asyncio.Task[Any]] = set()

    async def look(request: Request) -> Response:
        return await shown(is_local(request), visitor(request))

    async def act(request: Request) -> Response:
        wanted = await body(DownloadRequest, request)
        what = resolve_model(wanted.model, home := is_local(request))
        if runtime.draining:
            return refused(LEAVING, 503)
        match wanted.do:
            case "open":
                task = asyncio.create_task(load_in_background(what))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                await asyncio.sleep(0)  # the loader has started when the answer reports progress
            case "cancel" if may_choose(home):
                runtime.loader.cancel(what)
            case "close" if may_choose(home):
                if not runtime.loader.unload(what):
                    return refused(f"'{wanted.model}' cannot be closed: a run uses it, or it is not open", 409)
            case _:
                return refused("only the owner of this server may do that", 403)
        return await shown(home, visitor(request))

    async def load_in_background(what: str) -> None:
        try:
            await runtime.model(what)
        except InvalidRequest:  # `GET /shelf` reports the reason
            return

    async def shown(home: bool, who: str) -> Response:
        """Every known checkpoint that this visitor may open, with its state."""
        from unmask.models.hub import known_checkpoints  # imported late: it asks for the device

        all_items = await runtime.work.run(who, known_checkpoints.small_checkpoints)
        there = set(served_models().values())
        items = [item for item in all_items if may_choose(home) or item.name in there]
        # models that no run uses can be closed
        spare = await runtime.work.run(who, known_checkpoints.free_bytes) + runtime.loader.unused
        rows, client = [], Client("shelf", visitor=who)
        for item in items:
            seconds = await runtime.device.run(lambda item=item: known_checkpoints.forward_seconds(item), client)  # type: ignore[misc]
            row = _fields(item) | {"seconds": seconds, "fits": item.need <= spare}
            rows.append(row | _state(runtime, item.name))
        return answer({"items": rows, "owner": may_choose(home)})

    return [Route("/shelf", look, methods=["GET"]), Route("/shelf", refusing(act), methods=["POST"])]


def _fields(item: CheckpointInfo) -> dict[str, Any]:
    row = asdict(item)
    return {key: row[key] for key in "name good licence billions download need number here".split()}


def _state(runtime: Runtime, name: str) -> dict[str, Any]:
    loader = runtime.loader
    if name in loader.loaded:
        return {"state": "open", "used": loader.used(loader.loaded[name])}
    if loader.opening(name):
        how = loader.progress(name)
        if how is None:
            return {"state": "coming"}
        stage = {"stage": how.stage} if how.stage else {}
        return {"state": "coming", "done": how.done, "total": how.total, "left": how.seconds_left} | stage
    return {"state": "failed", "why": why} if (why := loader.failure(name)) else {"state": "closed"}
