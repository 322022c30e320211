"""Features come from one list, and each can be deleted: without `race` the rest still starts and passes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unmask.serve.features import NAMES, features, rules

ROOT = Path(__file__).parents[1]
COPIED = ("dllm", "ui", "pair", "tests", "app.py", "pyproject.toml")
# a quick part of the tests that uses the server, its list of routes, the command line and the lowest packages
REST = (
    "tests/canvas", "tests/serve/test_socket.py", "tests/serve/test_metrics.py", "tests/features/exports",
    "tests/features/lenses/test_validity.py", "tests/run/test_timeline.py", "tests/test_features.py",
)  # fmt: skip


def test_the_list_is_the_folders() -> None:
    folders = {path.parent.name for path in (ROOT / "dllm" / "features").glob("*/__init__.py")}
    assert set(NAMES) == folders and [one.name for one in features()] == list(NAMES)


def test_no_other_file_of_the_engine_or_the_page_names_a_feature() -> None:
    spelled = re.compile(r"features[./](?!NAME)(" + "|".join(NAMES) + r")\b")
    files = [ROOT / "app.py", *(ROOT / "ui").rglob("*.py")]
    files += [p for p in (ROOT / "dllm").rglob("*.py") if p.relative_to(ROOT).parts[1] not in ("features", "pair")]
    assert [str(p.relative_to(ROOT)) for p in files if spelled.search(p.read_text("utf-8"))] == []


def test_the_page_gets_scripts_and_sheets_of_the_listed_features_and_nothing_else_of_their_folders() -> None:
    from starlette.applications import Starlette
    from starlette.testclient import TestClient

    from unmask.ui.features import head
    from unmask.ui.files import files

    client = TestClient(Starlette(routes=files()))
    for row in json.loads(re.sub("<[^>]*>", "", head())):
        script = os.path.normpath(f"unmask/assets/looks/{row['script']}")  # seen from features.js there
        for path in (script, *row["sheets"]):
            assert client.get(f"/{path}").status_code == 200, path
    for path in ("race/__init__.py", "race/it.json", "gone/feature.js", "__init__.py", "race/../../paths.py"):
        assert client.get(f"/unmask/features/{path}").status_code == 404, path


def test_every_path_of_a_feature_has_a_rule() -> None:
    from unmask.serve.access import undeclared_routes
    from unmask.serve.runtime import Runtime

    runtime = Runtime()
    routes = [route for one in features() if one.routes for route in one.routes(runtime)]
    assert undeclared_routes(routes, {**rules(), "/unmask/*": next(iter(rules().values()))}) == []
    runtime.device.close(1)


@pytest.mark.skipif("race" not in NAMES, reason="this is the copy without it")
@pytest.mark.long
def test_without_race_the_rest_passes(tmp_path: Path) -> None:
    skipped = shutil.ignore_patterns("__pycache__", "old")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=skipped, symlinks=True)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "unmask").symlink_to("dllm")
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    shutil.rmtree(tmp_path / "dllm" / "features" / "race")
    shutil.rmtree(tmp_path / "tests" / "features" / "race")
    names = tmp_path / "dllm" / "serve" / "features.py"
    assert '"race", ' in names.read_text()
    names.write_text(names.read_text().replace('"race", ', "", 1))
    quick = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not browser and not slow and not long"]
    command = [sys.executable, "-m", "pytest", *quick, *REST]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280, env=os.environ.copy())
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    imports = "from unmask.ui import app; from unmask.ui.page import page"
    page = f"{imports}; assert 'race' not in app.shown_features.head(); page()"
    done = subprocess.run([sys.executable, "-c", page], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
