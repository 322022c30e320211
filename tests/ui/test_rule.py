"""The field of a rule shows an example of the rule that is wished, and each example is one that the engine takes."""

import json
from typing import Any

import pytest

from unmask.decide.constraint import parse_constraint, rule
from unmask.decide.grammar.alphabet import Alphabet
from unmask.ui.rule import EXAMPLES, KINDS, example_of


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_example_is_a_rule(kind: str) -> None:
    text = EXAMPLES[kind]
    key = {"choice": "options", "regex": "pattern", "schema": "schema"}.get(kind, "text")
    value: Any = json.loads(text) if kind == "schema" else text.split("\n") if kind == "choice" else text
    row = parse_constraint({"kind": kind, key: value})
    assert rule(row, Alphabet([chr(code) for code in range(32, 127)]))
    assert example_of(kind)["placeholder"] == f"for example {text}"


def test_a_rule_that_needs_no_text_has_no_example() -> None:
    assert {kind for _, kind in KINDS} - {*EXAMPLES} == {"", "json_object"}
    assert example_of("")["placeholder"] == ""
