"""A run as one page of its own: opens from disk, with no network and no server, and plays by the page's own scripts.

Modules find each other by names in an import map, each a `data:` address; the runs stand in it as JSON, put there by
the page that is saved (`assets/takeaway/page.js`).
"""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ui.elements import ASSETS, PLACE, STAGE

ENTRY = "player.js"
SHEETS = (*STAGE, "takeaway", "player")
IMPORT = re.compile(r'(\bfrom\s+|\bimport\s+)"(\.{1,2}/[^"]+)"')
RUNS = "[]"  # stands where the runs go


def modules(entry: str = ENTRY) -> dict[str, str]:
    """Every module that is needed, by its path, with names in place of relative addresses."""
    found: dict[str, str] = {}
    left = [entry]
    while left:
        path = left.pop()
        if path in found:
            continue

        def named(match: re.Match[str], here: Path = Path(path).parent) -> str:
            target = (ASSETS / here / match[2]).resolve().relative_to(ASSETS.resolve()).as_posix()
            left.append(target)
            return f'{match[1]}"unmask/{target}"'

        found[path] = IMPORT.sub(named, (ASSETS / path).read_text(encoding="utf-8"))
    return found


@cache
def player() -> str:
    """The page, without runs."""
    addresses = {
        f"unmask/{path}": "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
        for path, text in modules().items()
    }
    style = "\n".join((ASSETS / "looks" / f"{name}.css").read_text(encoding="utf-8") for name in SHEETS)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A run of Unmask</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
<script type="importmap">{json.dumps({"imports": addresses})}</script>
<script type="application/json" id="runs">{RUNS}</script>
<body class="player">
<h1>Un<i>mask</i></h1>
<unmask-stage data-names="[]" data-values="[]" data-models="[]"></unmask-stage>
<script type="module">import "unmask/{ENTRY}";</script>
"""


def routes() -> list[BaseRoute]:
    """Where the page finds it."""

    async def empty(request: Request) -> Response:
        return Response(player(), media_type="text/html", headers={"Cache-Control": "no-cache"})

    return [Route(f"/{PLACE}/player.html", empty, methods=["GET"])]
