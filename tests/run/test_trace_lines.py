"""Traces that other programs write: the file in `docs/trace.md` is valid, and what a file leaves out stays unknown."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from scripts.contract import SCHEMA, trace_schema, trace_table
from tests.contract.bad_files import PLAIN
from unmask.__main__ import main
from unmask.run import trace as traces
from unmask.run.trace import Seal

DOCS = Path(__file__).parents[2] / "docs" / "trace.md"
EXAMPLE = DOCS.read_text("utf-8").split("```jsonl\n")[1].split("```")[0]


def test_the_file_in_the_documentation_is_valid_and_shows_what_it_says() -> None:
    assert EXAMPLE.count("\n") == 15
    trace = traces.parse_trace(EXAMPLE)
    assert trace.seal is Seal.WHOLE
    path = trace.first.head.path()
    text = "".join(trace.first.pieces[token] for token in path[-1].canvas.tokens.tolist())
    assert text == "Tom had a red kite. He ran up the hill with it<eos>"
    assert not path[-1].canvas.open.any() and path[4].frame is not None and path[4].frame.erased.tolist() == [4]
    assert trace.first.card().name == "My model"


def test_the_schema_and_the_table_are_what_the_declarations_say() -> None:
    assert trace_schema() == SCHEMA.read_text("utf-8"), "run: python -m scripts.contract"
    assert trace_table() in DOCS.read_text("utf-8"), (
        "put what scripts.contract.trace_table() returns into docs/trace.md"
    )
    schema = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    for line in [*EXAMPLE.splitlines(), *PLAIN]:
        assert schema.is_valid(json.loads(line)), line
    assert not schema.is_valid({"did": "stepped", "w": [1]}) and not schema.is_valid({"unmask": 4})


def test_a_file_of_tokens_alone_plays_and_stays_as_little_when_it_is_saved_again() -> None:
    bare = "\n".join(PLAIN)
    run = traces.parse_trace(bare).first
    *_, first, last = run.head.path()
    assert first.frame is not None and last.frame is not None
    assert np.isnan(last.frame.confidence).all() and (last.frame.guess < 0).all() and last.frame.done
    assert first.frame.top_ids[1].tolist() == [4, 5, -1, -1, -1] and first.frame.sure[1] == 191
    assert first.frame.entropy[1] == round(0.7 * 32)
    again = traces.parse_trace("\n".join(traces.lines(traces.Trace((run,))))).first
    assert again.about["source"] == "mine.py" and again.about["settings"] == {}
    for a, b in zip(run.head.path()[1:], again.head.path()[1:], strict=True):
        assert a.frame is not None and b.frame is not None and a.frame.same(b.frame)


def test_check_says_what_a_file_holds_or_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.trace.jsonl"
    file.write_text(EXAMPLE)
    assert main(["check", str(file)]) == 0
    assert "13 passes, 3 of them with beliefs, 14 forwards" in capsys.readouterr().out
    file.write_text(EXAMPLE.replace('"w":[7]', '"w":[70]'))
    assert main(["check", str(file)]) == 2
    assert "line 8 of the trace is damaged: a pass writes cells that are not there" in capsys.readouterr().err
