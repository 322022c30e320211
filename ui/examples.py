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


EXAMPLES = (
    Example(
        "An ending first",
        "The last sentence stands before the first is written, and the story finds its way to it.",
        "Story: [MASK:64] And that is how Lily got her red kite back.",
    ),
    Example(
        "A gap in the middle",
        "The words in the middle agree with what comes before and after.",
        "Story: Tom lost his blue ball in the garden. [MASK:32] Tom laughed and hugged Mia.",
        preset="llada",
    ),
    Example(
        "Only two passes",
        "With two passes words written together clash. Give it sixteen and they agree.",
        "Story:",
        length=64,
        preset="llada",
        changes={"passes": 2, "block": 0},
    ),
    Example(
        "A list at once",
        "Numbers in order are certain as soon as the task is: many cells in one pass.",
        "Sort: 7 2 9 4 1 8",
        length=16,
    ),
    Example(
        "One name throughout",
        "The name is decided once, far from where it is used again.",
        "Tale: ___ had a little dog.",
        length=96,
    ),
    Example(
        "A change of mind",
        "A revising decoder takes back an early error; ticks count the changes.",
        "Story:",
        length=64,
        preset="remdm",
    ),
)
