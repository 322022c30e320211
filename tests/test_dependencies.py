"""The lists of dependencies are what pyproject.toml says, and every version is one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import lock
from unmask.extras import NEEDS

ROOT = Path(__file__).parents[1]
VERSIONS = lock.pins(lock.CONSTRAINTS.read_text())


@pytest.mark.parametrize("file", lock.LISTS)
def test_a_list_is_what_pyproject_says(file: str) -> None:
    assert (ROOT / file).read_text() == lock.lists(VERSIONS)[file], "python -m scripts.lock"


def test_constraints_are_what_pip_reads_with_a_folder() -> None:
    rows = [row for row in lock.CONSTRAINTS.read_text().splitlines() if row and not row.startswith("#")]
    assert len(rows) > 80 and all(re.fullmatch(r"[a-z0-9.-]+==[^\s\[\]]+( ;.*)?", row) for row in rows)


def test_the_locked_versions_are_those_of_the_constraints() -> None:
    locked = lock.pins(lock.LOCK.read_text())
    assert locked and all(VERSIONS[name] == version for name, version in locked.items())


def test_every_pin_is_allowed_by_pyproject() -> None:
    for requirements in lock.declared().values():
        for one in requirements:
            name, _, floor = one.partition("~=")
            if floor:
                assert VERSIONS[lock.name_of(name)].split(".")[0] == floor.split(".")[0], one


def test_an_extra_brings_what_it_is_asked_for() -> None:
    parts = lock.declared()
    for extra, names in NEEDS.items():
        assert {lock.name_of(name) for name in names} <= {lock.name_of(one) for one in parts[extra]}, extra


def test_a_changed_list_is_found(tmp_path: Path) -> None:
    changed = "import scripts.lock as lock; lock.LISTS['requirements.txt'] = ('x', ('', 'app')); lock.main()"
    done = subprocess.run([sys.executable, "-c", changed, "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "requirements.txt" in done.stderr


def test_what_is_missing_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "hidden.py").write_text(
        "import sys\n"
        "HIDDEN = ('torch', 'gradio', 'starlette', 'ray', 'huggingface_hub')\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in HIDDEN: raise ModuleNotFoundError(name)\n"
        "import importlib.util as util\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name: None if name in HIDDEN else found(name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "from unmask.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    for words, extra in (
        (["run"], "app"),
        (["serve"], "app"),
        (["decode", "--model", "org/name", "1"], "hub"),
        (["decode", "--model", "denoiser?engine=torch", "Story: "], "torch"),
    ):
        done = subprocess.run(
            [sys.executable, tmp_path / "hidden.py", *words],
            cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert done.stderr.strip().endswith(f"pip install 'unmask[{extra}]'") and done.stderr.count("\n") == 1
