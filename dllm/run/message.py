"""Messages as frozen dataclasses, read from JSON: a closed set of kinds, each with its name and its fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, reduce
from operator import or_
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError

from unmask.errors import InvalidRequest

LONGEST = 65_536  # cells; above any model's context length, low enough to reject absurd values before allocation
MOST_LETTERS = 1 << 20  # characters of a text

Whole = Annotated[int, Field(strict=True, ge=-(2**53), le=2**53)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(max_length=MOST_LETTERS)]
Wholes = Annotated[tuple[Whole, ...], Field(max_length=LONGEST)]

M = TypeVar("M")


def message_name(kind: type[Any]) -> str:
    """The name of a kind of message: its `do`, or else that of its class in small letters."""
    return str(vars(kind).get("do", kind.__name__.lower()))


class Messages(Generic[M]):
    """A closed set of kinds of messages. `key` is the field that names the kind, `noun` what an error calls it."""

    def __init__(self, kinds: Iterable[type[Any]], key: str = "do", noun: str = "command") -> None:
        self.kinds = {message_name(kind): kind for kind in kinds}
        self.key, self.noun = key, noun

    @cached_property
    def _adapter(self) -> TypeAdapter[M]:
        tagged: list[Any] = [Annotated[kind, Tag(name)] for name, kind in self.kinds.items()]
        if len(tagged) == 1:
            return TypeAdapter(tagged[0])
        union: Any = reduce(or_, tagged)
        return TypeAdapter(Annotated[union, Discriminator(lambda row: row.get(self.key))])

    def __contains__(self, message: object) -> bool:
        return type(message) in self.kinds.values()

    def read(self, row: Mapping[str, Any]) -> M:
        """The message in a JSON object; unknown fields are ignored. InvalidRequest says what is wrong."""
        name = row.get(self.key)
        if not isinstance(name, str) or name not in self.kinds:
            raise InvalidRequest(f"no {self.noun} '{name}'; there are {', '.join(self.kinds)}", self.key)
        return read(self._adapter, row, name)


def read(adapter: TypeAdapter[M], row: object, what: str) -> M:
    """The value in JSON; InvalidRequest names the first field that is wrong."""
    if not isinstance(row, Mapping):
        raise InvalidRequest(f"'{what}' is a JSON object, not {row!r}"[:100])
    try:
        return adapter.validate_python(row)
    except ValidationError as error:
        raise _refusal(error, what) from None


def _refusal(error: ValidationError, what: str) -> InvalidRequest:
    first = error.errors(include_url=False)[0]
    if isinstance(inner := first.get("ctx", {}).get("error"), InvalidRequest):
        return inner
    names = [part for part in first["loc"] if isinstance(part, str) and part != what]
    name, value = names[-1] if names else what, first["input"]
    in_list = isinstance(first["loc"][-1], int)
    match first["type"]:
        case "missing" if in_list:
            return InvalidRequest(f"an item of {name} has a value too few", name)
        case "missing":
            return InvalidRequest(f"'{what}' needs {name}", name)
        case "greater_than_equal" | "less_than_equal" if isinstance(value, float):
            noun = f"{first['msg'].removeprefix('Input should be ')}, not {value!r}"
        case "int_type" | "int_from_float" | "greater_than_equal" | "less_than_equal":
            noun = "a list of whole numbers" if in_list else f"a whole number, not {value!r}"
        case "float_type" | "finite_number":
            noun = f"a number, not {value!r}"
        case "bool_type":
            noun = f"true or false, not {value!r}"
        case "string_type" | "string_too_long":
            noun = f"a text of at most {first.get('ctx', {}).get('max_length', MOST_LETTERS)} characters"
        case "tuple_type" | "list_type":
            noun = "a list of whole numbers" if name in ("cells", "tokens") else "a list"
        case "too_long":
            return InvalidRequest(f"{name} has {len(value)} items; {first['ctx']['max_length']} are possible", name)
        case "too_short":
            return InvalidRequest(f"{name} needs at least {first['ctx']['min_length']} items", name)
        case "literal_error":
            noun = f"{str(first['ctx']['expected']).replace(chr(39), '')}, not {value!r}"
        case "mapping_type" | "dict_type":
            noun = f"names with values, not {value!r}"
        case "dataclass_type":
            noun = f"a JSON object, not {value!r}"
        case _:
            return InvalidRequest(f"{name}: {first['msg']}"[:200], name)
    return InvalidRequest(f"{name} must be {noun}"[:300], name)
