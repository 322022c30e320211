"""Features come from one list, and each can be deleted: the rest still starts and passes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.long import mostly_long
from unmask.serve.features import NAMES, features, rules

ROOT = Path(__file__).parents[1]
# a quick part of the tests that uses the server, its list of routes, the command line and the lowest packages
REST = (
    "tests/canvas", "tests/serve/test_socket.py", "tests/serve/test_metrics.py", "tests/run/test_timeline.py",
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


COPIED = ("dllm", "ui", "tests", "assets")  # all else of a copy is linked, as are weights and recordings
LINKED = ("models", "traces", "gallery", "vendor")
CHECKS = """
import unmask
from unmask.serve.features import NAMES, features
from unmask.ui.page import page
from unmask.ui.player import modules

assert set(NAMES) == {one.name for one in features()}
scripts = modules("assets/main.js", *(f"features/{one.name}/feature.js" for one in features() if one.script))
page()
run = unmask.decode("1 2 3", model="toy", length=8, policy="confidence", passes=4)
print(len(scripts), len(run.passes))
"""


def without(names: Iterable[str], copy: Path) -> Path:
    """A copy from which features are deleted as `docs/architecture.md` says."""
    copy.mkdir(exist_ok=True)
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in sorted({path.split("/")[0] for path in tracked} - {"unmask"}):
        if name in COPIED:
            skipped = shutil.ignore_patterns("__pycache__", *(LINKED if name == "assets" else ()))
            shutil.copytree(ROOT / name, copy / name, ignore=skipped, symlinks=True)
        else:
            (copy / name).symlink_to(ROOT / name)
    (copy / "unmask").symlink_to("dllm")
    for name in LINKED:
        (copy / "assets" / name).symlink_to(ROOT / "assets" / name)
    listed = copy / "dllm" / "serve" / "features.py"
    for name in names:
        folders = [one for top in ("dllm", "tests") for one in (copy / top).rglob(f"features/{name}") if one.is_dir()]
        for folder in folders:
            shutil.rmtree(folder)
        text, found = re.subn(rf'"{name}",? ?(?=[")])', "", listed.read_text(), count=1)
        assert folders and found
        listed.write_text(text)
    return copy


def run(copy: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, capture_output=True, text=True, timeout=280, env=os.environ.copy()
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("name", mostly_long(NAMES, NAMES[:1]))
def test_a_feature_is_deleted_by_its_folders_and_its_name(name: str, tmp_path: Path) -> None:
    """Deleted as documented, `race` left imports of its scripts in main.js."""
    scripts, passes = run(without([name], tmp_path), "-c", CHECKS).split()
    assert int(scripts) > 100 and int(passes) > 0


def test_no_file_outside_a_feature_imports_it() -> None:
    """Without `race`, a test could not be collected; where no feature is left, all others are collected below."""
    imported = re.compile(r"^ *(?:from|import) .*\bfeatures(?:\.| import .*\b)(" + "|".join(NAMES) + r")\b", re.M)
    found = []
    for file in [path for top in COPIED[:3] for path in (ROOT / top).rglob("*.py")]:
        found += [(file, one) for one in imported.findall(file.read_text("utf-8")) if one not in file.parts]
    assert imported.search("    from tests.features import race\nfrom unmask.features.lab.sweep import x") and not found


@pytest.mark.long
def test_without_features_the_rest_passes(tmp_path: Path) -> None:
    copy = without(NAMES, tmp_path)
    quick = ("-q", "-x", "-p", "no:cacheprovider", "-m", "not browser and not slow and not long")
    run(copy, "-m", "pytest", *quick, *REST)
    planted = "--ignore=tests/test_architecture.py"  # imports two features by their places in the list
    run(copy, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", planted, "tests")
    imports = "from unmask.ui import app; from unmask.ui.features import head; from unmask.ui.page import page"
    run(copy, "-c", f"{imports}; assert 'features/' not in head(); page()")
