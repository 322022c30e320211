"""The gallery on the page: thirteen recorded runs, each with a title, what it shows, words of its text and a link."""

from __future__ import annotations

import json
from typing import Any

from unmask.paths import ASSETS
from unmask.ui.elements import PLACE, late, sheets
from unmask.ui.examples import WORDS as EXAMPLES

FILE = ASSETS / "gallery" / "gallery.json"
# title and description, by name in `pair/evaluation/gallery.py`
WORDS = EXAMPLES | {
    "gap": (EXAMPLES["gap"][0], "What belongs in the gap is said only behind it: both words are known at once."),
    "list": (EXAMPLES["list"][0], "Where nothing is in doubt all numbers appear together, in a look or two."),
    "record": ("A record in a few looks", "What the prompt says is copied into every field at once."),
    "sum": (
        "A sum from the left",
        "Each step needs the one before it; here it is written in the typewriter's order, and is right.",
    ),
    "blocks": ("Eight cells at a time", "Blocks from left to right, each written as a whole: how large models do it."),
    "voices": ("Two voices", "Who speaks when is settled before most of what they say."),
    "sudoku": ("A sudoku, surest first", "A model that is never wrong, one cell at a time: forced cells come first."),
    "antibody": (
        "An antibody, in ten looks and in one",
        "A model of proteins, trained by others. Ten looks write a chain that holds together, one look does not.",
    ),
    "clash": ("Never wrong, and yet", "The same kind of model writes four numbers in one look, and two of them clash."),
}


def rows() -> list[dict[str, Any]]:
    """The runs whose claim was shown, in order."""
    found = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
    return [
        {key: row[key] for key in ("name", "proof", "text")}
        | dict(zip(("title", "shows"), WORDS[row["name"]], strict=True))
        for row in found
        if row["proof"] and row["name"] in WORDS
    ]


def button() -> str:
    """The gallery's element: a button and the drawer it opens."""
    return late("gallery", place=f"{PLACE}/gallery", rows=rows())


def head() -> str:
    """The HTML that loads its style sheet."""
    return sheets("gallery")
