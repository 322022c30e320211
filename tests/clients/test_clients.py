"""Other people's clients against a running server, each in an environment of its own: `make clients`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serve.process import ROOT, Server

BUILD = ROOT / "build" / "clients"
HERE = Path(__file__).parent


def run(server: Server, *command: str, **more: str) -> None:
    done = subprocess.run(
        command,
        cwd=BUILD if BUILD.exists() else HERE,
        env=os.environ | {"URL": server.url, **more},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def installed(name: str) -> Path:
    folder = BUILD / name
    if not (folder / "bin" / "python").exists() and not (folder / "node_modules").exists():
        pytest.skip(f"{name} is not installed: make clients")
    return folder


@pytest.mark.slow
def test_openai_python_finds_every_answer_of_its_own_types(server: Server) -> None:
    run(server, sys.executable, str(HERE / "openai_types.py"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "script"), [("anthropic", "anthropic_sdk.py"), ("instructor", "instructor_library.py")]
)
def test_a_python_client_works_unchanged(server: Server, name: str, script: str) -> None:
    run(server, str(installed(name) / "bin" / "python"), str(HERE / script))


@pytest.mark.slow
def test_llm_answers_and_keeps_to_a_schema(server: Server) -> None:
    run(server, "sh", str(HERE / "llm_tool.sh"), BIN=str(installed("llm") / "bin"))


@pytest.mark.slow
def test_openai_node_and_the_ai_sdk_work_unchanged(server: Server) -> None:
    node = shutil.which("node")
    folder = installed("javascript")
    if node is None:
        pytest.skip("Node.js is not here")
    shutil.copy(HERE / "javascript.mjs", folder)  # Node looks for packages beside the file
    run(server, node, str(folder / "javascript.mjs"))
