"""One table of bad files drives the readers of Python and of the page (`tests/js/wire/bad_files.test.js`): the same are
refused, each in a sentence."""

import json

import pytest

from scripts.contract import LEGAL, legal
from tests.contract.bad_files import BAD, PLAIN_BAD, built, table
from unmask.errors import InvalidRequest
from unmask.run import trace as traces
from unmask.run.trace import Seal

TABLE = json.loads(BAD.read_text())


def test_the_table_and_the_page_s_rules_are_what_the_engine_would_write() -> None:
    assert len(TABLE["bad"]) >= 60
    assert legal() == LEGAL.read_text(), "run: python -m scripts.contract"
    assert json.loads(table())["bad"].keys() == TABLE["bad"].keys(), "run: python -m scripts.contract"


def test_the_good_file_is_read_and_is_as_it_was_written() -> None:
    trace = traces.parse_trace(TABLE["good"])
    assert trace.seal is Seal.WHOLE and len(trace.runs) == 2 and len(trace.first.heads) == 2


@pytest.mark.parametrize("name", TABLE["bad"])
def test_python_refuses(name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        traces.parse_trace(built(TABLE["bad"][name], TABLE["good"]))
    assert str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", TABLE["plain"]["bad"])
def test_what_another_program_wrote_wrong_is_a_sentence_with_its_line(name: str) -> None:
    with pytest.raises(InvalidRequest, match=rf"^line {PLAIN_BAD[name][0] + 1} of the trace is damaged: [^\n]+$"):
        traces.parse_trace(TABLE["plain"]["bad"][name])


def test_an_edited_file_says_so() -> None:
    good = TABLE["good"]
    assert traces.parse_trace(good.replace("a prompt", "another", 1)).seal is Seal.EDITED
    assert traces.parse_trace(good + '{"did":"moved"}\n').seal is Seal.EDITED
    assert traces.parse_trace("\n".join(good.splitlines()[:-1])).seal is Seal.NONE
    assert traces.parse_trace(good.rstrip("\n")).seal is Seal.WHOLE
