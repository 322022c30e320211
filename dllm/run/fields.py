"""Validates JSON against the field types of a dataclass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any

from unmask.errors import InvalidRequest

LONGEST = 65_536  # cells; above any model's context length, low enough to reject absurd values before allocation
MOST_LETTERS = 1 << 20  # characters of a text


def read_fields(kind: type[Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `kind` in a JSON object; unknown ones are ignored, a missing one is an error that names it."""
    if not isinstance(row, Mapping):
        raise InvalidRequest(f"'{kind.__name__.lower()}' is a JSON object, not {row!r}"[:100])
    known = {f.name: f for f in fields(kind)}
    needed = [name for name, f in known.items() if f.default is MISSING and f.default_factory is MISSING]
    if not set(needed) <= set(row):
        raise InvalidRequest(f"'{kind.__name__.lower()}' needs {', '.join(needed)}")
    return {name: check_field(str(known[name].type), name, value) for name, value in row.items() if name in known}


def check_field(kind: str, name: str, value: Any) -> Any:
    """The value, if it has this type; InvalidRequest says what it should be."""
    if kind.endswith(" | None"):
        if value is None:
            return None
        kind = kind.removesuffix(" | None")
    match kind:
        case "str":
            if not isinstance(value, str) or len(value) > MOST_LETTERS:
                raise InvalidRequest(f"{name} must be a text of at most {MOST_LETTERS} characters")
            return value
        case "int":
            return _whole(name, value)
        case "float":
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise InvalidRequest(f"{name} must be a number, not {value!r}")
            return float(value)
        case "bool":
            if not isinstance(value, bool):
                raise InvalidRequest(f"{name} must be true or false, not {value!r}")
            return value
        case "tuple[int, ...]":
            if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > LONGEST:
                raise InvalidRequest(f"{name} must be a list of whole numbers")
            return tuple(_whole(name, x) for x in value)
        case _:
            if not isinstance(value, Mapping):
                raise InvalidRequest(f"{name} must be names with values, not {value!r}")
            return dict(value)


def _whole(name: str, x: Any) -> int:
    if isinstance(x, bool) or not isinstance(x, int) or abs(x) > 2**53:
        raise InvalidRequest(f"{name} must be a whole number, not {x!r}")
    return x
