"""Fields of a record that are taken from a whole one."""

import json
from typing import Any

import numpy as np
import pytest

from tests.lettered import Lettered
from unmask.canvas import Canvas, blank
from unmask.decide.record import RecordRule, record_rule

TOKENIZER = Lettered(seed=3).tokenizer
END = 0


def rule(*fields: str) -> RecordRule:
    schema = {"type": "object", "properties": {field: {} for field in fields}, "required": [*fields]}
    found = record_rule({"kind": "schema", "schema": schema}, "go", TOKENIZER)
    assert found is not None
    return found


def record(text: str) -> Canvas:
    canvas = blank([TOKENIZER.encode("go"), 40])
    tokens = TOKENIZER.encode(text)
    return canvas.write(canvas.open, np.array([9, 9, *tokens, *[END] * (40 - len(tokens))]))


def test_wanted_fields_are_taken_in_the_order_of_the_schema() -> None:
    row = rule("cab", "a").answer(record(' {"a": 1, "b": 2, "cab": "c"}'), END)
    assert row is not None
    assert json.loads(TOKENIZER.decode([t for t in row[2:].tolist() if t != END])) == {"cab": "c", "a": 1}


@pytest.mark.parametrize("text", [' {"a": 1}', " a b", " [1]", ""])
def test_what_has_no_such_field_gives_nothing(text: str) -> None:
    assert rule("a", "b").answer(record(text), END) is None


def test_a_record_is_asked_for_behind_its_question_alone() -> None:
    canvas = blank([TOKENIZER.encode("go"), 4])
    assert rule("a").is_asked(canvas)
    assert not rule("a").is_asked(blank([TOKENIZER.encode("ab"), 4]))
    assert not rule("a").is_asked(blank([TOKENIZER.encode("go"), 4, [5]]))
    assert not rule("a").is_asked(canvas.write(canvas.mask([2]), np.full(6, 5)))


@pytest.mark.parametrize("constraint", [{"kind": "choice"}, {"kind": "schema", "schema": {"enum": [1]}}])
def test_other_rules_take_nothing_from_a_record(constraint: dict[str, Any]) -> None:
    assert record_rule(constraint, "go", TOKENIZER) is None
