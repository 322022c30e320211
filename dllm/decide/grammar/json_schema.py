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

from unmask.decide.grammar.numbers import INTEGER, LARGEST, NUMBER, either, integers, multiples, numbers
from unmask.decide.grammar.pattern import IN_A_STRING
from unmask.decide.grammar.schema_keywords import (
    ALWAYS_REFUSED,
    FORMATS,
    KEYWORDS,
    KINDS,
    MERGED,
    REFUSED,
    bounds,
    check_types,
    kinds_of,
    length_range,
    width,
)
from unmask.decide.grammar.schema_merge import merged
from unmask.errors import InvalidRequest

# a character of a string: no quote, no backslash, no control character; or an escape
LETTER = r'([^"\\\x00-\x1f\ufffd]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})'
GAP = " ?"
MOST_PATTERN = 60_000  # characters
ANYTHING = {"type": ["string", "number", "boolean", "null"]}
NAME = "[a-z][a-z0-9_]{0,15}"  # of a property that the schema does not name
MOST_ENTRIES = 8  # of an object whose names are free
MOST_VALUES = 16  # of an `enum` whose values come once each
MOST_STEPS = 32  # references one after another
STEPS = {0.0: None, 1.0: 0, 0.1: 1, 0.01: 2, 0.001: 3, 0.0001: 4}  # decimals of a multiple


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
        self.path: list[str] = []  # of the part that is built, for a refusal

    def of(self, schema: Any, inside: tuple[str, ...], name: str = "") -> str:
        if schema is True or schema == {}:
            schema = ANYTHING
        if not isinstance(schema, Mapping):
            raise InvalidRequest(f"a schema is an object, not {str(schema)[:40]!r}")
        self.path += [name] if name else []
        text = self._of(schema, inside)
        if len(text) > MOST_PATTERN:
            raise InvalidRequest("the schema is too large")
        if name:
            self.path.pop()
        return text

    def _of(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        check_types(schema)
        if refused := sorted(ALWAYS_REFUSED & set(schema)):
            raise self._unsupported(refused[0])
        if "$ref" in schema:
            rest = {k: v for k, v in schema.items() if k != "$ref" and k in MERGED}
            if not rest:
                return self._ref(str(schema["$ref"]), inside)
            return self.of(merged(self._found(str(schema["$ref"]), inside), rest, self._resolved), inside)
        if "allOf" in schema:
            whole: Mapping[str, Any] = {k: v for k, v in schema.items() if k != "allOf"}
            for part in schema["allOf"]:
                whole = merged(whole, part, self._resolved)
            return self.of(whole, inside)
        if "const" in schema:
            return _json_literal(schema["const"])
        if "enum" in schema:
            return self._enum(schema)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                rest = {k: v for k, v in schema.items() if k != word and k in MERGED}
                options = [merged(rest, option, self._resolved) if rest else option for option in schema[word]]
                return self._any(options, inside)
        kind = schema.get("type") or self._kind(schema)
        if isinstance(kind, list):
            return self._any([{**schema, "type": each} for each in kind], inside)
        if kind not in KEYWORDS:
            raise InvalidRequest(f"a schema needs a `type`, one of {', '.join(KEYWORDS)}")
        if refused := sorted(REFUSED.get(kind, set()) & set(schema)):
            raise self._unsupported(refused[0])
        return str(getattr(self, f"_{kind}")(schema, inside))

    def _kind(self, schema: Mapping[str, Any]) -> Any:
        """The type of a schema that names none."""
        for kind in KINDS:
            if (KEYWORDS[kind] - {"format"}) & set(schema):
                return kind
        return "string" if schema.get("format") in FORMATS else ANYTHING["type"]

    def _unsupported(self, word: str) -> InvalidRequest:
        where = f" at {'.'.join(self.path)}" if self.path else ""
        return InvalidRequest(f"the schema's {word!r}{where} is not supported here: leave it out")

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """A schema without references and `allOf` at its top."""
        for _ in range(MOST_STEPS):
            if "$ref" in schema:
                found, rest = self._found(str(schema["$ref"]), ()), {k: v for k, v in schema.items() if k != "$ref"}
            elif "allOf" in schema:
                found, rest = {}, {k: v for k, v in schema.items() if k != "allOf"}
                for part in schema["allOf"]:
                    found = merged(found, part, self._resolved)
            else:
                return schema
            schema = merged(found, rest, lambda one: one)
        raise InvalidRequest("the schema's references lead in a circle")

    def _enum(self, schema: Mapping[str, Any]) -> str:
        if not isinstance(schema["enum"], list) or not schema["enum"]:
            raise InvalidRequest("`enum` needs a list of values")
        kinds = schema.get("type")
        named = [kinds] if isinstance(kinds, str) else kinds
        values = [value for value in schema["enum"] if named is None or kinds_of(value) & {*named}]
        if not values:
            raise InvalidRequest("no value of `enum` is of the schema's type")
        return either([_json_literal(value) for value in values])

    def _any(self, options: Any, inside: tuple[str, ...]) -> str:
        branches = []
        for option in options:
            try:
                branches.append(self.of(option, inside))
            except _TooDeepError:
                continue  # another option may end the recursion
        if not branches:
            raise _TooDeepError(_too_deep(self.depth))
        return either(branches)

    def _ref(self, ref: str, inside: tuple[str, ...]) -> str:
        return self.of(self._found(ref, inside), (*inside, ref))

    def _found(self, ref: str, inside: tuple[str, ...]) -> Any:
        """What a reference leads to."""
        if inside.count(ref) > self.depth:
            raise _TooDeepError(_too_deep(self.depth))
        found = self.root
        if not ref.startswith("#"):
            raise InvalidRequest(f"a reference must point into the schema itself, not to {ref!r}")
        for part in ref[1:].split("/")[1:]:
            part = re.sub("%([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and part.isdigit() and int(part) < len(found):
                found = found[int(part)]
            elif isinstance(found, Mapping) and part in found:
                found = found[part]
            else:
                raise InvalidRequest(f"the schema has no {ref!r}")
        return found

    def _object(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        properties = dict(schema.get("properties", {}))
        patterns: Mapping[str, Any] = schema.get("patternProperties", {})
        required = dict.fromkeys(schema.get("required", ()))
        for name, more in schema.get("dependentRequired", {}).items():
            required |= dict.fromkeys(more if name in properties or name in required else ())
        others = schema.get("additionalProperties", True)
        for name in required:
            if name not in properties:
                known = [value for pattern, value in patterns.items() if re.search(pattern, name)]
                if others is False and not known:
                    raise InvalidRequest(f"the schema requires {name!r} and does not allow it")
                properties[name] = known[0] if known else others if isinstance(others, Mapping) else True
        least, most = length_range(schema, "minProperties", "maxProperties")
        if not properties and (patterns or isinstance(others, Mapping)):
            return self._entries(patterns, others, least, most, inside)
        if least > len(required):  # some are taken that need not be there
            required |= dict.fromkeys([name for name in properties if name not in required][: least - len(required)])
        if least > len(required):
            raise self._unsupported("minProperties")
        if most is not None and most < len(properties):
            if most < len(required):
                raise InvalidRequest("the schema requires more properties than `maxProperties` allows")
            properties = {name: value for name, value in properties.items() if name in required}
        return self._properties(properties, {*required}, inside)

    def _properties(self, properties: Mapping[str, Any], required: set[str], inside: tuple[str, ...]) -> str:
        fields: list[tuple[str, bool]] = []
        for name, value in properties.items():
            if value is False and name not in required:
                continue
            before = list(self.path)
            try:
                fields.append((f"{_json_literal(name)}:{GAP}{self.of(value, inside, name)}", name in required))
            except _TooDeepError:
                self.path = before
                if name in required:
                    raise
        comma = f",{GAP}"
        needed = [i for i, (_, must) in enumerate(fields) if must]
        if needed:
            first = needed[0]
            before_it = "".join(f"({text}{comma})?" for text, _ in fields[:first])
            after = "".join(f"{comma}{t}" if must else f"({comma}{t})?" for t, must in fields[first + 1 :])
            return rf"\{{{before_it}{fields[first][0]}{after}\}}"
        options = [
            text + "".join(f"({comma}{later})?" for later, _ in fields[i + 1 :]) for i, (text, _) in enumerate(fields)
        ]
        return rf"\{{{either(options)}?\}}" if options else r"\{\}"

    def _entries(
        self, patterns: Mapping[str, Any], others: Any, least: int, most: int | None, inside: tuple[str, ...]
    ) -> str:
        """An object whose names are free, or follow patterns."""
        options = [(self._quoted(pattern), value) for pattern, value in patterns.items() if value is not False]
        if not options:
            options = [(f'"{NAME}"', others)]
        entry = either([f"{name}:{GAP}{self.of(value, inside, 'patternProperties')}" for name, value in options])
        # names could come twice, so no more entries are counted on than there must be
        if least > 1:
            raise self._unsupported("minProperties")
        rest = f"(,{GAP}{entry}){{0,{MOST_ENTRIES - 1 if most is None else max(most - 1, 0)}}}"
        return r"\{\}" if most == 0 else rf"\{{({entry}{rest}){'' if least else '?'}\}}"

    def _array(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        least, most = length_range(schema, "minItems", "maxItems")
        first, items = schema.get("prefixItems", ()), schema.get("items", ANYTHING)
        if isinstance(items, list):  # of older drafts
            first, items = items, schema.get("additionalItems", ANYTHING)
        if first:
            return self._tuple(list(first), items, least, most, inside)
        if items is False:
            return r"\[\]"
        if schema.get("uniqueItems"):
            if isinstance(items, Mapping) and isinstance(items.get("enum"), list):
                return self._subset(items["enum"], least, most)
            if least > 1:
                raise self._unsupported("uniqueItems")
            most = 1 if most is None else min(most, 1)
        try:
            item = self.of(items, inside, "items")
        except _TooDeepError:
            if least:
                raise
            return r"\[\]"
        if most == 0:
            return r"\[\]"
        more = f"(,{GAP}{item}){{{max(least - 1, 0)},{'' if most is None else most - 1}}}"
        return rf"\[({item}{more}){'' if least else '?'}\]"

    def _tuple(self, first: list[Any], rest: Any, least: int, most: int | None, inside: tuple[str, ...]) -> str:
        """An array whose first items have schemas of their own: all of them, as far as `maxItems` allows."""
        kept = [value for value in first[: len(first) if most is None else most] if value is not False]
        texts = [self.of(value, inside, str(i)) for i, value in enumerate(kept)]
        if least > len(texts):
            texts += [self.of(rest, inside, "items")] * (least - len(texts))
        return rf"\[{f',{GAP}'.join(texts)}\]"

    def _subset(self, values: list[Any], least: int, most: int | None) -> str:
        """Some of the values, in their order, each once."""
        texts = list(dict.fromkeys(_json_literal(value) for value in values))[:MOST_VALUES]
        if least > len(texts):
            raise self._unsupported("uniqueItems")
        texts = texts[:most]  # of fewer values no more than `maxItems` can be taken
        must, may = texts[:least], texts[least:]
        head = f",{GAP}".join(must)
        if must:
            return rf"\[{head}{''.join(f'(,{GAP}{text})?' for text in may)}\]"
        options = [t + "".join(f"(,{GAP}{later})?" for later in may[i + 1 :]) for i, t in enumerate(may)]
        return rf"\[{either(options)}?\]" if options else r"\[\]"

    def _string(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        least, most = length_range(schema, "minLength", "maxLength")
        form = schema.get("format") if schema.get("format") in FORMATS else None
        if form is None and "pattern" in schema:
            return self._quoted(str(schema["pattern"]), least, most)
        if form is not None:
            if "pattern" in schema:
                raise self._unsupported("pattern")
            low, high = width(FORMATS[form])
            if low < least or (most is not None and high > most):
                raise self._unsupported("minLength" if low < least else "maxLength")
            return f'"{FORMATS[form]}"'
        return f'"{LETTER}{{{least},{"" if most is None else most}}}"'

    def _quoted(self, pattern: str, least: int = 0, most: int | None = None) -> str:
        """A string that contains a match of `pattern`; ^ and $ anchor it to the string's ends, as in JSON schema."""
        begins, ends = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith(r"\$")
        inner = pattern[1 if begins else 0 : -1 if ends else None]
        try:
            low, high = width(inner)
        except (re.error, RecursionError, OverflowError) as error:
            raise InvalidRequest(f"the pattern {pattern!r} cannot be read: {error}") from error
        self.quoted += 1
        group = f"(?P<{IN_A_STRING}{self.quoted}>{inner})"
        if begins and ends:
            if low < least or (most is not None and high > most):
                raise self._unsupported("minLength" if low < least else "maxLength")
            return f'"{group}"'
        if not least and most is None:
            return f'"{"" if begins else LETTER + "*"}{group}{"" if ends else LETTER + "*"}"'
        if most is not None and high > most:
            raise self._unsupported("maxLength")
        more = f"{LETTER}{{{max(least - low, 0)},{'' if most is None else most - high}}}"  # on the side that is free
        return f'"{more}{group}"' if ends else f'"{group}{more}"'

    def _integer(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        low, high, over, under = bounds(schema)
        lows = [ceil(low)] if low is not None else []
        lows += [floor(over) + 1] if over is not None else []
        highs = [floor(high)] if high is not None else []
        highs += [ceil(under) - 1] if under is not None else []
        least, most = max([*lows, -LARGEST]), min([*highs, LARGEST])
        if least > most:
            raise InvalidRequest(f"no integer lies between {least} and {most}")
        if "multipleOf" in schema:
            if not (text := multiples(float(schema["multipleOf"]), least, most)):
                raise self._unsupported("multipleOf")
            return text
        return integers(least, most) if lows or highs else INTEGER

    def _number(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        if "multipleOf" in schema and float(schema["multipleOf"]) not in STEPS:
            return self._integer(schema, inside)
        limits = bounds(schema)
        if limits == (None, None, None, None) and "multipleOf" not in schema:
            return NUMBER
        if not (text := numbers(*limits, places=STEPS.get(float(schema.get("multipleOf", 0))))):
            raise InvalidRequest("no number lies between the schema's bounds")
        return text

    def _boolean(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        return "(true|false)"

    def _null(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> str:
        return "null"


class _TooDeepError(InvalidRequest):
    """A schema contains itself more often than `depth` allows."""


def _too_deep(depth: int) -> str:
    return f"the schema contains itself: say with `depth` how often it may (now {depth}), and how it can end"


def _json_literal(value: Any) -> str:
    return re.escape(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))
