"""Sweeps from Python without a server: they need none of its packages."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("starlette", "orjson", "gradio", "uvicorn", "websockets", "httpx", "yaml", "openai"):
            raise ImportError(name)

sys.meta_path.insert(0, NotInstalled())
import unmask
from unmask.__main__ import loaded

assert "sweep" in loaded() and "sweep" in dir(unmask)
task = [{"prompt": "1 2", "reference": "3"}]
found = unmask.sweep(task, ["llada:passes=2"], scorer="exact_match", model="toy", length=8)
assert found.done and len(found.points) == 1
assert unmask.decode("Story: Tom", "twin", length=4).text
"""


def test_no_package_of_the_server_is_needed() -> None:
    """`pip install .` alone could open no bundled model: the reader of attached servers wanted `orjson`."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
