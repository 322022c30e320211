"""The notebook with a task, a scorer and a decoder of one's own runs from its first cell to its last."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "docs" / "own_task.ipynb"


def test_every_cell_runs_and_it_ends_with_a_front_and_a_paired_interval(tmp_path: Path) -> None:
    cells = [one for one in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if one["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    program = "\n".join(
        [*sources, "assert found.done and found.front and -1 <= gap.low <= gap.value <= gap.high <= 1", "print(found)"]
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "on the front" in done.stdout and "difference" in done.stdout
    assert (tmp_path / "own-task" / "sums.sweep.jsonl").is_file()


def test_what_it_shows_is_what_it_once_wrote() -> None:
    """A notebook without results shows nothing to those who only read it."""
    cells = [one for one in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if one["cell_type"] == "code"]
    shown = json.dumps([cell["outputs"] for cell in cells])
    assert "on the front" in shown and "unmask sweep --again" in shown and "/work" not in shown and "error" not in shown
