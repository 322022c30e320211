"""The course on the page: a button that opens a drawer, and the lessons as JSON."""

from __future__ import annotations

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.ui.elements import PLACE
from unmask.ui.features import asset_tags
from unmask.ui.lessons import languages, lessons, phrases, words

BUTTON = f'<unmask-lessons data-place="{PLACE}" data-languages="{" ".join(languages())}"></unmask-lessons>'


def head() -> str:
    """The HTML that loads its script and style sheets."""
    return asset_tags("lessons/lessons.js", ("lessons", "sheet"))


def routes() -> list[BaseRoute]:
    """Routes of the lessons and of the course's own phrases, as JSON for each language."""

    async def course(request: Request) -> Response:
        language = request.path_params["language"]
        if language not in languages():
            return Response(status_code=404)
        row = {"words": words(language), "lessons": [one.plain() for one in lessons(language)]}
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
