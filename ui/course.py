"""The course on the page: a button that opens a drawer, and the lessons as JSON."""

from __future__ import annotations

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.ui.elements import PLACE, late, sheets
from unmask.ui.lessons import Lesson, languages, lessons, own_lessons, phrases, words

BUTTON = late("lessons")


def head() -> str:
    """The HTML that loads its style sheets."""
    return sheets("lessons", "sheet")


def routes() -> list[BaseRoute]:
    """Routes of the lessons and of the course's own phrases, as JSON for each language."""

    async def course(request: Request) -> Response:
        language = request.path_params["language"]
        if language not in languages():
            return Response(status_code=404)
        own = await run_in_threadpool(lambda: [*own_lessons()])
        row = {
            "words": words(language),
            "lessons": [one.to_dict() for one in (*lessons(language), *own) if isinstance(one, Lesson)],
            "wrong": [str(one) for one in own if not isinstance(one, Lesson)],
        }
        return Response(orjson.dumps(row), media_type="application/json")

    async def around(request: Request) -> Response:
        language = request.path_params["language"]
        if language not in languages():
            return Response(status_code=404)
        return Response(orjson.dumps(phrases(language)), media_type="application/json")

    return [
        Route(f"/{PLACE}/lessons/{{language}}.json", course, methods=["GET"]),
        Route(f"/{PLACE}/lessons/{{language}}/phrases.json", around, methods=["GET"]),
    ]
