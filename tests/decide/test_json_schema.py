"""A schema's pattern matches its documents and no others; what cannot be said is refused by name."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.decide.constraint import rule
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.json_schema import as_pattern
from unmask.decide.grammar.numbers import integers
from unmask.errors import InvalidRequest

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
    },
    "required": ["age"],
}
TREE = {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#"}}, "required": ["v"]}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (PERSON, ['{"age": 3}', '{"name":"Ann","age":3}', '{"name": "A\\n", "age": -1, "tags": [true,false]}'],
         ["{}", '{"age": 3, "name": "Ann"}', '{"age": 03}', '{"age": 1, "tags": [true,true,true]}', '{"age": 1,}']),
        ({"type": "object", "properties": {"a": {"const": 1}, "b": {"const": None}}},
         ["{}", '{"a": 1}', '{"b": null}', '{"a": 1, "b": null}'],
         ['{"b": null, "a": 1}', '{"a": 2}']),
        ({"enum": ["x", 2, [1, 2], {"k": True}]}, ['"x"', "2", "[1, 2]", '{"k": true}'], ["3", "x"]),
        ({"type": ["integer", "null"]}, ["null", "12"], ['"a"', "1.5"]),
        ({"anyOf": [{"type": "number"}, {"type": "boolean"}]}, ["-1.5e3", "true"], ["null"]),
        ({"type": "string", "minLength": 1, "maxLength": 3}, ['"a"', '"\\u00e9bc"'], ['""', '"abcd"', '"a"b"']),
        ({"type": "string", "pattern": "^[a-c]+$"}, ['"abc"'], ['""', '"abd"', '"xabc"']),
        ({"type": "string", "pattern": "b"}, ['"abc"', '"b"'], ['"ac"']),
        ({"type": "string", "format": "date"}, ['"2024-02-30"'], ['"2024-13-01"']),
        ({"type": "string", "format": "email"}, ['"a.b@c-d.org"', '"x1@y.co.uk"'], ['"a@b"', '"@b.org"', '"a b@c.de"']),
        ({"type": "string", "format": "ipv4"}, ['"0.10.200.255"'], ['"1.2.3"', '"1.2.3.256"', '"01.2.3.4"']),
        ({"type": "string", "format": "x-own", "maxLength": 2, "id": "a", "example": 1, "x-order": 3},
         ['"ab"', '""'], ['"abc"', "1"]),
        ({"type": "integer", "readOnly": True, "format": "int32", "minimum": 3, "maximum": 4}, ["3"], ["5"]),
        ({"type": "integer", "minimum": -1, "maximum": 11}, ["-1", "0", "11"], ["12", "-2", "1.0"]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, ["[1, 2]", "[1,2,3]"], ["[1]", "[]"]),
        ({"$defs": {"c": {"enum": ["r", "g"]}}, "type": "array", "items": {"$ref": "#/$defs/c"}},
         ["[]", '["r", "g"]'], ['["b"]']),
    ],
)  # fmt: skip
def test_documents_that_fit_match(schema: Any, good: list[str], bad: list[str]) -> None:
    pattern = as_pattern(schema)
    for text in good:
        json.loads(text)
        assert re.fullmatch(pattern, text), text
    for text in bad:
        assert not re.fullmatch(pattern, text), text


def test_a_schema_that_contains_itself_goes_as_deep_as_it_is_told() -> None:
    assert re.fullmatch(as_pattern(TREE, 2), '{"v": 1, "next": {"v": 2, "next": {"v": 3}}}')
    assert not re.fullmatch(as_pattern(TREE, 1), '{"v": 1, "next": {"v": 2, "next": {"v": 3}}}')
    assert re.fullmatch(as_pattern(TREE, 0), '{"v": 1}')
    endless = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    with pytest.raises(InvalidRequest, match="contains itself: say with `depth`"):
        as_pattern(endless, 3)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "integer", "minimum": 3, "maximum": 2}, "no integer lies"),
        ({"type": "text"}, "needs a `type`, one of"),
        ({"$ref": "https://x/y"}, "must point into the schema itself"),
        ({"$ref": "#/$defs/x"}, "has no"),
        ({"type": "string", "format": "date", "pattern": "^2"}, "'pattern' is not supported"),
        ({"type": "array", "minItems": 3, "maxItems": 1}, "minItems and maxItems"),
        ({"enum": []}, "needs a list of values"),
        (7, "a schema is an object"),
        ({"type": "object", "properties": ["a"]}, "'properties' must be an object"),
        ({"type": "object", "properties": {}, "required": 3}, "'required' must be a list of names"),
        ({"type": "object", "properties": {}, "required": [["a"]]}, "'required' must be a list of names"),
        ({"type": {"a": 1}}, "'type' must be a string"),
        ({"type": ["string", []]}, "'type' must be a string"),
        ({"anyOf": {"type": "string"}}, "'anyOf' must be a list of schemas"),
        ({"type": "string", "format": ["date"]}, "'format' must be a string"),
        ({"$ref": 3}, "must be a string"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(schema: Any, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        as_pattern(schema)


def test_a_pattern_within_quotes_reads_no_quote() -> None:
    alphabet = Alphabet([chr(c) for c in range(32, 127)])
    machine = rule({"kind": "schema", "schema": {"type": "string", "pattern": "^.+$"}}, alphabet).automaton
    assert machine is not None

    def reads(text: str) -> bool:
        state = 0
        for letter in text:
            state = machine.steps[state, machine.kinds[ord(letter) - 32]] if state >= 0 else -1
        return state >= 0 and bool(machine.final[state])

    assert reads('"a b"') and not reads('"a"b"') and not reads('"a\\"') and not reads('""')


@given(low=st.integers(-1200, 1200), more=st.integers(0, 1500), around=st.integers(-3000, 3000))
def test_integers_between_two_bounds_and_no_others(low: int, more: int, around: int) -> None:
    pattern = re.compile(integers(low, low + more))
    for number in (low - 1, low, low + more // 2, low + more, low + more + 1, around):
        assert bool(pattern.fullmatch(str(number))) == (low <= number <= low + more)
    assert not pattern.fullmatch("-0") and not pattern.fullmatch(f"0{low}")


def test_bounds_that_are_open_or_exclusive_count() -> None:
    small = re.compile(as_pattern({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3.5}))
    assert [n for n in range(-5, 9) if small.fullmatch(str(n))] == [1, 2, 3]
    whole = re.compile(as_pattern({"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991}))
    assert whole.fullmatch("9007199254740991") and not whole.fullmatch("9007199254740992")
    assert re.fullmatch(as_pattern({"type": "integer", "minimum": 5}), "123456")


def test_a_pattern_may_stand_in_an_array_and_among_optional_properties() -> None:
    """Such a part is written twice; its group once had one name in both places, and the schema was refused."""
    word = {"type": "string", "pattern": "^[a-f]{2,4}$"}
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": word, "maxItems": 3}, "b": word, "c": word},
    }
    pattern = re.compile(as_pattern(schema))
    assert pattern.fullmatch('{"a": ["abc", "de"], "c": "ff"}') and pattern.fullmatch('{"b": "abcd"}')
    assert not pattern.fullmatch('{"a": ["abc", "xy"]}')
