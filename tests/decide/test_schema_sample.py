"""The sample of schemas: nearly all are accepted, and every text that a pattern allows fits its schema."""

from __future__ import annotations

import json
from random import Random
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import jsonschema
import pytest

from tests.schemas.sample import GROUPS, SIZES, Schema, schemas, validator_of
from unmask.decide.grammar.json_schema import as_pattern
from unmask.errors import InvalidRequest

LETTERS = "abcxyz012 _-.éß"
MANY = 12  # texts of each schema


def text_of(pattern: str, rng: Random) -> str:
    """A text that a pattern matches."""
    return "".join(part_of(op, what, rng) for op, what in parser.parse(pattern))


def part_of(op: Any, what: Any, rng: Random) -> str:
    match op:
        case ops.LITERAL:
            return chr(what)
        case ops.NOT_LITERAL:
            return rng.choice([c for c in LETTERS if ord(c) != what])
        case ops.ANY:
            return rng.choice(LETTERS)
        case ops.IN:
            return rng.choice(letters_of(what))
        case ops.BRANCH:
            return "".join(part_of(o, w, rng) for o, w in rng.choice(what[1]))
        case ops.SUBPATTERN:
            return "".join(part_of(o, w, rng) for o, w in what[3])
        case ops.MAX_REPEAT:
            least, most, items = what
            times = rng.randint(least, min(int(most), least + 3))
            return "".join(part_of(o, w, rng) for _ in range(times) for o, w in items)
        case _:
            raise AssertionError(op)


def letters_of(items: Any) -> list[str]:
    """Some characters of a set."""
    negated = items[0][0] is ops.NEGATE
    inside: set[str] = set()
    for op, what in items:
        if op is ops.LITERAL:
            inside.add(chr(what))
        elif op is ops.RANGE:
            inside |= {chr(c) for c in range(what[0], min(what[1], what[0] + 80) + 1)}
    return [c for c in LETTERS if c not in inside] if negated else sorted(inside)


def test_the_sample_is_what_it_says() -> None:
    found = schemas()
    assert len(found) == 200 and {name for name, _ in found} == {group.__name__ for group in GROUPS}
    assert all(SIZES[0] <= len(json.dumps(schema)) <= SIZES[1] for _, schema in found)
    for _, schema in found:
        jsonschema.Draft202012Validator.check_schema(schema) if "additionalItems" not in json.dumps(schema) else None


def test_all_of_the_sample_is_accepted_but_what_no_text_meets() -> None:
    refused = []
    for name, schema in schemas():
        try:
            as_pattern(schema, 1)
        except InvalidRequest as error:
            refused.append((name, str(error)))
    assert len(refused) <= 10
    for name, why in refused:
        assert name == "joined" and ("does not allow it" in why or "no text at all" in why), why


@pytest.mark.parametrize("group", [group.__name__ for group in GROUPS])
def test_what_a_pattern_allows_fits_the_schema(group: str) -> None:
    rng = Random(1)
    for name, schema in schemas():
        if name == group:
            fits(schema, rng)


def fits(schema: Schema, rng: Random) -> None:
    try:
        pattern = as_pattern(schema, 1)
    except InvalidRequest:
        return
    for _ in range(MANY):
        validator_of(schema).validate(json.loads(text_of(pattern, rng)))


MORE: list[Schema] = [
    {"type": "number", "minimum": 0.2, "maximum": 0.8},
    {"type": "number", "minimum": -1.5, "maximum": 2.25},
    {"type": "number", "exclusiveMinimum": -0.5, "exclusiveMaximum": 0.5},
    {"type": "number", "maximum": -3},
    {"type": "number", "minimum": 12.5, "maximum": 12.75},
    {"type": "number", "multipleOf": 0.1, "minimum": 0, "maximum": 3},
    {"type": "integer", "multipleOf": 7, "minimum": -20},
    {"type": "integer", "multipleOf": 100, "minimum": -250, "maximum": 900},
    {"type": "object", "patternProperties": {"^x-": {"type": "integer"}, "^[a-c]{2}$": {"type": "boolean"}}},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
    {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "minProperties": 2, "maxProperties": 2},
    {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a", "b"]},
    {"type": "object", "properties": {"a": False, "b": True}},
    {"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}, "required": ["a"]},
    {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "null"}],
        "items": {"type": "boolean"},
        "minItems": 4,
    },
    {"type": "string", "pattern": "^[a-z]{2,3}$", "minLength": 2, "maxLength": 5},
    {"type": "string", "pattern": "[0-9]", "maxLength": 4},
    {"type": "string", "pattern": "x$", "minLength": 3},
    {"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 9}, {"title": "t"}]},
    {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"maxLength": 3}}, "required": ["a"]}]},
    {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"properties": {"b": {}}}],
    },
    {"$ref": "#/$defs/a~1b", "minimum": 3, "$defs": {"a/b": {"type": "integer", "maximum": 5}}},
    {"type": ["integer", "string"], "maxLength": 2, "maximum": 3, "enum": [1, "a", None]},
    {"minimum": 3, "maximum": 5},
    {"type": "string", "items": {"type": "integer"}, "minimum": 7},
]


@pytest.mark.parametrize("schema", MORE, ids=lambda schema: json.dumps(schema)[:60])
def test_each_keyword_is_held(schema: Schema) -> None:
    fits(schema, Random(2))
    assert as_pattern(schema, 1)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "object", "properties": {"a": {"not": {}}}}, "'not' at a is not supported"),
        ({"type": "object", "properties": {"a": {"type": "array", "contains": {}}}}, "'contains' at a is not"),
        ({"type": "object", "propertyNames": {"maxLength": 3}}, "'propertyNames' is not supported"),
        ({"if": {}, "then": {}}, "'if' is not supported"),
        ({"type": "integer", "multipleOf": 0.3}, "'multipleOf' is not supported"),
        ({"type": "string", "pattern": "^a+$", "maxLength": 3}, "'maxLength' is not supported"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "no text at all meets both values of 'type'"),
        ({"allOf": [{"pattern": "a"}, {"pattern": "b"}]}, "two values of 'pattern' cannot be joined"),
        ({"$ref": "#/$defs/a", "minimum": 1, "$defs": {"a": {"$ref": "#/$defs/a", "maximum": 3}}}, "circle"),
        ({"type": "object", "required": ["a"], "additionalProperties": False}, "requires 'a' and does not allow it"),
    ],
)
def test_what_is_not_held_is_refused_by_its_place(schema: Schema, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        as_pattern(schema)
