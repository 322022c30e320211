"""Routes of a class: its link as a QR code, and the recordings that its presenter shows."""

from __future__ import annotations

import asyncio
from secrets import compare_digest

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from unmask.errors import InvalidRequest
from unmask.features.classroom import qr_code
from unmask.features.classroom.attendance import rooms_of
from unmask.features.classroom.classroom import Classroom
from unmask.features.classroom.recordings import compress
from unmask.serve.admission import visitor
from unmask.serve.runtime import Runtime


def routes(runtime: Runtime) -> list[BaseRoute]:
    rooms = rooms_of(runtime)

    async def find(request: Request) -> tuple[str, Classroom]:
        who = visitor(request.headers, request.client.host if request.client else "")
        await asyncio.sleep(rooms.delay(who))
        return who, rooms.find(request.path_params["room"], who)

    async def upload(request: Request) -> Response:
        try:
            who, room = await find(request)
            if not compare_digest(request.query_params.get("key", "").encode(), room.key.encode()):
                return Response("this class is somebody else's", status_code=403)
            body = await request.body()
            return JSONResponse({"name": room.recordings.add(await runtime.work.run(who, lambda: compress(body)))})
        except InvalidRequest as error:
            return Response(str(error), status_code=400)

    async def download(request: Request) -> Response:
        try:
            _, room = await find(request)
        except InvalidRequest as error:
            return Response(str(error), status_code=404)
        file = room.recordings.get(request.path_params["name"])
        if file is None:
            return Response("the class does not show this recording any more", status_code=404)
        headers = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
        return Response(file, media_type="application/x-ndjson", headers=headers)

    return [
        Route("/unmask/qr.svg", qr_code.answer, methods=["GET"]),
        Route("/class/{room}/recordings", upload, methods=["POST"]),
        Route("/class/{room}/recordings/{name}", download, methods=["GET"]),
    ]
