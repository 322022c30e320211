"""The page counts and says of a run on another machine's clock what Python does."""

import json
import subprocess
from dataclasses import asdict, replace
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest

from scripts.contract import FIGURES, figures
from tests.contract.recorder import needs_node
from unmask.inference.decode import nodes
from unmask.models import load
from unmask.run.clock_sentence import TimedRun, clock_sentence
from unmask.run.command import Tune
from unmask.run.edit import apply
from unmask.run.fed_tokens import Work
from unmask.run.modelled_time import Clock
from unmask.run.pass_time import CHIPS, SIZES
from unmask.run.spec import RunSpec
from unmask.run.timeline import Timeline, new_timeline, with_pieces
from unmask.run.trace import Trace, save

SCRIPT = Path(__file__).with_name("clock.js")
DECODERS: list[tuple[str, dict[str, Any]]] = [
    ("denoiser", {}),  # proofreads
    ("denoiser", {"policy": "revoke", "passes": 12}),
    ("denoiser", {"policy": "confidence", "block": 8, "sight": "block", "passes": 12}),
    ("denoiser", {"policy": "threshold", "guidance": 1.5}),
    ("fast", {}),
    ("fast", {"options": {"ahead": 6}}),
    ("fast", {"policy": "threshold", "block": 8}),
]


def decode(model: str, changes: dict[str, Any]) -> Timeline:
    denoiser = load(model)
    spec = RunSpec("Story: Lily had a red kite.", model, 32, "", changes)
    timeline = new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer))
    for node in nodes(denoiser, timeline.head):
        timeline = timeline.append(node)
    return with_pieces(timeline, denoiser.tokenizer)


def timed(timeline: Timeline) -> TimedRun:
    return TimedRun("Run", timeline.measured(), timeline.works())


def on_the_page(folder: Path, clock: Clock, chip: str, size: str, pairs: list[tuple[Timeline, ...]]) -> list[Any]:
    texts = []
    for runs in pairs:
        texts.append([])
        for run in runs:
            save(Trace((run,)), folder / "run.trace.jsonl")
            texts[-1].append((folder / "run.trace.jsonl").read_text())
    request = {"chip": chip, "size": size, "users": clock.users, "efficiency": clock.efficiency, "overhead": 0}
    found: list[Any] = answer(folder, **request, pairs=texts)["found"]
    return found


def answer(folder: Path, **request: Any) -> dict[str, Any]:
    (folder / "request.json").write_text(json.dumps(request))
    done = subprocess.run(["node", SCRIPT, folder / "request.json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_figures_of_the_page_are_those_of_the_engine() -> None:
    assert FIGURES.read_text() == figures()


@needs_node
def test_every_chip_and_model_has_the_time_that_python_gives(tmp_path: Path) -> None:
    works = (Work(1, 1, 300), Work(1, 112, 0), Work(2, 32, 274), Work(0, 8, 8), Work(1, 1024, 0))
    shares = zip(cycle((1, 4, 16, 64, 256)), cycle((0.3, 0.6, 0.9, 1)), cycle((0, 1e-4)), strict=False)
    pairs = [*zip(product(CHIPS, SIZES), shares, strict=False)]
    names = ("users", "efficiency", "overhead")
    cases = [{"chip": chip, "size": size} | dict(zip(names, rest, strict=True)) for (chip, size), rest in pairs]
    page = answer(tmp_path, works=[asdict(work) for work in works], cases=cases)["seconds"]
    for ((chip, size), rest), found in zip(pairs, page, strict=True):
        assert found == pytest.approx([*map(Clock(CHIPS[chip], SIZES[size], *rest).seconds, works)], rel=1e-12)


@needs_node
@pytest.mark.parametrize(("chip", "size", "users"), [("h100", "llada-8b", 1), ("l4", "llada2-mini", 48)])
def test_works_and_sentence_are_the_same(tmp_path: Path, chip: str, size: str, users: int) -> None:
    twin = decode("twin", {})
    runs = [decode(model, changes) for model, changes in DECODERS]
    clock = Clock(CHIPS[chip], SIZES[size], users, efficiency=0.5)
    pairs: list[tuple[Timeline, ...]] = [*((run, twin) for run in runs), (twin,)]
    compared = 0
    for (run, *others), found in zip(pairs, on_the_page(tmp_path, clock, chip, size, pairs), strict=True):
        works = [(w.forwards, w.tokens, w.cached, w.by_reader) for w in run.works()]
        page = [(w["forwards"], w["tokens"], w["cached"], w.get("byReader", False)) for w in found["works"]]
        assert page == works
        assert found["tokens"] == run.tokens()
        assert found["clock"] == pytest.approx(1000 * run.modelled(clock).seconds)
        parts = clock_sentence(clock, timed(run), *map(timed, others))
        if len(parts) == 1 and others:
            assert found["says"] == ""  # the works were unequal
        else:
            assert found["says"] == " ".join(str(part) for part in (parts[1:] if others else parts))
            compared += 1
    assert compared > 3


@needs_node
def test_a_changed_setting_counts_from_its_edit_on(tmp_path: Path) -> None:
    denoiser = load("denoiser")
    changes = {"policy": "confidence", "block": 8, "sight": "block", "passes": 12}
    spec = RunSpec("Story: Lily had a red kite.", "denoiser", 32, "", changes)
    timeline = new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer))
    for done, node in enumerate(nodes(denoiser, timeline.head)):
        timeline = timeline.append(node)
        if done == 4:
            break
    edit = Tune({"sight": "all", "block": 0})
    head = timeline.head
    timeline = timeline.append(head.child(apply(head.state, edit, denoiser.card), edit=edit))
    for node in nodes(denoiser, timeline.head):
        timeline = timeline.append(node)
    timeline = with_pieces(timeline, denoiser.tokenizer)
    clock = replace(Clock(CHIPS["h100"], SIZES["llada-8b"]))
    (found,) = on_the_page(tmp_path, clock, "h100", "llada-8b", [(timeline,)])
    assert [w["tokens"] for w in found["works"]] == [w.tokens for w in timeline.works()]
    assert len({w["tokens"] for w in found["works"]}) > 2
