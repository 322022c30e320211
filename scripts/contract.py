"""Writes two files from the engine that the page must agree with: the legal settings, and examples of bad trace files.

`assets/wire/legal.js` and `tests/contract/bad_files.json`; tests compare both with a new copy."""

from __future__ import annotations

import json
from pathlib import Path

from unmask.run.settings import SETTINGS

ROOT = Path(__file__).parents[1]
LEGAL = ROOT / "assets" / "wire" / "legal.js"


def legal() -> str:
    """The text of `assets/wire/legal.js`."""
    known = {name: each for name, each in SETTINGS.items() if each.scope != "model"}
    # above 2^53 JavaScript cannot represent every integer, so the limit is a power of two
    ranges = {
        name: [low, high if high < 2**53 else 2.0**63]
        for name, each in known.items()
        if each.range is not None
        for low, high in [each.range]
    }
    names = list(known)
    words = {name: list(each.choices) for name, each in known.items() if each.choices}
    whole = sorted(name for name in ranges if known[name].whole)
    rows = (
        ("Names of settings.", "string[]", "NAMES", names),
        ("The least and the most of each number.", "Record<string, [number, number]>", "RANGES", ranges),
        ("Those that are whole.", "string[]", "WHOLE", whole),
        ("What each word may be.", "Record<string, string[]>", "WORDS", words),
    )
    head = "/** Which settings are legal: written by `python -m scripts.contract` from the engine's own. Pure. */\n"
    return head + "".join(
        f"\n/** {says} @type {{{kind}}} */\n// prettier-ignore\nexport const {name} = {json.dumps(value)};\n"
        for says, kind, name, value in rows
    )


if __name__ == "__main__":
    from tests.contract.bad_files import BAD, table

    LEGAL.write_text(legal(), encoding="utf-8")
    BAD.write_text(table(), encoding="utf-8")
