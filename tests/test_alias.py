"""`dllm` and `unmask` are one package: the same module objects, in whatever order they are imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAME = """
import pickle, sys
assert dllm is unmask and dllm.run.state is unmask.run.state
assert dllm.errors.InvalidRequest is unmask.errors.InvalidRequest
assert unmask.run.state.__spec__.name == unmask.run.state.__name__ == "unmask.run.state"
twice = [m for m in sys.modules if m.startswith("dllm.") and sys.modules[m] is not sys.modules["unmask" + m[4:]]]
assert not twice, twice
copy = pickle.loads(pickle.dumps(unmask.errors.InvalidRequest("why")))
assert type(copy) is dllm.errors.InvalidRequest
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "imports",
    [
        "import dllm.run.state, dllm.errors, unmask.run.state, unmask.errors",
        "import unmask.run.state, unmask.errors, dllm.run.state, dllm.errors",
        "from dllm.run.state import State; import unmask.errors, dllm.errors, unmask, dllm, unmask.run.state",
        "import dllm.__main__, unmask.__main__, dllm.errors, dllm.run.state; assert dllm.__main__ is unmask.__main__",
    ],
)
def test_each_class_exists_once(imports: str) -> None:
    done = python("-c", imports + SAME)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["dllm", "unmask"])
def test_the_command_line_has_both_names(name: str) -> None:
    done = python("-m", name, "decode", "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: unmask decode")


def test_a_module_that_is_not_there_is_missed_by_the_name_that_was_asked_for() -> None:
    done = python("-c", "import dllm.nothing")
    assert "No module named 'dllm.nothing'" in done.stderr
