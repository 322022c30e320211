"""The guide to constraints is true: its table names what there is, its examples are taken, its programs run."""

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lettered import PIECES
from unmask.decide import constraints
from unmask.decide.constraint import CompiledConstraint, constraint_kinds, parse_constraint
from unmask.decide.grammar.alphabet import Alphabet

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "constraints.md").read_text("utf-8")
ALPHABET = Alphabet(PIECES)


def parameters(kind: str) -> str:
    """What a kind takes, as the table prints it."""
    function = getattr(importlib.import_module(f"{constraints.__name__}.{kind}"), kind)
    return ", ".join(
        f"`{p.name}`" + ("" if p.default is inspect.Parameter.empty else f" = {json.dumps(p.default)}")
        for p in [*inspect.signature(function).parameters.values()][1:]
    )


def says(kind: str) -> str:
    module = importlib.import_module(f"{constraints.__name__}.{kind}")
    return " ".join((module.__doc__ or "").split())


def table() -> str:
    return "".join(f"| `{kind}` | {parameters(kind)} | {says(kind)} |\n" for kind in constraint_kinds())


def test_the_table_names_every_kind_and_what_it_takes() -> None:
    assert table() in GUIDE


def test_each_kind_has_an_example_that_is_taken() -> None:
    rows = [json.loads(line) for line in re.search(r"```json\n(.*?)```", GUIDE, re.S)[1].splitlines()]  # type: ignore[index]
    assert {row["kind"] for row in rows} == set(constraint_kinds())
    for row in rows:
        assert parse_constraint(row) == row
        assert CompiledConstraint.compile(row, ALPHABET, (), (0,)).language.shortest() >= 0


def test_the_programs_run_as_printed() -> None:
    program = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE, re.S))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    text, found = done.stdout.strip().split("\n")
    assert len(text.split()) == 11 and "7" not in text
    assert 0 <= float(found.split()[0]) <= 1


def test_the_command_runs_as_printed(tmp_path: Path) -> None:
    command = re.search(r"python -m unmask decode .*", GUIDE)[0]  # type: ignore[index]
    command = command.replace("python", sys.executable, 1).replace(
        "--preset", "--quiet --length 24 --model denoiser --preset"
    )
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r" ?[a-z ]+\.", done.stdout.split("Tom had")[-1].rstrip("\n")), done.stdout


def test_a_kind_of_ones_own_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((name, text),) = re.findall(r"```python (\w+)\n(.*?)```", GUIDE, re.S)
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setattr(constraints, "__path__", [*constraints.__path__, str(tmp_path)])
    assert name in constraint_kinds()
    legal = CompiledConstraint.compile(parse_constraint({"kind": name, "least": 3}), ALPHABET, (), (0,))
    assert legal.language.shortest() == 2
