"""JSON parses, and fits its schema"""

import json
from collections.abc import Iterator
from typing import Any

TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


def check(text: str, begins: int, *, schema: dict[str, Any] | None = None) -> Iterator[tuple[int, int, str]]:
    """The answer from its first brace on; `schema` is a JSON schema of `type`, `properties`, `required`, `items`,
    `enum`, `minimum` and `maximum`."""
    start = min((at for at in (text.find("{", begins), text.find("[", begins)) if at >= 0), default=-1)
    rest = text[start:].rstrip()
    if start < 0 or "░" in rest:
        return
    try:
        value, end = json.JSONDecoder().raw_decode(rest)
    except (ValueError, RecursionError) as error:
        at = min(start + getattr(error, "pos", 0), start + len(rest) - 1)
        yield at, min(at + 8, start + len(rest)), f"this is not JSON: {getattr(error, 'msg', error)}"
        return
    for path, why in _misfits(value, schema or {}, ()):
        first, last = _place(rest[:end], path)
        yield start + first, start + last, why


def _misfits(value: Any, schema: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[tuple[Any, str]]:
    """The places in a value that do not fit, with the reason."""
    name = str(path[-1]) if path else "the value"
    kind = schema.get("type")
    fits = kind not in TYPES or (isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)))
    if not fits:
        yield path, f"{name} must be of the type {kind}"
    elif "enum" in schema and value not in schema["enum"]:
        yield path, f"{name} must be one of {', '.join(map(str, schema['enum']))}"
    elif isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield path, f"{name} is out of its range"
    elif isinstance(value, dict):
        for missing in (one for one in schema.get("required", ()) if one not in value):
            yield path, f"{missing} is missing"
        for key, one in value.items():
            yield from _misfits(one, schema.get("properties", {}).get(key, {}), (*path, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _misfits(one, schema.get("items", {}), (*path, number))


def _place(text: str, path: tuple[str | int, ...]) -> tuple[int, int]:
    """Where the value of a path is; the whole text if the path ends in a list."""
    first, last = 0, len(text)
    for part in path:
        if isinstance(part, int):
            return first, last
        at = text.find(json.dumps(part, ensure_ascii=False), first)
        if at < 0:
            return first, last
        first = text.index(":", at) + 1
        first += len(text[first:]) - len(text[first:].lstrip())
        try:
            last = first + json.JSONDecoder().raw_decode(text[first:])[1]
        except ValueError:
            return first, len(text)
    return first, last
