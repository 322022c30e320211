"""Several JSON schemas that hold at once, as one: for `allOf`, and for what is beside `$ref`, `anyOf` and `oneOf`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from unmask.errors import InvalidRequest

Schema = Mapping[str, Any]
LOWEST = {"minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"}  # the larger holds for both
HIGHEST = {"maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"}  # the smaller holds for both
NUMBERS = {"integer", "number"}


def merged(one: Any, two: Any, resolved: Callable[[Schema], Schema]) -> Schema:
    """One schema that both allow; `resolved` replaces references. InvalidRequest names what cannot be merged."""
    if one is False or two is False:
        raise InvalidRequest("no text at all meets `false`")
    first: Schema = resolved(one) if isinstance(one, Mapping) else {}
    second: Schema = resolved(two) if isinstance(two, Mapping) else {}
    first, second = _closed(first, second, resolved), _closed(second, first, resolved)
    both = dict(first)
    for word, value in second.items():
        both[word] = value if word not in both else _word(word, both[word], value, resolved)
    return both


def _closed(one: Schema, by: Schema, resolved: Callable[[Schema], Schema]) -> Schema:
    """A schema of objects whose properties the other describes, or allows besides those that it describes."""
    others, properties = by.get("additionalProperties", True), one.get("properties")
    if others is True or not isinstance(properties, Mapping):
        return one
    known = by.get("properties", {})
    patterns = by.get("patternProperties", {})
    kept = {}
    for name, value in properties.items():
        if name in known or any(re.search(pattern, name) for pattern in patterns):
            kept[name] = value
        else:
            kept[name] = False if others is False else merged(value, others, resolved)
    if taken := [name for name in one.get("required", ()) if kept.get(name) is False]:
        raise InvalidRequest(f"the schema requires {taken[0]!r} and does not allow it")
    return {**one, "properties": kept}


def _word(word: str, one: Any, two: Any, resolved: Callable[[Schema], Schema]) -> Any:
    if one == two:
        return one
    match word:
        case "properties" | "$defs" | "definitions":
            shared = {
                name: False if one[name] is False or two[name] is False else merged(one[name], two[name], resolved)
                for name in one
                if name in two
            }
            return {**one, **two, **shared}
        case "required":
            return [*one, *(name for name in two if name not in one)]
        case "type":
            return _types(one, two)
        case "enum":
            return _both(word, [value for value in one if value in two])
        case "items":
            return merged(one, two, resolved)
        case "additionalProperties":
            return merged(one, two, resolved) if one is not False and two is not False else False
        case "allOf":
            return [*one, *two]
        case "uniqueItems":
            return bool(one or two)
        case _ if word in LOWEST:
            return max(one, two)
        case _ if word in HIGHEST:
            return min(one, two)
        case "const" | "pattern" | "format" | "multipleOf" | "not" | "anyOf" | "oneOf" | "if" | "contains":
            raise InvalidRequest(f"two values of {word!r} cannot be joined here: write them as one")
        case _:
            return two  # an annotation


def _types(one: Any, two: Any) -> Any:
    """The types that both allow; an integer is a number."""
    first, second = ([kinds] if isinstance(kinds, str) else list(kinds) for kinds in (one, two))
    shared = [kind for kind in first if kind in second]
    numeric = NUMBERS & {*first} and NUMBERS & {*second}
    if numeric and "integer" not in shared and "integer" in (*first, *second):
        shared = [kind for kind in shared if kind != "number"] + ["integer"]
    found = _both("type", shared)
    return found[0] if len(found) == 1 else found


def _both(word: str, values: list[Any]) -> list[Any]:
    if not values:
        raise InvalidRequest(f"no text at all meets both values of {word!r}")
    return values
