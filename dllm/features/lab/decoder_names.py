"""Decoders as a person writes them: `llada`, `llada:passes=8`, `fast-dllm:tau=0.9`, `llada:*`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unmask.errors import InvalidRequest
from unmask.features.lab.sweep import settings
from unmask.run.presets import Decoder, preset
from unmask.run.settings import SETTINGS

Name = str | Mapping[str, Any] | Decoder


def read_decoders(names: Sequence[Name], length: int, counted: bool) -> tuple[Decoder, ...]:
    """The decoders of these names; `NAME:*` is a preset at up to five settings. Two of one label are refused.

    In a world that can be counted all draw at temperature 1, if not told otherwise."""
    usual = {"temperature": 1.0} if counted else {}
    made = [replace(one, changes=usual | {**one.changes}) for name in names for one in _decoder(name, length)]
    labels = [one.label for one in made]
    if again := next((label for at, label in enumerate(labels) if label in labels[:at]), ""):
        raise InvalidRequest(f"two decoders are called '{again}'")
    return tuple(made)


def _decoder(name: Name, length: int) -> list[Decoder]:
    if isinstance(name, Decoder):
        return [name]
    if isinstance(name, Mapping):
        return [Decoder(str(name.get("preset", "")), dict(name.get("changes", {})))]
    if name.startswith("{"):  # as the terminal writes a mapping
        return _decoder(_json(name), length)
    title, _, tail = name.partition(":")
    if tail == "*":
        return [Decoder(title, changes) for changes in settings(title, length)]
    changes: dict[str, Any] = {}
    for part in filter(None, tail.split(",")):
        key, _, value = part.partition("=")
        key = key.strip().replace("-", "_")
        usual = dict(preset(title).settings.get("options", {}))
        own = changes if key in SETTINGS else changes.setdefault("options", usual)
        own[key] = _value(value.strip())
    return [Decoder(title, changes)]


def _value(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _json(text: str) -> Mapping[str, Any]:
    try:
        row = json.loads(text)
    except ValueError as error:
        raise InvalidRequest(f"the decoder {text[:60]} is no JSON: {error}") from None
    return row if isinstance(row, Mapping) else {}
