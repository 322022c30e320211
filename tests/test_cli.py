"""The command line, as a person calls it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.long import grown
from tests.support import begin, ending
from tests.until import LONG
from unmask.__main__ import main
from unmask.canvas import blank
from unmask.cli.screen import Screen
from unmask.decide import get_policy, policy_names
from unmask.inference import infer
from unmask.inference.decode import recompute
from unmask.models import builtin_names
from unmask.models.hub import known_checkpoints
from unmask.models.toy import Toy
from unmask.run import trace as traces
from unmask.run.presets import presets

ROOT = Path(__file__).parents[1]
TOY = ["--model", "toy", "--length", "16"]


def cli(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit status, and what was said to whom."""
    status = main(arguments)
    output = capsys.readouterr()
    return status, output.out, output.err


def test_what_comes_after_the_end_of_a_text_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Ends and tokens after them once followed a short text; while cells are open, the end is one sign."""
    canvas = blank([[5, 6], 4])
    canvas = canvas.write(canvas.open, np.array([5, 6, 7, 0, 8, 0]))
    with Screen(str, (0,), quiet=False) as screen:
        screen.show(canvas, None)
    assert capsys.readouterr().out.split() == ["567"]
    canvas = blank([[5, 6], 5])
    canvas = canvas.write(np.array([False] * 3 + [True] * 3 + [False]), np.array([5, 6, 0, 7, 0, 0, 0]))
    with Screen(str, (0,), quiet=False) as screen:
        screen.show(canvas, None)
    assert capsys.readouterr().out.split() == ["56", "░7∎", "░"]


def test_it_decodes_in_a_terminal_and_replays_the_trace(tmp_path: Path) -> None:
    file = tmp_path / "run.trace.jsonl"
    command = [sys.executable, "-m", "unmask"]
    decode = [
        "decode",
        "3 1 4 1 5",
        *TOY,
        "--policy",
        "threshold",
        "--tau",
        ".6",
        "--passes",
        "8",
        "--trace",
        str(file),
    ]
    first = subprocess.run([*command, *decode], cwd=ROOT, capture_output=True, text=True, timeout=LONG, check=True)
    assert "16 tokens in" in first.stderr and "a pass" in first.stderr and "pass 4, wrote 1, open 0" in first.stdout
    trace = traces.load(file)
    assert trace.first.head.canvas.tokens.tolist() == ending(Toy(), begin("threshold", options={"tau": 0.6}))
    again = recompute(trace.first, lambda s: infer(Toy(), [s], [True])[0])
    assert all(a.canvas.same(b.canvas) for a, b in zip(again.nodes(), trace.first.nodes(), strict=True))
    again = subprocess.run(
        [*command, "replay", str(file), "--pace", "0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=True,
    )
    assert f"replay: {trace.first.head.at} passes, 0 edits" in again.stderr


def test_quiet_says_only_the_text_and_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = cli(capsys, "decode", "3 1 4 1 5", *TOY, "--passes", "8", "--quiet")
    assert status == 0
    assert [int(t) for t in out.split()] == ending(Toy(), begin())[5:]
    assert err.startswith("16 tokens in 8 passes: 2.00 a pass")


def test_an_unfamiliar_prompt_is_answered_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = cli(capsys, "decode", "import numpy as np", "--length", "8", "--quiet")
    assert status == 0 and out.strip() and err.startswith("This prompt is unlike the model's training texts")


def test_a_text_that_makes_little_sense_is_told_behind_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = cli(capsys, "decode", "Story: A dragon lost his hat.", "--length", "96", "--quiet")
    assert status == 0 and "This text makes little sense" in err and "Story: Tom had a red hat." in err


def test_blanks_and_presets_and_knobs_with_an_equals_sign(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = cli(
        capsys, "decode", "3 [MASK:4] 5", "--model", "toy", "--preset", "remdm", "--way=loop", "--quiet"
    )
    assert status == 0 and len(out.split()) == 4


def test_policies_lists_every_name_knob_and_preset(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = cli(capsys, "policies")
    for name in policy_names():
        assert f"{name}: {get_policy(name).says}" in out
        assert all(f"--{knob.replace('_', '-')} " in out for knob in get_policy(name).knobs)
    assert all(f"preset {p.name} ({p.origin or 'automatic'})" in out for p in presets().values())


def test_a_closed_pipe_ends_the_output_without_a_traceback() -> None:
    listing = f"{sys.executable} -m unmask policies"
    ended = subprocess.run(["bash", "-c", f"{listing} | head -1"], capture_output=True, text=True)
    assert ended.stdout.startswith("ancestral") and ended.stderr == ""


@pytest.mark.parametrize("measured", grown(1, 99))
def test_models_lists_what_can_be_opened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, measured: int
) -> None:
    """It measures a layer of each small model of the hub: seconds each on a processor without matrix units."""
    small = sorted(known_checkpoints.small_checkpoints(), key=lambda item: item.download)[:measured]
    monkeypatch.setattr(known_checkpoints, "small_checkpoints", lambda: small)
    status, out, _ = cli(capsys, "models")
    assert status == 0 and all(name in out for name in builtin_names()) and "50 words, 4096 cells" in out
    assert all(f"{item.name}: {item.good}" in out for item in small)


def test_parity_names_the_first_pass_that_differs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cases = json.loads((ROOT / "tests/parity/published.json").read_text())
    case = next(c for c in cases if c["name"] == "fast-dllm-threshold" and c["passes"] > 3)
    (tmp_path / "good").write_text(json.dumps([case]))
    assert cli(capsys, "parity", str(tmp_path / "good"))[:1] == (0,)
    cell, token = next(iter(case["seen"][2].items()))
    case["seen"][2][cell] = (token + 1) % 49
    (tmp_path / "planted").write_text(json.dumps([case]))
    status, out, _ = cli(capsys, "parity", str(tmp_path / "planted"))
    assert status == 1 and f"pass 2 sees other cells: cell {cell} is {token}, published" in out
    assert "0 of 1 cases equal" in out


WRONG = [
    (["decode", "x", "--model", "toy"], "write token numbers"),
    (["decode", "1", "--model", "nobody"], "no model 'nobody'"),
    (["decode", "1", *TOY, "--policy", "treshold"], "no policy 'treshold'; there are"),
    (["decode", "1", *TOY, "--preset", "lada"], "no preset 'lada'"),
    (["decode", "1", *TOY, "--policy", "threshold", "--tau", "7"], "tau of 'threshold' must be a number from 0.5 to 1"),
    (["decode", "1", *TOY, "--policy", "threshold", "--tao", "1"], "has no knob 'tao'; it has tau"),
    (["decode", "1", *TOY, "--policy", "threshold", "--tau"], "--tau needs a value"),
    (["decode", "1", *TOY, "--passes", "0"], "passes must be a whole number from 1"),
    (["decode", "1", "--model", "toy", "--length", "-4"], "the length must be at least 1, not -4"),
    (["decode", "1", "--model", "toy", "--length", "99999999"], "this model sees at most 4096"),
    (["decode", "1", *TOY, "--trace", "/nowhere/at/all"], "cannot write /nowhere/at/all: No such file"),
    (["decode", "1", "--model", "toy:x"], "the toy's seed must be a number"),
    (["replay", "/nowhere"], "cannot read /nowhere: No such file"),
    (["replay", __file__], "line 1 of the trace is damaged"),
    (["parity", "/nowhere"], "cannot read parity cases"),
    (["policies", "--tau", "1"], "unknown option --tau"),
]


@pytest.mark.parametrize(("arguments", "says"), WRONG, ids=[" ".join(a)[:50] for a, _ in WRONG])
def test_a_wrong_call_is_one_sentence(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    status, _, err = cli(capsys, *arguments)
    assert status == 2 and err.splitlines()[-1].startswith("unmask: ") and says in err


def test_where_memory_runs_out_a_run_goes_on_or_ends_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended with the library's own words and where in the code it stood."""
    logits, room = Toy.logits, [False]

    def cramped(self: Toy, model_inputs: Any) -> Any:
        if not room[0]:
            raise torch.OutOfMemoryError("tried to allocate 9.3 GiB")
        return logits(self, model_inputs)

    monkeypatch.setattr(Toy, "logits", cramped)
    status, _, err = cli(capsys, "decode", "1", *TOY, "--quiet")
    assert status == 2 and "not enough memory for a canvas of" in err and "Traceback" not in err
    monkeypatch.setattr(Toy, "clear_caches", lambda self: room.__setitem__(0, True))
    assert cli(capsys, "decode", "1", *TOY, "--quiet")[0] == 0


