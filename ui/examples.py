"""Six example runs, each of which demonstrates something, and prompts that work; found by `make examples`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from textwrap import shorten
from typing import Any

from unmask.paths import ASSETS

FILE = ASSETS / "models" / "examples.json"
# title and description, by the name of the claim (`pair/evaluation/claims.py`)
WORDS = {
    "ending": (
        "An ending first",
        "The last sentence stands before the first is written, and the story finds its way to it.",
    ),
    "gap": (
        "A gap in the middle",
        "What belongs in the gap is said only behind it. The twin reads from the left: it cannot know, and writes its "
        "own text over the JSON.",
    ),
    "bold": (
        "Only two looks",
        "Words written in the same look do not know of each other, and clash. With sixteen looks they agree.",
    ),
    "list": (
        "A list at once",
        "Where nothing is in doubt all numbers appear together; the twin takes a look for each.",
    ),
    "name": ("One name throughout", "Who the story is about is said once at the top and agreed on to the end."),
    "mind": ("A change of mind", "This decoder takes early mistakes back: a tick counts each change of a word."),
}
SLOW = ("gap", "bold", "list")  # only a few passes, so they play in slow motion
MISSED = "Not so with the present weights; look what goes wrong. "


@dataclass(frozen=True)
class Example:
    """A prompt, and the settings with which its run demonstrates one thing."""

    name: str
    prompt: str
    length: int = 96
    preset: str = "fast-dllm"
    changes: dict[str, Any] = field(default_factory=dict)
    proof: str = ""  # what the search found; empty if the claim could not be shown

    @property
    def title(self) -> str:
        return WORDS[self.name][0]

    @property
    def opening(self) -> str:
        """How its prompt begins, and what comes after a gap, in a few words."""
        before, *after = re.split(r"\[MASK:\d+\]", self.prompt)
        if not after:
            return shorten(before, 40, placeholder=" …")
        return f"{shorten(before, 19, placeholder=' …')} ___ {shorten(after[0], 22, placeholder=' …')}"

    @property
    def shows(self) -> str:
        return ("" if self.proof else MISSED) + WORDS[self.name][1]

    @property
    def slow(self) -> bool:
        return self.name in SLOW


@cache
def _file() -> Mapping[str, Any]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def examples() -> tuple[Example, ...]:
    """The six examples, as the last search found them."""
    return tuple(Example(**row) for row in _file()["examples"])


def shapes() -> list[dict[str, Any]]:
    """The kinds of text that the models write, each with an example."""
    return list(_file()["shapes"])
