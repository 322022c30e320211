"""The guide to the Lab is true: its task, its scorer, its commands and its program run."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import unmask
from unmask.__main__ import main
from unmask.features.lab.scoring import scorers

GUIDE = (Path(__file__).parents[3] / "docs" / "lab.md").read_text()
((SCORER, SOURCE),) = re.findall(r"```python (\w+)\n(.*?)```", GUIDE, re.S)
(TASK,) = re.findall(r"```json\n(.*?)```", GUIDE, re.S)
(PROGRAM,) = re.findall(r"```python\n(.*?)```", GUIDE, re.S)
COMMANDS = [
    line.split("  #")[0] for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.S) for line in block.splitlines()
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sums.jsonl").write_text(TASK)
    (tmp_path / "others.jsonl").write_text(TASK)
    (tmp_path / f"{SCORER}.py").write_text(SOURCE)
    configure(UNMASK_SCORERS=str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_the_table_names_the_scorers_that_are_built_in(configure: Callable[..., None]) -> None:
    configure(UNMASK_SCORERS="")
    assert {*re.findall(r"^\| `(\w+)` \|", GUIDE.split("\n## From")[0], re.M)} == {*scorers()}


def test_the_commands_and_the_scorer_of_the_guide_run(capsys: pytest.CaptureFixture[str]) -> None:
    sweep, *rest = [shlex.split(one)[1:] for one in COMMANDS if one.startswith("unmask sweep")]
    assert main(sweep) == 0 and Path("runs.csv").is_file()
    assert main([*(word.replace("sums", "others") for word in sweep), "--scorer", SCORER, "--name", "near"]) == 0
    assert main([*(word.replace("sums", "others") for word in sweep)]) == 0
    capsys.readouterr()
    outputs = []
    for words in rest:
        assert main(words) == 0
        outputs.append(capsys.readouterr().out)
    kept, shown, compared, again = outputs
    assert len(kept.splitlines()) == 3 and "8 of 8 runs" in shown
    assert compared.count("+0.000 [") == 2
    assert '"score": 1.0' in again and "Answer: 114" in again


def test_the_program_of_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(PROGRAM, {})
    assert unmask.open_sweep("first").done and "LLaDA, 8 passes" in capsys.readouterr().out
