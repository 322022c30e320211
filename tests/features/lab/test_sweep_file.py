"""Sweeps as files: paused and continued, cut off, written by another version, and repeated from a row of their CSV."""

import csv
import json
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import unmask
from unmask.__main__ import main
from unmask.errors import InvalidRequest
from unmask.features.lab import front
from unmask.features.lab.sweep_file import open_saved, read_saved

TASK = "\n".join(json.dumps({"prompt": f"{n} {n + 1}", "reference": f'{n}\'s "best"'}) for n in range(1, 5))
DECODERS = ["llada:passes=4,temperature=0.9", "fast-dllm:tau=0.6,temperature=0.9"]
FIRST = """def score(prompt, text, reference):
    return len(text) % 7 / 7
"""


@pytest.fixture
def task(tmp_path: Path, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task and a scorer of one's own, in a folder of their own."""
    (tmp_path / "mine.py").write_text(FIRST)
    configure(UNMASK_SCORERS=str(tmp_path))
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "pairs.jsonl"
    file.write_text(TASK)
    return file


def swept(task: Path, name: str = "one", **more: Any) -> front.SweepResults:
    found: front.SweepResults = unmask.sweep(
        [task], DECODERS, **{"scorer": "mine", "model": "toy", "length": 12, "seeds": 2, "name": name} | more
    )
    return found


def test_a_sweep_is_kept_and_opened_and_equals_itself(task: Path) -> None:
    found = swept(task)
    assert found.done and not found.why and len(found.outcomes) == 16 and found.saved.measure == "score"
    again = unmask.open_sweep("one")
    assert [(o.spec, o.text, o.score) for o in again.outcomes] == [(o.spec, o.text, o.score) for o in found.outcomes]
    assert [p.values["score"] for p in again.points] == [p.values["score"] for p in found.points]
    assert "16 of 16 runs; score" in repr(again) and "on the front" in repr(again)
    assert all(one.score == len(one.text) % 7 / 7 and one.task == "pairs" for one in again.outcomes)


def test_what_is_missing_is_run_and_what_is_there_is_not(task: Path) -> None:
    whole = swept(task)
    file = Path("sweeps/one.sweep.jsonl")
    lines = file.read_text().splitlines()
    marked = json.loads(lines[1]) | {"text": "kept as it was"}
    file.write_text("\n".join([lines[0], json.dumps(marked), *lines[2:9]]) + "\n" + lines[9][:40])  # a crash
    assert len(unmask.open_sweep("one").outcomes) == 8
    again = swept(task)
    assert again.done and sum(o.text == "kept as it was" for o in again.outcomes) == 1
    assert {o.text for o in again.outcomes} - {"kept as it was"} <= {o.text for o in whole.outcomes}
    assert unmask.open_sweep("one").done


def test_an_interrupted_sweep_returns_what_is_done(task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is a pause: what was measured is in the file."""
    (task.parent / "slow.py").write_text("import time\ndef score(p, t, r):\n  time.sleep(.3)\n  return 1")
    from unmask.features.lab import plan_runner

    real, waits = plan_runner.wait, []

    def wait(*arguments: Any) -> Any:
        waits.append(1)
        file = Path("sweeps/one.sweep.jsonl")
        if file.exists() and len(file.read_text().splitlines()) >= 3 and len(waits) < 10_000:
            waits.extend([1] * 10_000)
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(plan_runner, "wait", wait)
    found = swept(task, scorer="slow")
    assert found.why == "interrupted; the same call goes on" and 2 <= len(found.outcomes) < 16
    assert unmask.open_sweep("one").outcomes and swept(task, scorer="slow").done


def test_a_scorer_that_fails_ends_the_sweep_and_what_was_measured_is_kept(task: Path) -> None:
    mine = task.parent / "mine.py"
    mine.write_text("def score(prompt, text, reference):\n  if prompt == '3 4': raise OSError('no')\n  return 1")
    found = swept(task)
    assert found.why == "the scorer 'mine' raised OSError: no on line 3 of 'pairs'" and not found.done
    assert len(unmask.open_sweep("one").outcomes) == len(found.outcomes)
    mine.write_text(FIRST)
    with pytest.raises(InvalidRequest, match="another sweep: the files of the scorer differ"):
        swept(task)


@pytest.mark.parametrize(
    "more, what",
    [({"seeds": 3}, "the seeds"), ({"length": 13}, "the lengths"), ({"scorer": "exact_match"}, "the scorers")],
)
def test_another_sweep_of_the_same_name_is_refused(task: Path, more: dict[str, Any], what: str) -> None:
    swept(task)
    with pytest.raises(InvalidRequest, match=rf"one.sweep.jsonl has another sweep: {what} differ"):
        swept(task, **more)
    task.write_text(TASK.replace('"1 2"', '"1 3"'))
    with pytest.raises(InvalidRequest, match="the prompts differ"):
        swept(task)


def test_a_file_of_another_version_is_named(task: Path) -> None:
    swept(task)
    file = Path("sweeps/one.sweep.jsonl")
    saved = open_saved(file)
    file.write_text("\n".join(replace(saved, made_by="0.0.1").lines()))
    assert len(unmask.open_sweep("one").outcomes) == 16  # it can be read
    with pytest.raises(InvalidRequest, match=r"measured by Unmask 0\.0\.1, and this is .* not mixed"):
        swept(task)
    file.write_text(file.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(InvalidRequest, match=r"one.sweep.jsonl is in format 2, written by Unmask 0\.0\.1; this is"):
        unmask.open_sweep("one")


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "here is no file of a sweep"),
        ("[]", "here is no file of a sweep"),
        ('{"unmask": "sweep", "format": 1}', "line 1 of here is no plan of a sweep: KeyError 'decoders'"),
    ],
)
def test_what_is_no_file_of_a_sweep_is_refused(text: str, why: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_saved(text, "here")
    assert why in str(refused.value)


def test_a_line_in_the_middle_that_is_no_run_is_named(task: Path) -> None:
    swept(task)
    lines = Path("sweeps/one.sweep.jsonl").read_text().splitlines()
    for wrong in ("{", '{"run": [9, 9, 9]}', lines[3].replace('"passes": ', '"passes": "x", "_": ')):
        with pytest.raises(InvalidRequest, match="line 3 of here is no run of its sweep"):
            read_saved("\n".join([*lines[:2], wrong, *lines[3:], ""]), "here")


def test_a_row_of_the_csv_and_a_point_of_the_json_are_repeated_by_their_commands(
    task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = swept(task)
    found.csv("runs.csv")
    with open("runs.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in (rows[0], rows[-1]):
        program, *arguments = shlex.split(row["command"])
        capsys.readouterr()
        assert program == "unmask" and main(arguments) == 0
        again = json.loads(capsys.readouterr().out)
        assert again["text"] == row["text"] and f"{again['score']:.4g}" == row["score"]
        assert again["passes"] == int(row["passes"])
    point = json.loads(found.json())["points"][1]
    assert main(shlex.split(point["command"])[1:]) == 0
    shown = capsys.readouterr().out
    assert "8 of 8 texts are the same" in shown and f"{point['values']['score'][0]:.3f}" in shown


def test_from_the_terminal(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = ["--scorer", "mine", "--model", "toy", "--length", "12", "--quiet", "--decoder", "llada:*"]
    assert main(["sweep", str(task), *own, "--json", "points.json"]) == 0
    assert main(["sweep", str(task), *own, "--name", "two", "--decoder", "dus"]) == 0
    assert len(json.loads(Path("points.json").read_text())["points"]) == 4
    capsys.readouterr()
    assert main(["sweep", "--list"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "pairs: 16 of 16 runs, score, toy"
    assert main(["sweep", "--compare", "pairs", "two"]) == 0
    assert capsys.readouterr().out.count("+0.000 [") == 4
    for wrong, why in (
        ([str(task)], "name a task and a decoder"),
        ([str(task), "--decoder", "llada", "--measure", "score"], "to measure by score, name a scorer"),
        ([str(task), "--decoder", "llada", "--decoder", "llada"], "two decoders are called 'LLaDA'"),
        ([str(task), "--decoder", "lada"], "no preset 'lada'"),
        ([str(task), "--decoder", "llada:passes=-1", "--model", "toy", "--measure", "agrees"], "passes"),
        (["--open", "nothing"], "nothing.sweep.jsonl cannot be read"),
        (["--open", "../x"], "'../x' is no name for a sweep"),
        (["--again", "{"], "--again is no JSON"),
    ):
        assert main(["sweep", *wrong]) == 2
        assert why in capsys.readouterr().err


def test_progress_is_reported_while_it_runs(task: Path) -> None:
    seen: list[tuple[int, int]] = []
    threads = threading.active_count()
    swept(task, progress=lambda done, count, left: seen.append((done, count)))
    assert seen and seen[-1] == (16, 16)
    time.sleep(0.2)
    assert threading.active_count() <= threads + 1  # a device's own thread may be the last to leave
