"""Draws the link to a class as a QR code."""

from __future__ import annotations

import io
from urllib.parse import urlsplit

import segno
from starlette.requests import Request
from starlette.responses import Response

LONGEST = 300  # characters of a link


def picture(link: str) -> bytes:
    """A link as a QR code, in SVG."""
    drawn = io.BytesIO()
    segno.make(link, error="m", micro=False).save(drawn, kind="svg", scale=6, border=2, light="#fff", dark="#000")
    return drawn.getvalue()


def answer(request: Request) -> Response:
    """The code of the link in `text`; on a thread, since it takes a few milliseconds."""
    link = request.query_params.get("text", "")
    if len(link) > LONGEST or urlsplit(link).scheme not in ("http", "https"):
        return Response("'text' must be an http or https link of at most 300 characters", status_code=400)
    return Response(picture(link), media_type="image/svg+xml", headers={"Cache-Control": "no-store"})
