"""Two hundred schemas in fourteen groups, as programs send them: made by a seed, so that they never change.

They were written before the grammar was extended, and are not chosen by what it can do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from random import Random
from typing import Any

import jsonschema

Schema = dict[str, Any]
SIZES = 40, 2500  # characters
WORDS = (
    "name title city street email phone age count price status kind owner created updated tags notes url path version "
    "enabled level score width height unit colour size label message code reason source target limit offset query"
).split()


def text(rng: Random) -> Schema:
    return rng.choice(
        [
            {"type": "string"},
            {"type": "string", "description": "Free text."},
            {"type": "string", "minLength": 1, "maxLength": rng.randrange(5, 60)},
            {"type": "string", "enum": rng.sample(["low", "medium", "high", "off", "auto"], 3)},
            {"type": "string", "pattern": rng.choice(["^[A-Z]{2}[0-9]{4}$", "^[a-z0-9-]+$", "^v[0-9]+\\.[0-9]+$"])},
            {"type": "string", "format": rng.choice(["date", "date-time", "email", "uuid", "ipv4", "time"])},
            {"type": "string", "format": rng.choice(["uri", "hostname", "password", "byte", "x-own"])},
            {"type": "string", "const": rng.choice(["a", "b"])},
        ]
    )


def number(rng: Random) -> Schema:
    low = rng.randrange(-20, 50)
    return rng.choice(
        [
            {"type": "integer"},
            {"type": "integer", "minimum": low, "maximum": low + rng.randrange(1, 500)},
            {"type": "number"},
            {"type": "number", "minimum": 0, "maximum": 1},
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "integer", "minimum": 0, "format": "int64"},
            {"type": "number", "multipleOf": 0.01, "minimum": 0},
            {"type": "integer", "multipleOf": rng.choice([5, 10])},
        ]
    )


def leaf(rng: Random) -> Schema:
    more: list[Callable[[Random], Schema]] = [text, text, number]
    other: list[Schema] = [{"type": "boolean"}, {"type": ["string", "null"]}, {"enum": [1, "one", None]}]
    return rng.choice(more)(rng) if rng.random() < 0.8 else rng.choice(other)


def thing(rng: Random, fields: int, inner: Callable[[Random], Schema] = leaf) -> Schema:
    names = rng.sample(WORDS, fields)
    row: Schema = {"type": "object", "properties": {name: inner(rng) for name in names}}
    if rng.random() < 0.8:
        row["required"] = rng.sample(names, rng.randrange(1, fields + 1))
    if rng.random() < 0.6:
        row["additionalProperties"] = False
    return row


def array(rng: Random, item: Schema) -> Schema:
    row: Schema = {"type": "array", "items": item}
    row |= rng.choice([{}, {"minItems": 1}, {"maxItems": 4}, {"minItems": 1, "maxItems": 3}, {"uniqueItems": True}])
    return row


def forms(rng: Random) -> Schema:
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Form", **thing(rng, rng.randrange(2, 7))}


def orders(rng: Random) -> Schema:
    line = thing(rng, 3)
    return {"type": "object", "properties": {"id": text(rng), "lines": array(rng, line), "total": number(rng)},
            "required": ["id", "lines"]}  # fmt: skip


def tools(rng: Random) -> Schema:
    row = thing(rng, rng.randrange(1, 5))
    for value in row["properties"].values():
        value["description"] = "What it is for."
    return row


def events(rng: Random) -> Schema:
    kinds = rng.sample(WORDS, 3)
    return {"oneOf": [{"type": "object", "properties": {"type": {"const": kind}, "data": thing(rng, 2)},
                       "required": ["type", "data"], "additionalProperties": False} for kind in kinds]}  # fmt: skip


def config(rng: Random) -> Schema:
    return thing(rng, rng.randrange(2, 5), lambda r: thing(r, r.randrange(1, 4)))


def packages(rng: Random) -> Schema:
    version = {"type": "string", "pattern": "^[~^]?[0-9]+\\.[0-9]+\\.[0-9]+$"}
    row = thing(rng, 2)
    row["properties"]["dependencies"] = {"type": "object", "additionalProperties": version}
    row["properties"]["scripts"] = {"type": "object", "patternProperties": {"^[a-z]+$": {"type": "string"}}}
    return row


def workflows(rng: Random) -> Schema:
    step = thing(rng, 2)
    steps = array(rng, {"$ref": "#/$defs/step"})
    job = {"type": "object", "properties": {"runs-on": {"type": "string"}, "steps": steps}, "required": ["steps"]}
    return {"type": "object", "properties": {"on": {"enum": ["push", "pull_request"]}, "job": job},
            "required": ["on", "job"], "$defs": {"step": step}}  # fmt: skip


def geo(rng: Random) -> Schema:
    place = {"type": "array", "prefixItems": [{"type": "number", "minimum": -180, "maximum": 180},
                                               {"type": "number", "minimum": -90, "maximum": 90}],
             "minItems": 2, "maxItems": 2}  # fmt: skip
    return {"type": "object", "properties": {"type": {"const": "Point"}, "coordinates": place, "label": text(rng)},
            "required": ["type", "coordinates"]}  # fmt: skip


def metrics(rng: Random) -> Schema:
    return thing(rng, rng.randrange(2, 6), number)


def recursive(rng: Random) -> Schema:
    value, children = leaf(rng), array(rng, {"$ref": "#/definitions/node"})
    children.pop("minItems", None)
    node = {"type": "object", "properties": {"value": value, "children": children}, "required": ["value"]}
    return {"$ref": "#/definitions/node", "definitions": {"node": node}}


def unions(rng: Random) -> Schema:
    row = thing(rng, 3)
    row["properties"]["value"] = {"anyOf": [leaf(rng), thing(rng, 2), {"type": "null"}]}
    return row


def joined(rng: Random) -> Schema:
    return {"allOf": [{"$ref": "#/$defs/base"}, thing(rng, 2)], "$defs": {"base": thing(rng, 2)}}


def untyped(rng: Random) -> Schema:
    row = thing(rng, rng.randrange(2, 4))
    del row["type"]
    row["properties"]["any"] = rng.choice([{}, True, {"description": "Anything."}, {"minimum": 3}, {"minLength": 2}])
    return row


def older(rng: Random) -> Schema:
    row = thing(rng, 2)
    row["id"] = "http://example.org/old"
    row["properties"]["pair"] = {"type": "array", "items": [leaf(rng), leaf(rng)], "additionalItems": False}
    row["properties"]["rate"] = {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 100}
    return row


GROUPS: tuple[Callable[[Random], Schema], ...] = (
    forms, orders, tools, events, config, packages, workflows, geo, metrics, recursive, unions, joined, untyped, older,
)  # fmt: skip


def schemas(many: int = 200) -> list[tuple[str, Schema]]:
    """Each with its group, taking turns."""
    rng, found = Random(20), list[tuple[str, Schema]]()
    while len(found) < many:
        group = GROUPS[len(found) % len(GROUPS)]
        schema = group(rng)
        if SIZES[0] <= len(json.dumps(schema)) <= SIZES[1]:
            found.append((group.__name__, schema))
    return found


def validator_of(schema: Schema) -> Any:
    """A validator of the draft that it is written in, which divides decimals, not floats."""

    def multiple(validator: Any, step: float, one: Any, schema: Schema) -> Iterator[jsonschema.ValidationError]:
        if isinstance(one, int | float) and Decimal(str(one)) % Decimal(str(step)):
            yield jsonschema.ValidationError(f"{one} is not a multiple of {step}")

    older_draft = "additionalItems" in json.dumps(schema)
    kind = jsonschema.Draft4Validator if older_draft else jsonschema.Draft202012Validator
    return jsonschema.validators.extend(kind, {"multipleOf": multiple})(schema)
