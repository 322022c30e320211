"""Sheets for blind grading: shuffled texts of recordings, and the grades joined to the recordings again."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

GRADES = ("good", "broken", "off", "declined")
RUBRIC = """Write one word behind each `grade:`.
good: it ends, is grammatical, and does what was asked.
broken: word salad, repetition, an invented turn of another speaker, or cut off.
declined: it says that it cannot, and offers something fitting.
off: anything else.
"""
KEY = "sheet.key.json"
GRADED = re.compile(r"^## (\d+)$(?:(?!^## ).)*?^grade: *(\w+) *$", re.DOTALL | re.MULTILINE)
Row = Mapping[str, Any]


def sheet(recordings: Mapping[str, Sequence[Row]], folder: Path, mode: str, seed: int = 0) -> Path:
    """Write the texts of one mode, shuffled and unnamed; equal texts of a prompt appear once."""
    texts: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for name, rows in recordings.items():
        for row in rows:
            if row["list"] == "prompts" and row["mode"] == mode:
                texts.setdefault((row["prompt"], row["text"]), []).append((name, row["number"]))
    entries = sorted(texts)
    Random(seed).shuffle(entries)
    lines = [RUBRIC]
    for at, (prompt, text) in enumerate(entries):
        lines.append(f"## {at}\n{prompt.strip()} ▌{text}\ngrade: \n")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sheet.md"
    path.write_text("\n".join(lines))
    (folder / KEY).write_text(json.dumps({"mode": mode, "entries": [texts[entry] for entry in entries]}))
    return path


def grades(path: Path) -> tuple[str, dict[str, dict[int, str]]]:
    """The mode of a sheet, and for each recording the grade of each prompt; exits if one is missing."""
    key = json.loads(path.with_name(KEY).read_text())
    found = {int(number): grade for number, grade in GRADED.findall(path.read_text())}
    joined: dict[str, dict[int, str]] = {}
    for at, places in enumerate(key["entries"]):
        if found.get(at) not in GRADES:
            raise SystemExit(f"text {at} of {path.name} has no grade of {', '.join(GRADES)}")
        for name, number in places:
            joined.setdefault(name, {})[number] = found[at]
    return key["mode"], joined


def counted(rows: Sequence[Row]) -> str:
    """The number of rows with each grade, in all and by kind, as a Markdown table."""
    tables: dict[str, Counter[str]] = {"all": Counter(row["grade"] for row in rows)}
    for row in rows:
        tables.setdefault(row["kind"], Counter())[row["grade"]] += 1
    lines = ["| | " + " | ".join(GRADES) + " |", "|---|" + "---|" * len(GRADES)]
    return "\n".join(lines + [f"| {k} | " + " | ".join(str(c[g]) for g in GRADES) + " |" for k, c in tables.items()])
