"""The declarations in a policy's file: `needs`, `revises` and `PRESETS`. A misspelt name is an error at import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from types import ModuleType
from typing import Any

from unmask.decide.interface import Needs
from unmask.errors import InvalidRequest

DECLARATIONS: dict[str, Any] = {"needs": Needs, "revises": bool, "PRESETS": Mapping}
IN_A_PRESET: dict[str, Any] = {"title": str, "says": str, "origin": str, "per_cell": bool, "settings": Mapping}


def policy_metadata(policy: str, names: Mapping[str, Any]) -> tuple[Needs, bool, Mapping[str, Mapping[str, Any]]]:
    """The needs of a policy, whether it revises, and its presets; InvalidRequest names a wrong declaration."""
    for name, value in names.items():
        if name in DECLARATIONS:
            if not isinstance(value, DECLARATIONS[name]):
                raise InvalidRequest(
                    f"{name} of the policy '{policy}' must be {_kind(DECLARATIONS[name])}, not {value!r}"
                )
        elif _looks_like_metadata(name, value):
            raise InvalidRequest(f"the policy '{policy}' declares '{name}'; it may declare {', '.join(DECLARATIONS)}")
    needs, revises = names.get("needs", Needs()), names.get("revises", False)
    if revises and needs.rows != "answer" and not needs.verify:
        # predictions for written cells are otherwise computed only for a viewer, and its choices would depend on that;
        # cells to verify are always computed
        raise InvalidRequest(f"the policy '{policy}' revises what it wrote, so it needs Needs(rows=\"answer\")")
    presets = names.get("PRESETS", {})
    for preset, row in presets.items():
        _check_preset(f"the preset '{preset}' of the policy '{policy}'", row)
    return needs, revises, presets


def _looks_like_metadata(name: str, value: Any) -> bool:
    """Whether this was meant as a declaration: by its type, or by a name that is close to one."""
    if name.startswith("_") or isinstance(value, ModuleType) or callable(value):
        return False
    close = get_close_matches(name.lower(), [known.lower() for known in DECLARATIONS], cutoff=0.75)
    return isinstance(value, Needs | bool) or bool(close) or name in {f.name for f in fields(Needs)}


def _check_preset(subject: str, row: Any) -> None:
    if not isinstance(row, Mapping):
        raise InvalidRequest(f"{subject} must be names with values")
    for name, value in row.items():
        if name not in IN_A_PRESET:
            raise InvalidRequest(f"{subject} has an unknown '{name}'; it may have {', '.join(IN_A_PRESET)}")
        if not isinstance(value, IN_A_PRESET[name]):
            raise InvalidRequest(f"{subject}: {name} must be {_kind(IN_A_PRESET[name])}, not {value!r}")
    if missing := [name for name in ("title", "says", "origin") if not row.get(name)]:
        raise InvalidRequest(f"{subject} has no {missing[0]}")
    if "policy" in row.get("settings", {}):
        raise InvalidRequest(f"{subject} names a policy; it is that of its file")


def _kind(kind: type) -> str:
    return {bool: "True or False", str: "a text", Mapping: "names with values"}.get(kind, f"a {kind.__name__}")
