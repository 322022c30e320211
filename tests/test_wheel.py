"""The wheel is built from the real folders: also where symbolic links are text files, as in some archives."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
LINKS = ("unmask", "dllm/ui", "dllm/assets")
HEAVY = ".safetensors"  # weights: their names are enough


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the checkout in which the links are text files, and the weights are empty."""
    made = tmp_path / "copy"
    made.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "app.py"):
        shutil.copy(ROOT / name, made / name)
    for name in ("dllm", "ui", "assets"):
        ignored = shutil.ignore_patterns("__pycache__", *(("ui", "assets") if name == "dllm" else ()))
        shutil.copytree(ROOT / name, made / name, ignore=ignored)
    for link in LINKS:
        (made / link).write_text(str((ROOT / link).readlink()))
    for file in made.rglob(f"*{HEAVY}"):
        file.write_bytes(b"")
    return made


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_a_checkout_without_links_gives_the_whole_wheel(copy: Path) -> None:
    """pip built a wheel of six files without an error; the import failed later."""
    done = build(copy)
    assert done.returncode == 0, done.stderr
    (wheel,) = (copy / "dist").glob("*.whl")
    names = [name for name in ZipFile(wheel).namelist() if not name.startswith("unmask-")]
    tracked = [Path(p) for p in shipped()]
    assert sorted(names) == sorted(set(names)) and {name.split("/")[0] for name in names} == {"unmask"}
    assert {str(path) for path in tracked} == set(names)


def shipped() -> list[str]:
    """What the wheel holds of each file in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "dllm", "ui", "assets"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    files = [name for name in listed if name not in LINKS]
    return [f"unmask/{name.removeprefix('dllm/')}" for name in files]


def test_a_wheel_without_the_package_is_never_built(copy: Path) -> None:
    shutil.rmtree(copy / "dllm")
    done = build(copy)
    assert done.returncode != 0 and "dllm/__init__.py" in done.stdout + done.stderr


def test_the_app_says_what_to_do_where_links_are_text_files(copy: Path) -> None:
    done = subprocess.run([sys.executable, "app.py"], cwd=copy, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "unmask run" in done.stderr and "Traceback" not in done.stderr
