"""Checks between two passes: rounds, what stays, pins, and a hundred random runs that equal their replay."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

import unmask
from unmask.inference import infer
from unmask.inference.checker_of import checker_of
from unmask.inference.decode import nodes, recompute, timelines
from unmask.models import Denoiser, load
from unmask.run.command import Erase, Find, Pin, Stretch, Tune
from unmask.run.edit import Steering
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.run.timeline import Timeline
from unmask.run.trace import Trace, lines, parse_trace

PROMPT = "User: 86 + 4\nAssistant:"  # which the pair does not know: it writes 80


@pytest.fixture(scope="module")
def denoiser() -> Denoiser:
    return load("denoiser")


def finds(timeline: Timeline) -> list[Find]:
    return [node.edit for node in timeline.head.path() if isinstance(node.edit, Find)]


def test_what_is_found_opens_and_heals() -> None:
    assert unmask.decode(PROMPT).text.endswith("= 80")
    run = unmask.decode(PROMPT, checks=["sums"])
    found = finds(run.timeline)
    assert run.text.endswith("= 90") and run.timeline.head.state.done
    assert [one.outcome for one in found] == ["reopened", "reopened"]
    assert [one.differently for one in found] == [False, True]
    assert {one.why for one in found} == {"86 + 4 is 90"}
    first = next(node for node in run.timeline.head.path() if isinstance(node.edit, Find))
    assert first.canvas.open[list(first.edit.cells)].all() and first.by_model  # type: ignore[union-attr]


def test_what_comes_back_a_third_time_stands() -> None:
    run = unmask.decode(PROMPT, check=lambda text: [(len(text) - 1, len(text), "it ends")])
    found = finds(run.timeline)
    assert [one.outcome for one in found] == ["reopened", "reopened", "stands"] and run.timeline.head.state.done


def test_a_run_without_checks_is_what_it_was() -> None:
    plain, other = unmask.decode(PROMPT), unmask.decode(PROMPT, check=lambda text: [])
    assert plain.timeline.head.canvas.same(other.timeline.head.canvas)
    assert len(plain.passes) == len(other.passes) and not finds(other.timeline)
    assert next(lines(Trace((plain.timeline,)))).startswith('{"unmask":3')


def test_rounds_end_it() -> None:
    def number(text: str) -> list[tuple[int, int, str]]:
        number.calls += 1  # type: ignore[attr-defined]
        return [(len(text) - 1, len(text), f"reason {number.calls}")]  # type: ignore[attr-defined]

    number.calls = 0  # type: ignore[attr-defined]
    run = unmask.decode(PROMPT, check=number, check_rounds=2)
    assert [one.outcome for one in finds(run.timeline)] == ["reopened", "reopened", "left"]
    assert run.timeline.head.state.done


def test_a_check_that_fails_is_left_out_and_the_run_goes_on() -> None:
    def broken(text: str) -> list[tuple[int, int, str]]:
        raise ValueError("oh")

    run = unmask.decode(PROMPT, check=broken, checks=["sums"], check_when="pass")
    failed = [one for one in finds(run.timeline) if one.outcome == "failed"]
    assert [one.why for one in failed] == ["the check 'broken' failed: ValueError: oh"]
    assert run.timeline.head.state.done and run.text == unmask.decode(PROMPT, checks=["sums"], check_when="pass").text


def test_a_pin_and_a_model_from_left_to_right_stand_at_once(denoiser: Denoiser) -> None:
    spec = RunSpec(PROMPT, changes={"checks": ["sums"]})
    *_, timeline = timelines(denoiser, RunSpec(PROMPT))
    text, _, cells = checker_of(denoiser).text(timeline.head.canvas)
    at = text.index("80")
    pinned = tuple(dict.fromkeys(cells[at : at + 2].tolist()))
    pin = Pin(pinned, tuple(timeline.head.canvas.tokens[list(pinned)].tolist()))
    *_, timeline = timelines(denoiser, spec, edits=[(1, pin)])
    assert [(one.outcome, one.cells) for one in finds(timeline)] == [("stands", pinned)]
    assert [one.outcome for one in finds(unmask.decode(PROMPT, "twin", checks=["sums"]).timeline)] in ([], ["stands"])


def test_every_character_has_its_cell(denoiser: Denoiser) -> None:
    checker = checker_of(denoiser)
    state = RunSpec("Story: Zoë’s 日本 kite ___ flew.").start(denoiser.card, denoiser.tokenizer)
    text, begins, cells = checker.text(state.canvas)
    assert len(cells) == len(text) and text.count("░") == state.canvas.open.sum()
    assert text[begins] == "░" and (np.diff(cells) >= 0).all()
    assert "Zoë’s 日本 kite" in text


def random_run(denoiser: Denoiser, seed: int) -> Timeline:
    """A run with checks, and pins, undone edits and branches at random moments."""
    rng, steering = Random(seed), Steering(denoiser.card, denoiser.tokenizer)
    names = ["sums", "facts", "quotes", "names", "repeats"]
    changes = {"checks": rng.sample(names, 2), "check_when": rng.choice(["end", "pass"]), "check_rounds": 3}
    spec = RunSpec(rng.choice((PROMPT, "Less: 88 mittens - 79 mittens\n")), length=24, seed=seed, changes=changes)
    *_, timeline = timelines(denoiser, spec)
    for _ in range(3):
        at = rng.randrange(timeline.head.at + 1)
        act = rng.choice(("pin", "erase", "tune", "branch", "undo", "insert"))
        timeline = timeline.fork(at)
        state = timeline.head.state
        cell = rng.choice(np.flatnonzero(state.canvas.free).tolist())
        token = rng.choice(denoiser.tokenizer.encode("7 a b 9"))
        edit = {
            "pin": Pin((cell,), (token,)),
            "erase": Erase((cell,), differently=True),
            "tune": Tune({"checks": [rng.choice(names)]}),
            "insert": Stretch(cell, 1),
        }.get(act)
        if act == "undo":
            timeline = timeline.append(timeline.head.ancestor(max(0, at - 1)))
        elif edit is not None:
            timeline = timeline.append(timeline.head.child(steering.after(state, [edit]), edit=edit))
        for node in nodes(denoiser, timeline.head):
            timeline = timeline.append(node)
    return timeline


@pytest.mark.parametrize("part", range(10))
def test_random_runs_equal_the_replay_of_their_file(denoiser: Denoiser, part: int) -> None:
    found = 0
    for seed in range(part * 10, part * 10 + 10):
        timeline = random_run(denoiser, seed)
        text = "\n".join(lines(Trace((timeline,)))) + "\n"
        opened = parse_trace(text).first
        again = recompute(opened, lambda state: infer(denoiser, [state], [False])[0])
        for name, head in timeline.heads.items():
            assert again.heads[name].canvas.same(head.canvas), seed
            assert opened.heads[name].canvas.same(head.canvas), seed
            assert again.heads[name].state.findings == head.state.findings, seed
        found += sum(isinstance(node.edit, Find) for node in timeline.nodes())
        version = '{"unmask":5' if any(isinstance(n.edit, Find) for n in timeline.nodes()) else '{"unmask":3'
        assert text.startswith(version)
    assert found >= 5


def test_a_client_cannot_send_a_finding(denoiser: Denoiser) -> None:
    state: State = RunSpec(PROMPT).start(denoiser.card, denoiser.tokenizer)
    with pytest.raises(ValueError, match="use `erase`"):
        Steering(denoiser.card, denoiser.tokenizer).after(state, [Find("sums", "why", (9,))])


def test_the_command_line_reads_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from unmask.__main__ import main

    file = tmp_path / "run.jsonl"
    assert main(["decode", PROMPT, "--check", "sums", "--quiet", "--trace", str(file)]) == 0
    assert "Reopened twice" in capsys.readouterr().err
    assert '"do":"find"' in file.read_text()
    assert main(["decode", PROMPT, "--check", "nothing"]) == 2
    assert "no check 'nothing'; there are" in capsys.readouterr().err
