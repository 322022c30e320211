"""Calls of tools as a constraint: exactly the calls, and what may stand instead."""

import json

import pytest

from unmask.decide.constraint import parse_constraint, rule
from unmask.decide.grammar.alphabet import Alphabet
from unmask.errors import InvalidRequest

ALPHABET = Alphabet([chr(code) for code in range(32, 127)] + ["\n", "<tool_call>"])
TEXT = {"type": "object", "properties": {"c": {"type": "string", "pattern": "^a+$"}}, "required": ["c"]}
TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
    {"name": "g", "parameters": {"$ref": "#/$defs/Text", "$defs": {"Text": TEXT}}},
]
F, G = '{"name": "f", "arguments": {"x": 3}}', '{"name":"g","arguments":{"c":"aa"}}'


def fits(text: str, **row: object) -> bool:
    made = rule(parse_constraint({"kind": "calls", "tools": TOOLS, **row}), ALPHABET).automaton
    assert made is not None
    letters, state = ALPHABET.letters.tolist(), 0
    for letter in text:
        state = made.steps[state, made.kinds[letters.index(ord(letter))]]
        if state < 0:
            return False
    return bool(made.final[state])


def test_a_call_names_a_tool_and_its_arguments_fit_that_tools_schema() -> None:
    assert fits(F) and fits(G)
    for wrong in ("", "hi", F[:-1], F.replace('"f"', '"g"'), G.replace("aa", "ab"), F + F, f"{F} and more"):
        assert not fits(wrong), wrong


def test_several_calls_may_follow_each_other_and_stand_between_marks() -> None:
    assert fits(F + "\n" + G, most=2) and not fits(F + G + F, most=2)
    marks = {"before": "<tool_call>\n", "after": "\n</tool_call>", "most": 0}
    marked = [f"<tool_call>\n{each}\n</tool_call>" for each in (F, G, F)]
    assert fits("\n".join(marked), **marks) and not fits(F, **marks)


@pytest.mark.parametrize("text", ["a", "hello", '{"q": true}', "{ x", "a <b>"])
def test_any_text_may_stand_instead_that_does_not_begin_like_a_call(text: str) -> None:
    assert fits(text, otherwise=[{}]) and fits(F, otherwise=[{}])
    assert not fits('{"name": "h", "arguments": {}}', otherwise=[{}]) and not fits(" ", otherwise=[{}])


def test_or_a_text_of_another_constraint() -> None:
    other = {"kind": "schema", "schema": {"type": "boolean"}}
    assert fits("true", otherwise=[other]) and fits(F, otherwise=[other]) and not fits("yes", otherwise=[other])


def test_tools_that_are_none_are_refused_in_a_sentence() -> None:
    for tools in ([], ["f"], [{"parameters": {}}]):
        with pytest.raises(InvalidRequest, match="tool"):
            rule(parse_constraint({"kind": "calls", "tools": tools}), ALPHABET)


def test_any_object_is_json_and_what_is_json_and_not_too_deep_is_an_object() -> None:
    made = rule(parse_constraint({"kind": "json_object"}), ALPHABET).automaton
    assert made is not None
    letters = ALPHABET.letters.tolist()

    def reads(text: str) -> bool:
        state = 0
        for letter in text:
            state = made.steps[state, made.kinds[letters.index(ord(letter))]]
            if state < 0:
                return False
        return bool(made.final[state])

    for value in ({}, {"a": 1.5, "b": None}, {"a": {"b": "c\n"}, "d": [1, True, "x"]}):
        assert reads(json.dumps(value)), value
    for text in ("[]", '{"a"}', '{"a": 01}', '{"a": 1,}', '{"a": [[1]]}'):
        assert not reads(text), text
