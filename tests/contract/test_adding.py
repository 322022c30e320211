"""A new edit takes two files: where it is declared, and where it is applied. The type checker names a missing one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

DECLARED = '''
@dataclass(frozen=True)
class Swap:
    """Exchange the tokens of two written cells."""

    one: Whole
    two: Whole


Edit = Swap | Pin'''
APPLIED = """
        case Swap(one, two):
            row = canvas.tokens.copy()
            row[[one, two]] = row[[two, one]]
            changed = replace(state, canvas=canvas.write(canvas.mask([one, two]), row))
        case _:
            assert_never(edit)"""
LIVED = """
from unmask.canvas import blank
from unmask.models.toy import Toy
from unmask.run import trace
from unmask.run.command import parse_command
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import step
from unmask.run.timeline import new_timeline
from unmask.inference import infer
from scripts.contract import LEGAL, legal

toy = Toy()
state = start(blank([[1, 2], 6]), Settings(passes=1))
run = new_timeline(toy.card, state, "1 2")
state, frame = step(state, infer(toy, [state], [True])[0])
run = run.append(run.head.child(state, frame))
edit = parse_command({"do": "swap", "one": 3, "two": 5})
after = apply(state, edit, toy.card.words)
run = run.append(run.head.child(after, edit=edit))
trace.save(trace.Trace((run,)), "swapped.jsonl")
assert trace.load("swapped.jsonl").first.head.canvas.tokens[3] == state.canvas.tokens[5]
LEGAL.write_text(legal())
print(state.canvas.tokens[5])
"""
READ = """
import { readFileSync } from "node:fs";
import { traceOf } from "./assets/wire/trace.js";
const events = traceOf(readFileSync("swapped.jsonl", "utf8"))[0];
console.log(JSON.stringify([events.at(-1).edit.do, events.at(-1).canvas.tokens[3]]));
"""


def changed(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new))


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not here")
def test_a_new_edit_takes_two_files(tmp_path: Path) -> None:
    for part in ("dllm", "assets", "scripts"):
        leave = shutil.ignore_patterns("__pycache__", "models", "cases", "traces", "fonts", "*.safetensors")
        shutil.copytree(ROOT / part, tmp_path / part, ignore=None if part == "dllm" else leave, symlinks=True)
    (tmp_path / "unmask").symlink_to("dllm")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "package.json", tmp_path)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "MYPY_CACHE_DIR": str(tmp_path / "cache")}

    def ran(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)

    changed(tmp_path / "dllm" / "run" / "command.py", "\nEdit = Pin", DECLARED)
    checked = ran(sys.executable, "-m", "mypy", "-p", "unmask.run")
    assert "unmask/run/edit.py" in checked.stdout and 'incompatible type "Swap"' in checked.stdout, checked.stdout

    edit = tmp_path / "dllm" / "run" / "edit.py"
    changed(edit, "\n        case _:\n            assert_never(edit)", APPLIED)
    changed(edit, "Release, Stretch, Tune", "Release, Stretch, Swap, Tune")
    checked = ran(sys.executable, "-m", "mypy", "-p", "unmask.run")
    assert checked.returncode == 0, checked.stdout
    lived = ran(sys.executable, "-c", LIVED)
    assert lived.returncode == 0, lived.stderr
    read = ran("node", "--input-type=module", "-e", READ)  # the page reads the file, and nothing of it was written
    assert json.loads(read.stdout) == ["swap", int(lived.stdout)], read.stderr
