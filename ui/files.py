"""The page's files: scripts, style sheets, recordings. It loads nothing from other servers."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any

import plotly
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from unmask.paths import ASSETS, FEATURES
from unmask.serve.features import NAMES
from unmask.ui import course, player
from unmask.ui.elements import PLACE, SCRIPTS

SHOWN = (".js", ".css")  # what the page gets of a feature's folder


class RevalidatedFiles(StaticFiles):
    """Static files that a browser revalidates each time, so that it never mixes two versions of the page."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


class FeatureFiles(RevalidatedFiles):
    """The scripts and style sheets of the features in the list."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        name = PurePosixPath(path)
        return super().lookup_path(path) if name.suffix in SHOWN and name.parts[0] in NAMES else ("", None)


def files(traces: Path = ASSETS / "traces") -> list[BaseRoute]:
    """Routes of the files. `assets` and `features` are beside each other as in the package: scripts import by relative
    paths."""
    charts = Path(plotly.__file__).parent / "package_data"
    return [
        *course.routes(),
        *player.routes(),
        Mount(f"/{PLACE}/plotly", StaticFiles(directory=charts)),
        Mount(f"/{PLACE}/traces", RevalidatedFiles(directory=traces, check_dir=False)),
        Mount(f"/{PLACE}/gallery", RevalidatedFiles(directory=ASSETS / "gallery")),
        Mount(f"/{PLACE}/features", FeatureFiles(directory=FEATURES)),
        Mount(f"/{SCRIPTS}", RevalidatedFiles(directory=ASSETS)),
    ]