def test_a_model_that_says_nothing_usable_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Toy, "hashed_logits", lambda self, tokens: __import__("numpy").full((len(tokens), 50), float("nan"))
    )
    status, _, err = cli(capsys, "decode", "1", *TOY, "--quiet")
    assert status == 2 and "not usable" in err


FOX = ("decode", "A story about a fox:", "--length", "16")


def test_both_clocks_in_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    h100 = ("--clock", "h100", "--as", "llada-8b", "--users", "8", "--efficiency", "1", "--overhead", "0.001")
    status, out, _ = cli(capsys, *FOX, "--policy", "confidence", "--passes", "8", "--json", "--twin", *h100)
    assert status == 0 and out.count("\n") == 1
    row = json.loads(out)
    for side in (row, row["twin"]):
        for time in (side["measured"], side["modelled"]):
            assert time["seconds"] > 0
            assert time["pass_seconds"] == pytest.approx(time["seconds"] / time["passes"])
    # 8 users * 22 cells wait for 16e9 bytes at 3.35e12 a second, and 1 ms: 5.776 ms
    assert row["modelled"]["passes"] == 8
    assert row["modelled"]["pass_seconds"] == pytest.approx(5.776e-3, rel=1e-3)
    assert "(modelled)" in row["sentence"] or "not compared" in row["sentence"]


