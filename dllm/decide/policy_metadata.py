"""Declarations in a policy's file, as `group`, `needs` and `revises`. A misspelt name is an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from types import ModuleType
from typing import Any

from unmask.decide.interface import Needs, Settled
from unmask.errors import InvalidRequest

# how a decoder chooses: by rank, by a limit, block by block, with second thoughts, or by no confidence at all
GROUPS = ("surest", "sure", "blocks", "revises", "order")
DECLARATIONS: dict[str, Any] = {
    "group": str,
    "needs": Needs,
    "revises": bool,
    "resizes": bool,
    "settled": Callable,
    "PRESETS": Mapping,
}
IN_A_PRESET: dict[str, Any] = {
    "title": str,  # the name in the literature
    "plain": str,  # in plain words, for the page
    "says": str,
    "short": str,  # for the page; `says` is for researchers
    "group": str,  # if another than that of its policy
    "origin": str,
    "per_cell": bool,
    "settings": Mapping,
}


@dataclass(frozen=True)
class Metadata:
    """What a policy's file declares."""

    group: str = ""  # one of `GROUPS`; empty for a policy that is in none
    needs: Needs = field(default_factory=Needs)
    revises: bool = False
    resizes: bool = False
    settled: Settled | None = None
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def policy_metadata(policy: str, names: Mapping[str, Any]) -> Metadata:
    """The declarations in a policy's file; InvalidRequest names a wrong one."""
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
    if (group := names.get("group", "")) not in ("", *GROUPS):
        raise InvalidRequest(f"group of the policy '{policy}' must be one of {', '.join(GROUPS)}, not {group!r}")
    presets = names.get("PRESETS", {})
    for preset, row in presets.items():
        _check_preset(f"the preset '{preset}' of the policy '{policy}'", row)
    return Metadata(group, needs, revises, names.get("resizes", False), names.get("settled"), presets)


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
    if row.get("group", GROUPS[0]) not in GROUPS:
        raise InvalidRequest(f"{subject}: group must be one of {', '.join(GROUPS)}, not {row['group']!r}")
    if "policy" in row.get("settings", {}):
        raise InvalidRequest(f"{subject} names a policy; it is that of its file")


def _kind(kind: type) -> str:
    return {bool: "True or False", str: "a text", Mapping: "names with values"}.get(kind, f"a {kind.__name__}")
