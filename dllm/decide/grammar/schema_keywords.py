"""The keywords of JSON Schema: which limit values of which type, and what their own values must be."""

from __future__ import annotations

from collections.abc import Mapping
from re import _parser as re_parser  # type: ignore[attr-defined] # the parser of the standard library
from typing import Any

from unmask.errors import InvalidRequest

YEAR = "[0-9]{4}"
DATE = rf"{YEAR}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
FORMATS = {
    "date": DATE,
    "time": TIME,
    "date-time": f"{DATE}T{TIME}",
    "email": r"[a-z0-9]+([._+-][a-z0-9]+)*@[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]{2,8}){1,3}",
    "ipv4": rf"{BYTE}(\.{BYTE}){{3}}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
}
# by type, the keywords that limit its values and are held; those of other types say nothing about it
KEYWORDS: dict[str, set[str]] = {
    "object": {
        *("properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"),
        "dependentRequired",
    },
    "array": {"items", "minItems", "maxItems", "prefixItems", "additionalItems", "uniqueItems"},
    "string": {"minLength", "maxLength", "pattern", "format"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "boolean": set(),
    "null": set(),
}
# by type, the keywords that limit its values and are not held
REFUSED: dict[str, set[str]] = {
    "object": {"propertyNames", "dependentSchemas", "dependencies", "unevaluatedProperties"},
    "array": {"contains", "minContains", "maxContains"},
}
ALWAYS_REFUSED = {
    "not",
    "if",
    "$dynamicRef",
    "$recursiveRef",
}  # of any type; `then` and `else` say nothing without `if`
KINDS = ("object", "array", "string", "number")  # a schema without `type` is of the first that has one of its keywords
# the types of a keyword's value; `required` and `type` hold strings
KEYWORD_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "$ref": (str, "a string"),
    "type": ((str, list), "a string, or a list of them"),
    "properties": (Mapping, "an object"),
    "required": (list, "a list of names"),
    "allOf": (list, "a list of schemas"),
    "anyOf": (list, "a list of schemas"),
    "oneOf": (list, "a list of schemas"),
    "pattern": (str, "a string"),
    "format": (str, "a string"),
}

# what is merged into the options of `anyOf` and into a reference
MERGED = {"type", "enum", "const", "allOf", "anyOf", "oneOf"}.union(*KEYWORDS.values(), *REFUSED.values())


def check_types(schema: Mapping[str, Any]) -> None:
    for word, (kinds, what) in KEYWORD_TYPES.items():
        value = schema.get(word, "")
        wrong = word in schema and not isinstance(value, kinds)
        if wrong or (word in ("required", "type") and not all(isinstance(name, str) for name in value)):
            raise InvalidRequest(f"the schema's {word!r} must be {what}")


def kinds_of(value: Any) -> set[str]:
    """The types of a JSON value."""
    match value:
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number", "integer"} if value.is_integer() else {"number"}
        case str():
            return {"string"}
        case None:
            return {"null"}
        case Mapping():
            return {"object"}
        case _:
            return {"array"}


def bounds(schema: Mapping[str, Any]) -> tuple[float | None, float | None, float | None, float | None]:
    """The bounds of a number: from, to, above, below. In older drafts the last two are whether the first two count."""
    low, high = schema.get("minimum"), schema.get("maximum")
    over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(over, bool):
        low, over = (None, low) if over else (low, None)
    if isinstance(under, bool):
        high, under = (None, high) if under else (high, None)
    for bound in (low, high, over, under):
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float)):
            raise InvalidRequest(f"a number's bounds are numbers, not {bound!r}")
    return low, high, over, under


def width(pattern: str) -> tuple[int, int]:
    """How many characters a match has: the fewest and the most."""
    least, most = re_parser.parse(pattern).getwidth()
    return int(least), int(most)


def length_range(schema: Mapping[str, Any], low: str, high: str) -> tuple[int, int | None]:
    least, most = schema.get(low, 0), schema.get(high)
    if not isinstance(least, int) or least < 0 or (most is not None and (not isinstance(most, int) or most < least)):
        raise InvalidRequest(f"{low} and {high} must be whole numbers, the second not the smaller")
    return least, most
