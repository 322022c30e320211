"""Exports a run: `GET /trace/{session}?key=` answers with its trace file, for those who may watch it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from unmask.errors import InvalidRequest
from unmask.live.permissions import Permissions
from unmask.run import trace
from unmask.serve.admission import visitor
from unmask.serve.runtime import Runtime

PIECE = 64 << 10  # bytes written at a time
LONGEST = 600.0  # seconds that a download may take
ONE = "this run is being downloaded already: wait for that file, or cancel it"


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The route of `/trace`."""
    fetched: set[str] = set()  # sessions whose file is being downloaded

    async def take(request: Request) -> Response:
        session = runtime.sessions.alive.get(request.path_params["session"])
        # an unknown session costs the same comparison and gives the same answer as a wrong key
        rights = session.rights if session else Permissions()
        try:
            rights.opened_by(request.query_params.get("key", ""))
        except InvalidRequest:
            session = None
        if session is None:
            return Response("this run is not here, or not yours: it may be over", status_code=404)
        if session.id in fetched:
            return Response(ONE, status_code=429, headers={"Retry-After": "5"})
        if (size := trace.size(session.timeline)) > trace.MOST_BYTES:
            why = f"this run would make a file of about {size >> 20} MB, and {trace.MOST_BYTES >> 20} MB can be opened"
            return Response(f"{why}: drop branches, or start again with fewer cells", status_code=413)
        headers = {
            "Content-Disposition": f'attachment; filename="{filename(session.denoiser.card.name, session.id)}"',
            "Cache-Control": "no-store",
        }
        who = visitor(request.headers, request.client.host if request.client else "")
        body = pieces(session.id, session.trace, who)
        return StreamingResponse(body, media_type="application/x-ndjson", headers=headers)

    async def pieces(name: str, taken: Callable[[], trace.Trace], who: str) -> AsyncIterator[str]:
        fetched.add(name)
        try:
            async with asyncio.timeout(LONGEST):
                made = await runtime.work.run(who, lambda: chunks(taken()))
                while True:
                    piece = await runtime.work.run(who, lambda: next(made, ""))
                    if not piece:
                        return
                    yield piece
        finally:
            fetched.discard(name)

    return [Route("/trace/{session}", take, methods=["GET"])]


def filename(model: str, session: str) -> str:
    """A file name that is valid on every system."""
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', model).strip('-').lower() or 'run'}-{session[:6]}.trace.jsonl"


def chunks(run: trace.Trace) -> Iterator[str]:
    """The file in chunks of whole lines."""
    piece = ""
    for line in trace.lines(run):
        piece += line + "\n"
        if len(piece) >= PIECE:
            yield piece
            piece = ""
    if piece:
        yield piece
