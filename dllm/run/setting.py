"""The declaration of a setting: validation, sliders, fields of `/v1` and the page's tables are made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from unmask.errors import InvalidRequest

Scope = Literal["model", "decoder", "sampling", "ending", "run"]


@dataclass(frozen=True)
class Slider:
    """A slider on the page. Its range may be narrower than the setting's own."""

    low: float
    high: float
    step: float
    label: str


@dataclass(frozen=True)
class ApiField:
    """The parameter of `/v1` for a number. A value below the setting's own range becomes its least."""

    name: str
    low: float | None = None
    high: float | None = None
    help: str = ""


@dataclass(frozen=True)
class Setting:
    """One setting: its scope, what it does, and its legal values."""

    help: str
    scope: Scope = "decoder"
    low: float | None = None  # of a number, or of each item
    high: float | None = None
    whole: bool = False
    choices: tuple[str, ...] = ()
    most: int = 0  # items of a list or of names with values
    slider: Slider | None = None
    api: ApiField | None = None
    name: str = ""  # these two are those of the field that declares it
    kind: str = ""

    @property
    def range(self) -> tuple[float, float] | None:
        """The least and the highest number; None if the setting is not a number."""
        return None if self.low is None or self.high is None or self.most else (self.low, self.high)

    def check(self, value: Any) -> None:
        """InvalidRequest if the value is not legal."""
        if value is None and self.kind.endswith("None"):
            return
        if self.kind.startswith("Mapping"):
            if not isinstance(value, Mapping):
                self._refuse(f"must be names with values, not {value!r}")
            self._check_items(list(value.values()))
        elif self.kind.startswith("tuple"):
            if isinstance(value, str) or not isinstance(value, Sequence):
                self._refuse(f"must be a list, not {value!r}")
            self._check_items(value)
        elif self.choices and value not in self.choices:
            self._refuse(f"must be one of {', '.join(self.choices)}, not {value!r}")
        elif self.range is not None:
            self._check_number(value, "a whole number" if self.whole else "a number")

    def _check_items(self, values: Sequence[Any]) -> None:
        if self.most and len(values) > self.most:
            self._refuse(f"has {len(values)} items; {self.most} are possible")
        if self.low is not None:
            for value in values:
                self._check_number(value, "whole numbers" if self.whole else "numbers")

    def _check_number(self, value: Any, noun: str) -> None:
        assert self.low is not None and self.high is not None
        number = isinstance(value, int if self.whole else int | float) and not isinstance(value, bool)
        if not number or not self.low <= value <= self.high:
            low, high = (str(end) if self.whole else f"{end:g}" for end in (self.low, self.high))
            self._refuse(f"must be {noun} from {low} to {high}, not {value!r}")

    def _refuse(self, why: str) -> None:
        raise InvalidRequest(f"{self.name} {why}", self.name)


def setting(default: Any, help: str, **declared: Any) -> Any:
    """A dataclass field that is declared as a setting."""
    made = {"default_factory": default} if callable(default) else {"default": default}
    return field(**made, metadata={"setting": Setting(help, **declared)})


def declared(kind: type[Any]) -> dict[str, Setting]:
    """The settings that the fields of a dataclass declare, by name."""
    return {f.name: replace(f.metadata["setting"], name=f.name, kind=str(f.type)) for f in fields(kind)}
