"""The house keeps its laws, and each law is awake: planted offences are found."""

import os
import re
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

from scripts.size import LONGEST, Tree, length
from unmask.serve.features import NAMES

ROOT = Path(__file__).parents[1]
HEAVY = ["torch", "transformers", "gradio"]


def lint(house: Path, law: str | None = None) -> str:
    """What import-linter says of the `unmask` in this folder, empty when it is content."""
    only = ["--contract", law] if law else []
    command = [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache", *only]
    report = subprocess.run(command, cwd=house, capture_output=True, text=True, timeout=120)
    return "" if report.returncode == 0 else report.stdout + report.stderr


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the house, to be spoiled."""
    shutil.copytree(ROOT / "dllm", tmp_path / "unmask", ignore=shutil.ignore_patterns("__pycache__", "assets"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_house_keeps_its_laws() -> None:
    assert not lint(ROOT)


PLANTED = [
    ("layers", "decide/policies/margin.py", "import unmask.live.session"),
    ("layers", "canvas/canvas.py", "import unmask.belief"),
    ("layers", "undeclared.py", ""),
    ("layers", "undeclared_folder/__init__.py", ""),
    ("layers", "serve/runtime.py", f"import unmask.features.{NAMES[0]}"),
    ("layers", "inference/decode.py", "def late() -> None:\n    import unmask.pair.worlds"),
    ("layers", f"features/{NAMES[0]}/planted.py", "import unmask.pair.worlds"),
    ("features", f"features/{NAMES[0]}/planted.py", f"import unmask.features.{NAMES[1]}"),
    ("ground", "errors.py", "import unmask.canvas"),
    ("policies", "decide/policies/margin.py", "import unmask.decide.policies.entropy"),
    ("page", "live/session.py", "import gradio"),
    ("page", "decide/policies/margin.py", "from unmask.ui import page"),
    ("making", "run/judge.py", "def late() -> None:\n    import pair.train"),
    ("torch", "canvas/canvas.py", "import torch"),
    ("torch", "decide/policies/margin.py", "from torch.nn import functional"),
    ("torch", "live/session.py", "def late() -> None:\n    import torch"),
    ("torch", "models/hub/adapter.py", "import torch"),
    ("pure", "belief/rng.py", "import random"),
    ("pure", "run/command.py", "import threading"),
    ("pure", "run/event.py", "from datetime import datetime"),
    ("pure", "decide/policies/margin.py", "import asyncio"),
    ("pure", "decide/schedule.py", "import time"),
    ("pure", "run/step.py", "from urllib.request import urlopen"),
    ("transformers", "inference/infer.py", "import transformers"),
    ("transformers", "models/hub/tokenizer.py", "import transformers"),
]


@pytest.mark.parametrize("law", sorted({row[0] for row in PLANTED}))
def test_planted_offences_are_found(house: Path, law: str) -> None:
    planted = [(file, line) for name, file, line in PLANTED if name == law]
    for file, line in planted:
        spoiled = house / "unmask" / file
        spoiled.parent.mkdir(exist_ok=True)
        with spoiled.open("a") as text:
            text.write(f"\n{line}\n")
    report = lint(house, law)
    assert "1 broken" in report
    for file, line in planted:
        module = f"unmask.{file.split('.')[0].removesuffix('/__init__').replace('/', '.')}"
        imported = re.findall(r"(?:import|from) ((?:unmask\.)?\w+)", line)[:1]
        assert re.search(rf"\b{module}\b" + "".join(rf" -> {name}\b" for name in imported), report), (file, report)


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("unmask")  # with what is imported late, or for types alone
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()
    imports["unmask.errors"] = {"unmask.serve.runtime"}
    with pytest.raises(CycleError):
        TopologicalSorter(imports).prepare()


def imported_by(module: str) -> list[str]:
    """Which of the heavy packages a fresh Python holds after importing the module."""
    code = f"import sys, {module}; print(*(name for name in {HEAVY} if name in sys.modules))"
    report = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert report.returncode == 0, report.stderr
    return report.stdout.split()


@pytest.mark.parametrize(
    "module", ["unmask.live.session", "unmask.inference", "unmask.live.device", "unmask.models", "unmask.__main__"]
)
def test_the_engine_starts_light(module: str) -> None:
    assert imported_by(module) == []


def test_the_page_opens_before_torch() -> None:
    assert "torch" not in imported_by("app")


def test_the_bundled_pair_runs_without_torch() -> None:
    """Opened, and decoded by its own presets and at a temperature."""
    code = """
import sys
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.inference.infer import nats
from unmask.models import load
from unmask.run.presets import preset
from unmask.run.state import start

for name in ("denoiser", "twin", "fast"):
    model = load(name)
    prompt = model.tokenizer.encode("Story: Lily")
    for changes in ({}, {"temperature": 0.8, "top_p": 0.9, "presence": 0.2}):
        settings = preset(model.card.preset["preset"]).over(12, **changes)
        states = [state for state, _ in decode(model, start(blank([prompt, 12]), settings))]
nats(load("twin"), "Lily had a kite.")
print("torch" in sys.modules)
"""
    report = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert report.returncode == 0, report.stderr
    assert report.stdout.split() == ["False"] and not report.stderr


def test_no_room_is_named_for_nothing() -> None:
    empty = {"utils", "util", "common", "core", "manager", "base", "helpers", "misc"}
    named = {path.stem for room in ("dllm", "ui", "pair", "tests", "bench") for path in (ROOT / room).rglob("*.py")}
    assert not named & empty


def test_no_function_is_long() -> None:
    """ruff counts branches and statements (C901, PLR0915); this counts lines."""
    long = [f"{file}: {name}" for file, name, node in Tree(ROOT).functions() if length(node) > LONGEST]
    assert not long


@pytest.mark.parametrize(
    "file",
    [
        "requirements.txt",
        "requirements-torch.txt",
        "requirements-cluster.txt",
        "requirements-dev.txt",
        "requirements-clients.txt",
        "package.json",
    ],
)
def test_every_dependency_is_pinned(file: str) -> None:
    text = (ROOT / file).read_text()
    if file.endswith(".json"):
        wanted = re.findall(r'^ +"(?:@|\w)[^"]*": "([\^~><*][^"]*)"', text.split('"devDependencies"')[1], re.M)
        assert not wanted
    else:
        assert all("==" in line for line in text.splitlines() if line and not line.startswith(("#", "-r ")))


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (ROOT / "package-lock.json").read_text()


def test_the_scripts_can_be_run() -> None:
    scripts = [ROOT / ".ci" / "run", *(ROOT / "scripts").glob("*.sh")]
    assert all(os.access(script, os.X_OK) for script in scripts)
    for script in scripts:
        subprocess.run(["bash", "-n", script], check=True)
