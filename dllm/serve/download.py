"""A run taken away: `GET /trace/{session}?key=` answers with its trace file, for whoever may watch it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from dllm.canvas import Refused
from dllm.live.rights import Rights
from dllm.run import trace
from dllm.serve.host import Host


def routes(host: Host) -> list[BaseRoute]:
    """The route of this door."""

    async def take(request: Request) -> Response:
        session = host.sessions.alive.get(request.path_params["session"])
        # a name that is not there takes the same comparison and gives the same answer as a wrong key
        rights = session.rights if session else Rights()
        try:
            rights.opened_by(request.query_params.get("key", ""))
        except Refused:
            session = None
        if session is None:
            return Response("this run is not here, or not yours: it may be over", status_code=404)
        headers = {
            "Content-Disposition": f'attachment; filename="{filename(session.denoiser.card.name, session.id)}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return StreamingResponse(chunks(session.trace()), media_type="application/x-ndjson", headers=headers)

    return [Route("/trace/{session}", take, methods=["GET"])]


def filename(model: str, session: str) -> str:
    """A file's name that every system can hold."""
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', model).strip('-').lower() or 'run'}-{session[:6]}.trace.jsonl"


def chunks(run: trace.Trace) -> Iterator[str]:
    """The file, line by line."""
    for line in trace.lines(run):
        yield line + "\n"