def test_json_without_a_clock_is_measured_alone(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = cli(capsys, "decode", "1 2 3", *TOY, "--json")
    assert status == 0 and set(json.loads(out)) == {"measured", "text"}


def test_this_machine_is_modelled_by_its_own_passes(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = cli(capsys, *FOX, "--json", "--twin", "--clock", "this")
    row = json.loads(out)
    assert status == 0 and row["clock"]["chip"] == "this machine"
    # its rates are those of the mean forwards, so each side's modelled time is near the measured one
    for side in (row, row["twin"]):
        assert side["modelled"]["seconds"] == pytest.approx(side["measured"]["seconds"], rel=0.35)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--clock", "h101"], "There is no chip 'h101'"),
        (["--clock", "h100", "--as", "gpt"], "There is no model 'gpt'"),
        (["--clock", "h100", "--users", "0"], "Users at once go from 1"),
        (["--clock", "h100", "--efficiency", "2"], "efficiency must be above 0 and at most 1, not 2.0"),
        (["--clock", "h100", "--efficiency", "nan"], "efficiency must be above 0"),
        (["--clock", "h100", "--overhead", "-1"], "cannot be below 0"),
        (["--users", "8"], "--users needs --clock"),
    ],
)
def test_a_bad_clock_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], options: list[str], says: str) -> None:
    status, out, err = cli(capsys, *FOX, "--quiet", *options)
    assert status == 2 and not out
    assert says in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--clock", "h100"], "the number of parameters of"), (["--twin"], "has no autoregressive twin")],
)
def test_a_model_that_lacks_a_size_or_a_twin_is_refused(
    capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    status, out, err = cli(capsys, "decode", "1 2 3", *TOY, "--quiet", *options)
    assert status == 2 and not out
    assert says in err and err.count("\n") == 1
