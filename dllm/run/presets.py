"""Presets: named decoders, each a policy with the settings that its authors use, read from the policy files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from unmask.decide import Policy, get_policy, policy_names
from unmask.errors import InvalidRequest
from unmask.run.settings import Settings


@dataclass(frozen=True)
class Preset:
    """A policy with the settings that its authors use."""

    name: str
    title: str
    says: str
    origin: str  # its publication; empty for a preset made from a policy without presets
    settings: Mapping[str, Any]
    per_cell: bool = False  # as many passes as answer cells
    short: str = ""  # for the page
    group: str = ""
    plain: str = ""  # its name in plain words, for the page

    def over(self, length: int, **changes: Any) -> Settings:
        """The settings for an answer of `length` cells."""
        settings: dict[str, Any] = dict(self.settings)
        if self.per_cell:
            settings["passes"] = max(1, min(length, 4096))
        return Settings().with_changes(settings | changes)


def presets() -> Mapping[str, Preset]:
    """All presets: the published ones by title, then one for each policy without presets."""
    return _collect(tuple(map(get_policy, policy_names())))


def preset(name: str) -> Preset:
    """The preset of this name; InvalidRequest lists the known ones."""
    found = presets()
    if name not in found:
        raise InvalidRequest(f"no preset '{name}'; there are {', '.join(found)}", "preset")
    return found[name]


@cache
def _collect(policies: tuple[Policy, ...]) -> Mapping[str, Preset]:
    found: dict[str, Preset] = {}
    for policy in policies:
        for each in _presets_of(policy):
            if each.name in found:
                first = found[each.name].settings["policy"]
                raise InvalidRequest(f"the policies '{first}' and '{policy.name}' both have a preset '{each.name}'")
            found[each.name] = each
    ordered = sorted(found.values(), key=lambda p: (not p.origin, p.title.casefold()))
    return {p.name: p for p in ordered}


def _presets_of(policy: Policy) -> list[Preset]:
    if not policy.presets:
        title = policy.name.replace("_", " ").capitalize()
        says, settings = policy.says.split("\n")[0], {"policy": policy.name, "options": {}}
        return [Preset(policy.name, title, says, "", settings, True, says, policy.group, title)]
    rows = []
    for name, row in policy.presets.items():
        settings = {"policy": policy.name, "options": {}} | dict(row.get("settings", {}))
        about = {"short": row.get("short", row["says"]), "group": row.get("group", policy.group)}
        about["plain"] = row.get("plain", row["title"])
        each = Preset(name, row["title"], row["says"], row["origin"], settings, row.get("per_cell", False), **about)
        try:
            each.over(1)  # raises if a setting is wrong
        except InvalidRequest as error:
            raise InvalidRequest(f"the preset '{name}' of the policy '{policy.name}': {error}") from error
        rows.append(each)
    return rows


@dataclass(frozen=True)
class Decoder:
    """A preset with changed settings: one point of a chart."""

    preset: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""  # if another than the sweep's, such as the autoregressive twin

    @property
    def label(self) -> str:
        """Its name in a chart."""
        if self.model:
            return self.preset
        parts = [f"{k} {v:g}" for k, v in self.changes.get("options", {}).items() if isinstance(v, int | float)]
        if passes := self.changes.get("passes"):
            parts.append("one pass" if passes == 1 else f"{passes} passes")
        return ", ".join([preset(self.preset).title, *parts])
