"""Opens, cancels, closes and deletes models from the Hub; a download does not delay runs and can be resumed.

`GET /shelf` lists the models with their sizes and progress, and says what this machine has. `POST /shelf` with a
`model` and what to `do` ("open", "cancel", "close" or "delete") does it. A visitor on this machine may open any of
them; on a server, those that its owner offers."""

from __future__ import annotations

import asyncio
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.features.downloads.shelf import Shelf
from unmask.serve.json_routes import answer, body, is_local, refused, refusing, visitor
from unmask.serve.model_list import may_choose, resolve_model
from unmask.serve.runtime import LEAVING, Runtime


class DownloadRequest(BaseModel):
    """The body of `POST /shelf`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(max_length=300)
    do: Literal["open", "cancel", "close", "delete"]


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes of `/shelf`."""
    shelf = Shelf(runtime)

    async def look(request: Request) -> Response:
        every = "all" in request.query_params
        return answer(await shelf.shown(is_local(request), visitor(request), every))

    async def act(request: Request) -> Response:
        wanted = await body(DownloadRequest, request)
        what = resolve_model(wanted.model, home := is_local(request))
        if runtime.draining:
            return refused(LEAVING, 503)
        if wanted.do != "open" and not may_choose(home):
            return refused("only the owner of this server may do that", 403)
        match wanted.do:
            case "open":
                shelf.open(what)
                await asyncio.sleep(0)  # the loader has started when the answer reports progress
            case "cancel":
                runtime.loader.cancel(what)
            case "close":
                if not runtime.loader.unload(what):
                    return refused(f"'{wanted.model}' cannot be closed: a run uses it, or it is not open", 409)
            case "delete":
                if why := await shelf.delete(what, visitor(request)):
                    return refused(why, 409)
        return answer(await shelf.shown(home, visitor(request)))

    return [Route("/shelf", look, methods=["GET"]), Route("/shelf", refusing(act), methods=["POST"])]
