"""Decoders by name: a policy with its knobs and the settings that its authors run it with, read from policy files."""

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
    """A decoder as its authors run it."""

    name: str
    title: str
    says: str
    origin: str  # who published it; empty where a policy's file says nothing and the preset is made from the policy
    settings: Mapping[str, Any]
    per_cell: bool = False  # as many passes as answer cells

    def over(self, length: int, **changes: Any) -> Settings:
        """The settings for an answer of `length` cells."""
        settings: dict[str, Any] = dict(self.settings)
        if self.per_cell:
            settings["passes"] = max(1, min(length, 4096))
        return Settings().with_changes(settings | changes)


def presets() -> Mapping[str, Preset]:
    """Every preset there is: the published ones by title, then one for each policy that comes without."""
    return _of(tuple(map(get_policy, policy_names())))


def preset(name: str) -> Preset:
    """The preset of this name, or a sentence about what there is."""
    found = presets()
    if name not in found:
        raise InvalidRequest(f"no preset '{name}'; there are {', '.join(found)}")
    return found[name]


@cache
def _of(policies: tuple[Policy, ...]) -> Mapping[str, Preset]:
    found: dict[str, Preset] = {}
    for policy in policies:
        for each in _declared(policy):
            if each.name in found:
                first = found[each.name].settings["policy"]
                raise InvalidRequest(f"the policies '{first}' and '{policy.name}' both have a preset '{each.name}'")
            found[each.name] = each
    ordered = sorted(found.values(), key=lambda p: (not p.origin, p.title.casefold()))
    return {p.name: p for p in ordered}


def _declared(policy: Policy) -> list[Preset]:
    if not policy.presets:
        title = policy.name.replace("_", " ").capitalize()
        return [
            Preset(policy.name, title, policy.says.split("\n")[0], "", {"policy": policy.name, "options": {}}, True)
        ]
    rows = []
    for name, row in policy.presets.items():
        settings = {"policy": policy.name, "options": {}} | dict(row.get("settings", {}))
        made = Preset(name, row["title"], row["says"], row["origin"], settings, row.get("per_cell", False))
        try:
            made.over(1)
        except InvalidRequest as refused:
            raise InvalidRequest(f"the preset '{name}' of the policy '{policy.name}': {refused}") from refused
        rows.append(made)
    return rows


@dataclass(frozen=True)
class Decoder:
    """A decoder at one setting: one point of a chart."""

    preset: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""  # another than the sweep's own, such as the twin

    @property
    def label(self) -> str:
        """As a person would say it."""
        if self.model:
            return self.preset
        parts = [f"{k} {v:g}" for k, v in self.changes.get("options", {}).items() if isinstance(v, int | float)]
        if "passes" in self.changes:
            parts.append(f"{self.changes['passes']} passes")
        return ", ".join([preset(self.preset).title, *parts])
