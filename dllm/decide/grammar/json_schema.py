"""A JSON schema as a regular expression.

A keyword that limits values and is not supported is an error that names it. Any other unknown keyword, and an unknown
format, is an annotation, as JSON Schema says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import count
from math import ceil, floor
from typing import Any

from unmask.decide.grammar.pattern import IN_A_STRING
from unmask.errors import InvalidRequest

# a character of a string: no quote, no backslash, no control character; or an escape
LETTER = r'([^"\\\x00-\x1f\ufffd]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})'
INTEGER, GAP = r"-?(0|[1-9][0-9]{0,17})", " ?"
NUMBER = rf"{INTEGER}(\.[0-9]{{1,18}})?([eE][+-]?[0-9]{{1,2}})?"
DIGIT2, YEAR = "[0-9]{2}", "[0-9]{4}"
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
KEYWORDS: dict[str, set[str]] = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"minLength", "maxLength", "pattern", "format"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "number": set(),
    "boolean": set(),
    "null": set(),
}
# keywords that limit values; all others are annotations
LIMITING = set().union(*KEYWORDS.values()) - {"format"} | {
    *("type", "enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not"),
    *("if", "then", "else", "multipleOf", "uniqueItems", "contains", "minContains", "maxContains", "prefixItems"),
    *("additionalItems", "unevaluatedItems", "minProperties", "maxProperties", "patternProperties", "propertyNames"),
    *("dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"),
}
# the types of a keyword's value; `required` and `type` hold strings
KEYWORD_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "$ref": (str, "a string"),
    "type": ((str, list), "a string, or a list of them"),
    "properties": (Mapping, "an object"),
    "required": (list, "a list of names"),
    "anyOf": (list, "a list of schemas"),
    "oneOf": (list, "a list of schemas"),
    "pattern": (str, "a string"),
    "format": (str, "a string"),
}
LARGEST = 10**18 - 1
MOST_PATTERN = 60_000  # characters
ANYTHING = {"type": ["string", "number", "boolean", "null"]}


def integers(low: int, high: int) -> str:
    """A pattern for the integers from `low` to `high`."""
    if high < 0:
        return f"-{_digits(-high, -low)}"
    if low < 0:
        return _either([f"-{_digits(1, -low)}", _digits(0, high)])
    return _digits(low, high)


def _digits(low: int, high: int) -> str:
    """A pattern for non-negative integers, with one option for each number of digits."""
    options = []
    while low <= high:
        size = len(str(low))
        most = min(high, 10**size - 1)
        options.append(_same_digits(str(low), str(most)))
        low = most + 1
    return _either(options)


def _same_digits(low: str, high: str) -> str:
    """A pattern for integers between two of the same number of digits."""
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        head = low[0] if low[0] == high[0] else f"[{low[0]}-{high[0]}]"
        return head + (f"[0-9]{{{len(low) - 1}}}" if len(low) > 1 else "")
    if low[0] == high[0]:
        return low[0] + _same_digits(low[1:], high[1:])
    first, last, rest = int(low[0]) + 1, int(high[0]) - 1, len(low) - 1
    options = [low[0] + _same_digits(low[1:], "9" * rest)]
    if first <= last:
        options.append(_same_digits(f"{first}{'0' * rest}", f"{last}{'9' * rest}"))
    return _either([*options, high[0] + _same_digits("0" * rest, high[1:])])


def as_pattern(schema: Any, depth: int = 0) -> str:
    """A pattern for the JSON texts that fit a schema, with at most one space after a comma or a colon. `depth` limits
    how often a recursive schema may contain itself."""
    text, number = _PatternBuilder(schema, depth).of(schema, ("#",)), count(1)
    # a part may occur twice, as an array's first item and its others do, and a group's name must be unique
    return re.sub(rf"\(\?P<{IN_A_STRING}\d+>", lambda _: f"(?P<{IN_A_STRING}{next(number)}>", text)


class _PatternBuilder:
    """Builds the pattern of a schema; `root` resolves its references."""

    def __init__(self, root: Any, depth: int) -> None:
        self.root, self.depth, self.quoted = root, depth, 0

    def of(self, schema: Any, inside: tuple[str, ...]) -> str:
        if schema is True or schema == {}:
            schema = ANYTHING
        if not isinstance(schema, Mapping):
            raise InvalidRequest(f"a schema is an object, not {str(schema)[:40]!r}")
        text = self._of(schema, inside)
        if len(text) > MOST_PATTERN:
            raise InvalidRequest("the schema is too large")
        return text

    def _of(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        names = set(schema) & LIMITING
        _check_types(schema)
        if "$ref" in names:
            _allow_only(names, {"$ref"})
            return self._ref(str(schema["$ref"]), inside)
        if "const" in names:
            _allow_only(names, {"const", "type"})
            return _json_literal(schema["const"])
        if "enum" in names:
            _allow_only(names, {"enum", "type"})
            if not isinstance(schema["enum"], list) or not schema["enum"]:
                raise InvalidRequest("`enum` needs a list of values")
            return _either([_json_literal(value) for value in schema["enum"]])
        for word in ("anyOf", "oneOf"):
            if word in names:
                _allow_only(names, {word})
                return self._any(schema[word], inside)
        kind = schema.get("type", "object" if "properties" in names else None)
        if isinstance(kind, list):
            shared = {k: v for k, v in schema.items() if k != "type"}
            of_kind = [{k: v for k, v in shared.items() if k in KEYWORDS.get(each, set())} for each in kind]
            _allow_only(names, {"type"}.union(*of_kind))
            return _either([self.of({**row, "type": each}, inside) for row, each in zip(of_kind, kind, strict=True)])
        if kind not in KEYWORDS:
            raise InvalidRequest(f"a schema needs a `type`, one of {', '.join(KEYWORDS)}")
        _allow_only(names, {"type", *KEYWORDS[kind]})
        return str(getattr(self, f"_{kind}")(schema, inside))

    def _any(self, options: Any, inside: tuple[str, ...]) -> str:
        branches = []
        for option in options:
            try:
                branches.append(self.of(option, inside))
            except _TooDeepError:
                continue  # another option may end the recursion
        if not branches:
            raise _TooDeepError(_too_deep(self.depth))
        return _either(branches)

    def _ref(self, ref: str, inside: tuple[str, ...]) -> str:
        if inside.count(ref) > self.depth:
            raise _TooDeepError(_too_deep(self.depth))
        found = self.root
        if not ref.startswith("#"):
            raise InvalidRequest(f"a reference must point into the schema itself, not to {ref!r}")
        for part in ref[1:].split("/")[1:]:
            if not isinstance(found, Mapping) or part not in found:
                raise InvalidRequest(f"the schema has no {ref!r}")
            found = found[part]
        return self.of(found, (*inside, ref))

    def _object(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        properties, required = schema.get("properties", {}), set(schema.get("required", ()))
        if missing := [name for name in required if name not in properties]:
            raise InvalidRequest(f"the schema requires {missing[0]!r} and does not describe it")
        fields: list[tuple[str, bool]] = []
        for name, value in properties.items():
            try:
                fields.append((f"{_json_literal(name)}:{GAP}{self.of(value, inside)}", name in required))
            except _TooDeepError:
                if name in required:
                    raise
        comma = f",{GAP}"
        needed = [i for i, (_, must) in enumerate(fields) if must]
        if needed:
            first = needed[0]
            before = "".join(f"({text}{comma})?" for text, _ in fields[:first])
            after = "".join(f"{comma}{t}" if must else f"({comma}{t})?" for t, must in fields[first + 1 :])
            return rf"\{{{before}{fields[first][0]}{after}\}}"
        options = [
            text + "".join(f"({comma}{later})?" for later, _ in fields[i + 1 :]) for i, (text, _) in enumerate(fields)
        ]
        return rf"\{{{_either(options)}?\}}" if options else r"\{\}"

    def _array(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        least, most = _length_range(schema, "minItems", "maxItems")
        try:
            item = self.of(schema.get("items", ANYTHING), inside)
        except _TooDeepError:
            if least:
                raise
            return r"\[\]"
        if most == 0:
            return r"\[\]"
        more = f"(,{GAP}{item}){{{max(least - 1, 0)},{'' if most is None else most - 1}}}"
        return rf"\[({item}{more}){'' if least else '?'}\]"

    def _string(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        least, most = _length_range(schema, "minLength", "maxLength")
        form = schema.get("format") if schema.get("format") in FORMATS else None
        if "pattern" in schema or form:
            _allow_only(set(schema) & LIMITING, {"type", *(() if form else ("pattern",))})
            if form is None:
                return self._quoted(str(schema["pattern"]))
            return f'"{FORMATS[form]}"'
        return f'"{LETTER}{{{least},{"" if most is None else most}}}"'

    def _quoted(self, pattern: str) -> str:
        """A string that contains a match of `pattern`; ^ and $ anchor it to the string's ends, as in JSON schema."""
        begins, ends = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith(r"\$")
        inner = pattern[1 if begins else 0 : -1 if ends else None]
        try:
            re.compile(inner)
        except (re.error, RecursionError, OverflowError) as error:
            raise InvalidRequest(f"the pattern {pattern!r} cannot be read: {error}") from error
        self.quoted += 1
        name = f"{IN_A_STRING}{self.quoted}"
        return f'"{"" if begins else LETTER + "*"}(?P<{name}>{inner}){"" if ends else LETTER + "*"}"'

    def _integer(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        low, high = (schema.get(name) for name in ("minimum", "maximum"))
        over, under = (schema.get(name) for name in ("exclusiveMinimum", "exclusiveMaximum"))
        for bound in (low, high, over, under):
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float)):
                raise InvalidRequest(f"an integer's bounds are numbers, not {bound!r}")
        lows = [ceil(low)] if low is not None else []
        lows += [floor(over) + 1] if over is not None else []
        highs = [floor(high)] if high is not None else []
        highs += [ceil(under) - 1] if under is not None else []
        if not lows and not highs:
            return INTEGER
        least, most = max([*lows, -LARGEST]), min([*highs, LARGEST])
        if least > most:
            raise InvalidRequest(f"no integer lies between {least} and {most}")
        return integers(least, most)

    def _number(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        return NUMBER

    def _boolean(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        return "(true|false)"

    def _null(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        return "null"


class _TooDeepError(InvalidRequest):
    """A schema contains itself more often than `depth` allows."""


def _too_deep(depth: int) -> str:
    return f"the schema contains itself: say with `depth` how often it may (now {depth}), and how it can end"


def _check_types(schema: Mapping[str, Any]) -> None:
    for word, (kinds, what) in KEYWORD_TYPES.items():
        value = schema.get(word, "")
        wrong = word in schema and not isinstance(value, kinds)
        if wrong or (word in ("required", "type") and not all(isinstance(name, str) for name in value)):
            raise InvalidRequest(f"the schema's {word!r} must be {what}")


def _allow_only(names: set[str], known: set[str]) -> None:
    if unknown := sorted(names - known):
        raise InvalidRequest(f"the schema's {unknown[0]!r} is not supported here: leave it out")


def _length_range(schema: Mapping[str, Any], low: str, high: str) -> tuple[int, int | None]:
    least, most = schema.get(low, 0), schema.get(high)
    if not isinstance(least, int) or least < 0 or (most is not None and (not isinstance(most, int) or most < least)):
        raise InvalidRequest(f"{low} and {high} must be whole numbers, the second not the smaller")
    return least, most


def _either(options: list[str]) -> str:
    return f"({'|'.join(options)})"


def _json_literal(value: Any) -> str:
    return re.escape(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))
