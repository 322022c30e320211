"""Runs as messages: only new passes travel, a browser that missed some gets them, and old runs make room."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unmask
from unmask.embed.runs import Runs
from unmask.errors import InvalidRequest
from unmask.inference.decode import timelines
from unmask.run.spec import RunSpec
from unmask.run.trace import Trace

MASK, WORDS, LENGTH = 30, 31, 12


def logits(ids: Any) -> Any:
    """A model: each cell's likeliest token is its own number."""
    scores = np.zeros((1, ids.shape[1], WORDS), np.float32)
    scores[0, np.arange(ids.shape[1]), np.arange(ids.shape[1]) % MASK] = 4
    return scores


def recorded(runs: Runs) -> tuple[list[dict[str, Any]], Any]:
    """The messages of a loop that writes a cell a pass, and its recorder."""
    ids, messages = np.full((1, LENGTH), MASK), []
    ids[0, 0] = 7
    with unmask.record(logits, None, mask=MASK) as run:
        for cell in range(1, LENGTH):
            ids[0, cell] = run.model(ids)[0, cell].argmax()
            if message := runs.message(run):
                messages.append(json.loads(message))
    messages.append(json.loads(runs.message(run)))
    return messages, run


def test_each_pass_travels_once_and_the_end_has_all_of_it() -> None:
    messages, run = recorded(Runs())
    growing, end = messages[:-1], messages[-1]
    assert len({row["run"] for row in messages}) == 1
    assert "first" in growing[0] and not any("first" in row for row in growing[1:])
    steps = [event["step"] for row in growing for event in row["pass"]]
    assert steps == list(range(LENGTH - 2))  # the last write is seen when the loop is over
    pieces = [token for row in growing for event in row["pass"] for token in event.get("pieces", {})]
    assert len(pieces) == len(set(pieces))
    whole = Runs().trace(json.dumps(end))
    assert whole is not None and whole.first.head.canvas.tokens.tolist() == run.timelines[0].head.canvas.tokens.tolist()
    assert not end["play"], "it was seen already"


def test_a_browser_gets_what_it_missed_and_a_reloaded_page_all() -> None:
    runs = Runs()
    ids = np.full((1, LENGTH), MASK)
    with unmask.record(logits, None, mask=MASK) as run:
        for cell in range(6):
            ids[0, cell] = run.model(ids)[0, cell].argmax()
            key = json.loads(runs.message(run) or "{}").get("run", "")
        missed, all_of_it = json.loads(runs.since(key, 2)), json.loads(runs.since(key, 0))
        assert missed["n"] == 5 and [row["step"] for row in missed["pass"]] == [2, 3, 4] and "first" not in missed
        assert len(all_of_it["pass"]) == 5 and all_of_it["first"]["head"]["words"] == WORDS
        so_far = runs.trace(json.dumps({"run": key, "n": 5, "pass": []}))
        assert so_far is not None and so_far.first.head.at == 5
    assert json.loads(runs.since("another", 0)) == {"run": "another", "gone": True}


def test_only_the_newest_runs_stay_within_their_room() -> None:
    few, small = Runs(most=2), Runs(megabytes=0.02)
    for runs, left in ((few, 2), (small, 1)):
        keys = [recorded(runs)[0][0]["run"] for _ in range(4)]
        found = [key for key in keys if "gone" not in json.loads(runs.since(key, 0))]
        assert found == keys[-left:] or (runs is small and keys[-1] in found and len(found) < 4)


def test_a_timeline_grows_and_a_branch_is_shown_from_its_beginning() -> None:
    denoiser = unmask.load("toy")
    runs, messages, run = Runs(), [], None
    for run in timelines(denoiser, RunSpec("1 2 3", model="toy", length=6), watched=True):
        messages.append(json.loads(runs.message(unmask.Run(run, denoiser))))
    assert run is not None
    assert {row["run"] for row in messages} == {messages[0]["run"]} and "trace" in messages[-1]
    other = run.fork(1)
    assert json.loads(runs.message(other))["run"] != messages[0]["run"]


def test_every_kind_of_value_is_shown(tmp_path: Path) -> None:
    run = unmask.decode("1 2 3", model="toy", length=6)
    run.save(tmp_path / "run.trace.jsonl")
    text = (tmp_path / "run.trace.jsonl").read_text()
    for value in (run, run.timeline, Trace((run.timeline,)), tmp_path / "run.trace.jsonl", text, text.encode()):
        message = json.loads(Runs().message(value))
        assert message["play"] and message["n"] == run.timeline.head.at
    with pytest.raises(InvalidRequest, match="a stage shows"):
        Runs().message(3)


def test_two_threads_that_use_one_model_are_recorded_apart() -> None:
    """A run that follows one thread leaves out the calls of others."""

    class Model:
        def __call__(self, ids: Any) -> Any:
            return logits(ids)

    model, ids = Model(), np.full((1, LENGTH), MASK)
    with unmask.record(model, None, mask=MASK) as run:
        run.thread = threading.get_ident()
        for cell in range(4):
            ids[0, cell] = model(ids)[0, cell].argmax()
            other = threading.Thread(target=model, args=(np.full((1, 3), 5),))
            other.start()
            other.join()
    assert not run.stopped and len(run.passes) == 4
