"""Six runs that each show something. The prompts speak the language of the embedded pair."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Example:
    """A prompt, and how to decode it so that one thing can be seen."""

    title: str
    shows: str
    prompt: str
    length: int = 96
    preset: str = "fast-dllm"
    changes: dict[str, Any] = field(default_factory=dict)


RECIPE = "Recipe: pear tart for two"

EXAMPLES = (
    Example(
        "An ending first",
        "The last sentence stands before the first is written, and the story finds its way to it.",
        "Story: Lily had a red kite. [MASK:64] And that is how Lily got her red kite back.",
        changes={"end": "stop"},
    ),
    Example(
        "A gap in the middle",
        "What belongs into the gap is told only behind it: who reads from the left cannot know it.",
        "Text: Tess lost a silver key at the barn. The reward is [MASK:2] coins.\n"
        'JSON: {"item": "key", "colour": "silver", "place": "barn", "owner": "Tess", "reward": 63}',
        changes={"end": "stop"},
    ),
    Example(
        "Only two passes",
        "Words written in the same pass do not know of each other, and clash. Give it sixteen, and nearly all agree.",
        RECIPE,
        length=112,
        preset="llada",
        changes={"passes": 2, "block": 0, "end": "stop"},
    ),
    Example(
        "A list at once",
        "Where a task leaves no doubt all numbers appear together; one after another takes a pass for each.",
        "Sort: 26 82 90 62 23 31\n",
        length=24,
        changes={"end": "stop"},
    ),
    Example(
        "One name throughout",
        "Who owns the button, and which button, is told once at the top and agreed on everywhere, however far apart.",
        "Story: Tom was very proud of his black button.",
        length=112,
        changes={"end": "stop"},
    ),
    Example(
        "A change of mind",
        "A decoder that revises takes early errors back; ticks count the changes of each cell.",
        RECIPE,
        length=112,
        preset="wino",
        changes={"end": "stop"},
    ),
)
