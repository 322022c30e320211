"""Liveness and readiness probes; they reveal nothing about visitors."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from unmask.serve.runtime import Runtime


def routes(runtime: Runtime) -> list[BaseRoute]:
    """`/health` answers while the process does; `/ready` says 503 while it stops or has no memory left."""

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        why = runtime.not_ready_reason
        return JSONResponse({"status": why or "ready"}, 503 if why else 200, {"Cache-Control": "no-store"})

    return [Route("/health", health, methods=["GET"]), Route("/ready", ready, methods=["GET"])]
