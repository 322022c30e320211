"""A run as one HTML file that plays without a network or a server, with the page's own scripts.

The modules are `data:` addresses in an import map, those of the features that need no server among them. *Share*
inserts the runs as JSON.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.paths import ASSETS
from unmask.serve.features import features
from unmask.ui.elements import PLACE, STAGE

ENTRY = "assets/player.js"
SHEETS = (*STAGE, "embed", "player")
IMPORT = re.compile(r'(\bfrom\s+|\bimport\s+|\bimport\()"(\.{1,2}/[^"]+\.js)"')
PLAIN = " !$&'()*+,-./:;=?@[]^_`{|}~"  # may stand in an address as it is: smaller than base64, above all compressed
RUNS = "[]"  # placeholder that the runs replace


def modules(*entries: str) -> dict[str, str]:
    """The source of every module that is needed, by path, with its relative imports replaced by names."""
    found: dict[str, str] = {}
    pending = [*entries]
    while pending:
        path = pending.pop()
        if path in found:
            continue

        def rename_import(match: re.Match[str], here: Path = Path(path).parent) -> str:
            target = os.path.normpath(here / match[2])
            pending.append(target)
            return f'{match[1]}"unmask/{target}"'

        found[path] = IMPORT.sub(rename_import, (ASSETS.parent / path).read_text(encoding="utf-8"))
    return found


@cache
def player(entry: str = ENTRY) -> str:
    """The HTML file without runs; `entry` is the script that it starts with."""
    shown = [one for one in features() if one.recorded]
    scripts = [f"features/{one.name}/feature.js" for one in shown]
    addresses = {
        f"unmask/{path}": "data:text/javascript;charset=utf-8," + quote(text, safe=PLAIN)
        for path, text in modules(entry, *scripts).items()
    }
    sheets = [*(ASSETS / "looks" / f"{name}.css" for name in SHEETS), *(file for one in shown for file in one.sheets)]
    style = "\n".join(file.read_text(encoding="utf-8") for file in sheets)
    listed = [{"script": f"unmask/{script}", "sheets": [], "elements": [], "opens": ""} for script in scripts]
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
<script type="application/json" id="unmask-features">{json.dumps(listed)}</script>
<script type="application/json" id="runs">{RUNS}</script>
<body class="player">
<h1>Un<i>mask</i></h1>
<unmask-stage data-names="[]" data-values="[]" data-models="[]"></unmask-stage>
<script type="module">import "unmask/{entry}";</script>
"""


def routes() -> list[BaseRoute]:
    """The route of the file without runs."""

    async def empty(request: Request) -> Response:
        return Response(player(), media_type="text/html", headers={"Cache-Control": "no-cache"})

    return [Route(f"/{PLACE}/player.html", empty, methods=["GET"])]
