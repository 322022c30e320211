"""Writes the files from the engine that the page must agree with: the legal settings and edits,
the figures of the modelled clock, and examples of bad trace files.

`assets/wire/legal.js`, `assets/clock/figures.js`, `docs/trace.schema.json` and `tests/contract/bad_files.json`; tests
compare each."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import MISSING, Field, asdict, fields
from pathlib import Path
from typing import Any, get_type_hints

from unmask.decide import get_policy, policy_names
from unmask.run.command import EDITS
from unmask.run.modelled_time import BAND, EFFICIENCY
from unmask.run.pass_time import CHIPS, SIZES
from unmask.run.setting import Setting
from unmask.run.settings import SETTINGS
from unmask.run.trace_lines import LINES, schema

ROOT = Path(__file__).parents[1]
LEGAL = ROOT / "assets" / "wire" / "legal.js"
FIGURES = ROOT / "assets" / "clock" / "figures.js"
SCHEMA = ROOT / "docs" / "trace.schema.json"
HEAD = """/** Which settings and edits are legal: written by `python -m scripts.contract` from the engine's own. Pure. */

/** @typedef {{kind: string, low?: number, high?: number, whole?: boolean, optional?: boolean, choices?: string[], most?: number}} Setting */
"""  # noqa: E501
EDIT_TYPE = "Record<string, Record<string, string>>"


def legal() -> str:
    """The text of `assets/wire/legal.js`."""
    rows = (
        ("Every setting.", "Record<string, Setting>", "SETTINGS", settings()),
        ("The fields of every edit; those with a question mark may be absent.", EDIT_TYPE, "EDITS", edits()),
    )
    return HEAD + "".join(
        f"\n/** {says} @type {{{kind}}} */\n// prettier-ignore\nexport const {name} = {json.dumps(value)};\n"
        for says, kind, name, value in rows
    )


FIGURES_HEAD = """/** The modelled clock's chips and models, and what decoders compute: written by `python -m scripts.contract`. Pure. */

/** @typedef {import("./pass_time.js").Chip & {name: string, source: string}} NamedChip */
/** @typedef {import("./pass_time.js").Size & {name: string}} NamedSize */
/** @typedef {{verify?: boolean, shadow?: boolean, ahead?: string, length?: number}} Needs `length`: `ahead`'s default */
"""  # noqa: E501


def figures() -> str:
    """The text of `assets/clock/figures.js`."""
    sizes = {name: asdict(size) for name, size in SIZES.items()}
    for row in sizes.values():
        row["bytes"] = row.pop("bytes_each")
    rows = (
        ("Accelerators.", "Record<string, NamedChip>", "CHIPS", {name: asdict(chip) for name, chip in CHIPS.items()}),
        ("Models.", "Record<string, NamedSize>", "SIZES", sizes),
        ("What a decoder computes beyond its canvas.", "Record<string, Needs>", "NEEDS", needs()),
        ("The efficiencies that published figures lie between.", "[number, number]", "BAND", BAND),
        ("The efficiency to begin with.", "number", "EFFICIENCY", EFFICIENCY),
    )
    return FIGURES_HEAD + "".join(
        f"\n/** {says} @type {{{kind}}} */\n// prettier-ignore\nexport const {name} = {json.dumps(value)};\n"
        for says, kind, name, value in rows
    )


def trace_schema() -> str:
    """The text of `docs/trace.schema.json`."""
    return json.dumps(schema(), indent=2) + "\n"


def trace_table() -> str:
    """The rows of the table in `docs/trace.md`."""
    return "".join(
        f"| {kind.__name__.removesuffix('Line').lower()} | `{name}` | {hint.__metadata__[-1].description} |\n"
        for kind in LINES
        for name, hint in get_type_hints(kind, include_extras=True).items()
    )


def needs() -> dict[str, dict[str, Any]]:
    """What the decoders compute that verify, that draft ahead, or that predict written cells as if they were open."""
    found: dict[str, dict[str, Any]] = {}
    for name in policy_names():
        policy = get_policy(name)
        row = {"verify": policy.needs.verify, "shadow": policy.needs.shadow, "ahead": policy.needs.ahead}
        if policy.needs.ahead:
            row["length"] = int(policy.options({})[policy.needs.ahead])
        if any(row.values()):
            found[name] = {key: value for key, value in row.items() if value}
    return found


def settings() -> dict[str, dict[str, Any]]:
    """The legal values of each setting, by its name."""
    return {name: _setting(each) for name, each in SETTINGS.items() if each.scope != "model"}


def _setting(each: Setting) -> dict[str, Any]:
    kinds = {"int": "number", "float": "number", "str": "text", "tuple": "list", "Mapping": "object"}
    row: dict[str, Any] = {"kind": kinds[re.split(r"\W", each.kind)[0]]}
    if each.low is not None and each.high is not None:
        # above 2^53 JavaScript cannot represent every integer, so the limit is a power of two
        row |= {"low": each.low, "high": each.high if each.high <= 2**53 else 2.0**63}
    optional = {"optional": each.kind.endswith("None"), "whole": each.whole, "most": each.most}
    return row | {k: v for k, v in optional.items() if v} | ({"choices": [*each.choices]} if each.choices else {})


def edits() -> dict[str, dict[str, str]]:
    """The fields of each edit with their kinds, by its name."""
    return {name: {f.name: f"{f.type}{'?' * _optional(f)}" for f in fields(kind)} for name, kind in EDITS.kinds.items()}


def _optional(f: Field[Any]) -> bool:
    return f.default is not MISSING or f.default_factory is not MISSING


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    from tests.contract.bad_files import BAD, table

    LEGAL.write_text(legal(), encoding="utf-8")
    FIGURES.write_text(figures(), encoding="utf-8")
    SCHEMA.write_text(trace_schema(), encoding="utf-8")
    BAD.write_text(table(), encoding="utf-8")
