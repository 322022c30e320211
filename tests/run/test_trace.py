"""A run as a file: replayed without a model and re-lived with one, both equal to the live run; and a strict reader."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import PROMPT, NoisyToy, begin
from unmask.canvas import blank
from unmask.decide import policy_names
from unmask.errors import InvalidRequest
from unmask.inference import DistributionCache, infer
from unmask.inference.decode import recompute
from unmask.models.toy import Toy
from unmask.run import trace as traces
from unmask.run.command import Ban, Boost, Edit, Erase, Pin, Release, Stretch, Tune
from unmask.run.edit import apply
from unmask.run.peek import peek
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step
from unmask.run.timeline import Node, new_timeline, with_pieces
from unmask.run.trace import Trace

TOY = Toy(seed=5)
EDITS: dict[int, list[Edit]] = {
    0: [Pin((7, 8), (1, 2)), Boost(4, 2.5)],
    2: [Erase((6,)), Stretch(9, 2), Tune({"boosts": {3: 1.0}, "temperature": 0.7})],
    4: [Release((7,)), Ban(3), Stretch(16, -2), Tune({"policy": "threshold", "options": {"tau": 0.6}, "block": 5})],
}


def lived(toy: Toy, state: State, edits: dict[int, list[Edit]] | None = None) -> Trace:
    """A run with edits before some of its passes, as a trace."""
    run, distribution_cache = new_timeline(toy.card, state, "a prompt", session="mother"), DistributionCache()
    while not state.done:
        for edit in (edits or {}).get(state.step, []):
            state = apply(state, edit, toy.card.words)
            run = run.append(run.head.child(state, edit=edit))
        (belief,) = infer(toy, [state], [True], [distribution_cache])
        state, frame = step(state, belief)
        run = run.append(run.head.child(state, frame, times=(1.0, 0.1, 1.0 + state.step)))
    return Trace((with_pieces(run, toy.tokenizer),))


def path(trace: Trace) -> list[Node]:
    return trace.first.head.path()


def again_with(toy: Toy, trace: Trace) -> list[Node]:
    return recompute(trace.first, lambda s: infer(toy, [s], [True])[0]).head.path()


def text(trace: Trace) -> str:
    return "\n".join(traces.lines(trace)) + "\n"


def equal(mine: Sequence[Node], theirs: Sequence[Node]) -> None:
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        assert a.canvas.same(b.canvas)
        assert a.settings == b.settings
        assert (a.frame is None) == (b.frame is None)
        assert a.frame is None or b.frame is None or a.frame.same(b.frame)


@pytest.mark.parametrize("policy", policy_names())
def test_replayed_and_recomputed_equal_the_live_run(policy: str) -> None:
    trace = lived(TOY, begin(policy, seed=4), EDITS)
    again = traces.parse_trace(text(trace))
    equal(path(again), path(trace))
    assert text(again) == text(trace)
    equal(again_with(TOY, again), path(trace))
    assert again.first.pieces == trace.first.pieces and again.first.about["prompt"] == "a prompt"


def test_two_edits_on_noise_are_replayed_as_they_were() -> None:
    """The second of two edits in a row once threw its noise as if at the beginning."""
    toy = NoisyToy()
    state = start(blank([PROMPT, 12]), Settings("uniform", passes=8, noise=50))
    trace = lived(toy, state, {2: [Erase((6, 7)), Pin((9,), (4,)), Stretch(8, 2)]})
    again = traces.parse_trace(text(trace))
    equal(path(again), path(trace))
    equal(again_with(toy, again), path(trace))


def test_boosts_survive() -> None:
    trace = traces.parse_trace(text(lived(TOY, begin(boosts={7: 1.5, 9: -2.0}), EDITS)))
    assert dict(path(trace)[0].settings.boosts) == {7: 1.5, 9: -2.0}
    assert dict(path(trace)[-1].settings.boosts) == {3: 1.0}


def test_a_file_keeps_every_branch_and_which_one_was_written() -> None:
    trace = lived(TOY, begin(), EDITS)
    run = trace.first.fork(4, "a way round")
    state = apply(run.head.state, Pin((10,), (3,)), TOY.card.words)
    run = run.append(run.head.child(state, edit=Pin((10,), (3,))))
    state, frame = step(state, infer(TOY, [state], [True])[0])
    run = run.append(run.head.child(state, frame))
    again = traces.parse_trace(text(Trace((run,)))).first
    assert (list(again.heads), again.on) == (["1", "a way round"], "a way round")
    equal(again.head.path(), run.head.path())
    equal(again.heads["1"].path(), path(trace))
    assert again.heads["1"].common_ancestor(again.head).at == 4
    both = recompute(again, lambda s: infer(TOY, [s], [True])[0])
    equal(both.head.path(), run.head.path())
    equal(both.heads["1"].path(), path(trace))


def test_both_sides_of_a_comparison_lie_in_one_file() -> None:
    one, two = lived(TOY, begin(seed=1)), lived(TOY, begin("left_to_right", seed=2), EDITS)
    again = traces.parse_trace(text(Trace((one.first, two.first))))
    equal(again.runs[0].head.path(), path(one))
    equal(again.runs[1].head.path(), path(two))


def test_a_file_of_version_1_still_opens() -> None:
    trace = lived(TOY, begin(), EDITS)
    first, *rest = text(trace).splitlines()
    run = json.loads(first)["runs"][0]
    old = {"unmask": 1, "head": run["head"], "canvas": run["canvas"], "pieces": run["pieces"]}
    equal(path(traces.parse_trace("\n".join([json.dumps(old), *rest]))), path(trace))


def test_a_file_comes_back(tmp_path: Path) -> None:
    trace = lived(TOY, begin())
    traces.save(trace, tmp_path / "a.trace.jsonl")
    equal(path(traces.load(tmp_path / "a.trace.jsonl")), path(trace))
    with pytest.raises(InvalidRequest, match="No such file"):
        traces.load(tmp_path / "none")
    with pytest.raises(InvalidRequest, match="cannot read"):
        traces.load(tmp_path)


def test_a_long_run_with_candidates_is_small() -> None:
    wide = Toy(words=4096, mask=4095)
    trace = lived(wide, begin(cells=128, passes=64, temperature=0.7))
    assert sum(m.frame is not None for m in path(trace)) == 64
    assert len(gzip.compress(text(trace).encode())) <= 400_000


GOOD = text(lived(TOY, begin(cells=5, passes=3), {1: [Pin((7,), (1,))]})).splitlines()[:-1]  # without the seal


def spoiled(line: int, **changes: Any) -> str:
    rows = [json.loads(row) for row in GOOD]
    (rows[line] if line or "unmask" in changes else rows[0]["runs"][0]).update(changes)
    return "\n".join(json.dumps(row) for row in rows)


def test_the_good_one_is_good() -> None:
    assert len(path(traces.parse_trace("\n".join(GOOD)))) == len(GOOD) == 5
    assert len(path(traces.parse_trace(spoiled(1, colour="red")))) == 5  # forgiving of keys it does not know
    assert len(path(traces.parse_trace("\n".join([*GOOD, json.dumps({"did": "moved", "at": 1}), ""])))) == 5


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("", "a trace has 1 to"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "not text"),
        ("hello", "line 1 of the trace is damaged or cut off"),
        ("[]", "line 1 of the trace is not an object"),
        ('{"did": "stepped"}', "no 'unmask' version"),
        (spoiled(0, unmask=6), "version 6; this app reads up to 5"),
        (spoiled(0, unmask=2, runs=[]), "a trace holds 1 to 8 runs"),
        (spoiled(0, heads={"1": 99}), "a moment that is not there"),
        (spoiled(0, on="nowhere"), "one that is being written"),
        (spoiled(1, run=1), "there is no run 1"),
        (spoiled(2, after=9), "there is no moment 9 to follow"),
        (spoiled(0, unmask="1"), "no 'unmask' version"),
        (spoiled(0, head=3), "the head is not an object"),
        (spoiled(0, head={}), "line 1 of the trace is damaged"),
        (spoiled(0, head={"settings": {"policy": "nobody's"}}), "no policy 'nobody's'"),
        (spoiled(0, head={"settings": {}, "words": "many"}), "line 1 of the trace is damaged"),
        (spoiled(0, canvas={"tokens": [1], "kinds": "oo"}), "a canvas needs"),
        (spoiled(0, canvas={"tokens": [77], "kinds": "g"}), "not among the 50"),
        (GOOD[0][:-9], "damaged or cut off"),
        ("\n".join(GOOD)[:-40], "line 5 of the trace is damaged or cut off"),
        ("\n".join(GOOD[:1] + GOOD[2:]), "line"),  # a pass is missing
        ("\n".join(GOOD[:1] + GOOD[3:] + GOOD[1:3]), "line"),  # passes out of order
        (spoiled(1, open=0), "says it leaves 0 cells open"),
        (spoiled(1, step=1), "pass 1 stands where pass 0 should"),
        (spoiled(1, w=[0, 5]), "not the model's"),
        (spoiled(1, w=[5, 99]), "not the model's"),
        (spoiled(1, w=["a"]), "line 2"),
        (spoiled(1, w=[[5, 6]]), "line 2"),
        (spoiled(1, t=[1]), "a token for each cell"),
        (spoiled(1, t=[-1, -1]), "writes nothing"),
        (spoiled(1, t=[1, 50]), "not among the 50"),
        (spoiled(1, t=[1, 2**40]), "line 2"),
        (spoiled(1, g="AAA="), "another number of cells"),
        (spoiled(1, g="!"), "line 2"),
        (spoiled(1, e=""), "another number of cells"),
        (spoiled(1, ms=[1]), "line 2"),
        (spoiled(1, ms=["inf", 0, 0]), "a list of numbers holds something else"),
        (spoiled(1, why=[["x", [5, 6], [1.0]]]), "a number for each of its cells"),
        (spoiled(1, why=3), "line 2"),
        (GOOD[0] + "\n" + GOOD[1].replace('"step":0', '"step":NaN'), "damaged"),
        (spoiled(2, edit={"do": "pin", "cells": [0], "tokens": [1]}), "belongs to the prompt"),
        (spoiled(2, edit={"do": "pin", "cells": [7], "tokens": [50]}), "there is no token 50"),
        (spoiled(2, edit={"do": "seek", "to": 0}), "no edit 'seek'; there are pin"),
        (spoiled(2, edit=None), "line 3"),
        ("[" * 100_000, "nested too deeply"),
        (GOOD[0] + '\n{"a":"' + "]" * 5000 + '","b":' + "[" * 5000 + "]" * 5000 + "}", "line 2"),
        ("\n" * 30_000 + "x", "a trace has 1 to 20000 lines"),
        ('{"unmask": ' + "9" * 5000 + "}", "line 1"),
        (b" " * (traces.MOST_BYTES + 1), "at most 64 MB"),
    ],
)
def test_a_spoiled_trace_is_a_sentence(raw: str | bytes, says: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        traces.parse_trace(raw)
    assert says in str(refused.value)


def test_a_small_file_that_would_fill_the_memory_is_refused() -> None:
    rows = [
        json.loads(GOOD[0]) | {"unmask": 2},
        *([{"did": "edited", "edit": {"do": "tune", "changes": {"passes": 3}}}] * 400),
    ]
    rows[1] = {"did": "edited", "edit": {"do": "stretch", "at": 5, "by": 60_000}}
    with pytest.raises(InvalidRequest, match="cells in all its moments together"):
        traces.parse_trace("\n".join(json.dumps(row) for row in rows))


def test_half_a_character_is_not_carried_on(tmp_path: Path) -> None:
    trace = traces.parse_trace(spoiled(0, pieces={"1": "\ud800<script>"}))
    assert trace.first.pieces[1] == "?<script>"
    traces.save(trace, tmp_path / "a")


JSON = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=6)
    | st.lists(st.integers(-3, 60), max_size=4)
)


@given(st.integers(0, len(GOOD) - 1), st.data())
def test_a_trace_edited_by_hand_never_crashes(line: int, data: Any) -> None:
    """Values are replaced at any depth; what is still read can be shown, peeked into and saved."""
    rows = [json.loads(row) for row in GOOD]
    place: Any = rows[line]
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            place[key] = data.draw(JSON)
            break
        place = inner
    read_and_used("\n".join(json.dumps(row) for row in rows))


@given(st.integers(0, len("\n".join(GOOD)) - 1), st.integers(0, 255), st.booleans())
def test_a_damaged_byte_never_crashes(at: int, byte: int, cut: bool) -> None:
    raw = "\n".join(GOOD).encode()
    read_and_used(raw[:at] + bytes([byte]) + (b"" if cut else raw[at + 1 :]))


def read_and_used(raw: str | bytes) -> None:
    try:
        trace = traces.parse_trace(raw)
    except InvalidRequest as refused:
        assert str(refused)
        return
    last = len(path(trace)) - 1
    for cell in range(len(path(trace)[last].canvas)):
        peek(path(trace), cell, lambda t: trace.first.pieces.get(t, ""))
    assert path(traces.parse_trace(text(trace)))[last].canvas.same(path(trace)[last].canvas)


def test_hindsight_knows_who_wrote_a_cell_when_and_why() -> None:
    trace = lived(TOY, begin(cells=8, passes=4), {1: [Pin((7,), (1,)), Stretch(6, 2)]})
    piece = TOY.tokenizer.piece
    pinned = peek(path(trace), 9, piece)
    assert pinned["wrote"] == {"at": 2, "why": "pinned by you"}
    writer = next(i for i, m in enumerate(path(trace)) if m.frame is not None and 5 in m.frame.cells)
    answer = peek(path(trace), 5, piece)
    assert answer["wrote"]["at"] == writer and "rank" in answer["wrote"]["why"] and "{}" not in answer["wrote"]["why"]
    before = peek(path(trace)[: writer + 1], 5, piece)
    frame = path(trace)[writer].frame
    assert frame is not None
    where = 5
    assert before["candidates"][0] == [
        int(frame.top_ids[where][0]),
        piece(int(frame.top_ids[where][0])),
        pytest.approx(frame.top_probs[where][0] / 255, abs=1e-3),
    ]
    assert [at for at, *_ in before["guesses"]] == [i for i in range(1, writer + 1) if path(trace)[i].frame]
    fresh = peek(path(trace), 6, piece)  # inserted at moment 3, so nothing was guessed there before
    assert min(at for at, *_ in fresh["guesses"]) > 3
    with pytest.raises(InvalidRequest, match="there is no cell 99"):
        peek(path(trace), 99, piece)
    assert np.array_equal(path(trace)[3].canvas.ids[[5, 8]], [5, 6])
