"""The kinds of text that the models write: each a prompt with blanks to type over, and an example that works."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from unmask.run.judge import judge


@dataclass(frozen=True)
class PromptTemplate:
    """A prompt with blanks in braces."""

    shape: str  # name of its world in `dllm/pair/worlds`
    name: str
    template: str
    says: str

    @property
    def length(self) -> int:
        """Tokens to write, rounded up to a step of the slider."""
        return -(-judge().cells(self.shape) // 8) * 8

    def read(self, prompt: str) -> dict[str, str] | None:
        """The texts in the blanks of a prompt; None if it does not match the template."""
        seen: set[str] = set()
        pattern = ""
        for i, part in enumerate(re.split(r"\{(\w+)\}", self.template)):
            if i % 2 == 0:
                pattern += re.escape(part)
            else:
                pattern += f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
                seen.add(part)
        found = re.fullmatch(pattern, prompt, re.DOTALL)
        return found.groupdict() if found else None


SHAPES = (
    PromptTemplate(
        "story", "Story", "Story: {name} had a {colour} {thing}.", "A story that goes on from its first sentence."
    ),
    PromptTemplate(
        "chat", "Talk", "User: Tell me a story about {who}.\nAssistant:", "A story, as the answer to somebody who asks."
    ),
    PromptTemplate("recipe", "Recipe", "Recipe: {fruit} {dish} for {guests}\n", "A recipe whose amounts agree."),
    PromptTemplate(
        "dialogue",
        "Dialogue",
        "Dialogue: {one} and {two}\n{one}: I cannot find my {colour} {thing} anywhere!\n",
        "Two people talk.",
    ),
    PromptTemplate("letter", "Letter", "Letter: {writer} writes to {reader}\nDear {reader},\n", "A letter."),
    PromptTemplate(
        "steps", "Steps", "Steps: how to send a letter with {name}\n", "What to do, one step after another."
    ),
    PromptTemplate(
        "record",
        "JSON from text",
        "Text: {name} will pay {coins} coins for {count} {things} on {day}.\nJSON:",
        "The facts of a sentence as JSON.",
    ),
    PromptTemplate("sum", "Sum", "Sum: {left} + {right}\n", "Two numbers from 10 to 99, added in steps."),
    PromptTemplate("less", "Difference", "Less: {left} - {right}\n", "Two numbers from 10 to 99, subtracted in steps."),
    PromptTemplate("sort", "Sort", "Sort: {numbers}\n", "Six numbers from 10 to 99, smallest first."),
    PromptTemplate("sudoku", "Sudoku", "Sudoku:\n{grid}\nSolved:\n", "A small sudoku, solved."),
    PromptTemplate("brackets", "Brackets", "Brackets: {brackets}\n", "The brackets that close what is open."),
)
RIGHT = 0.9  # of the prompts of a kind that were tried, at least


def working_templates(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The templates whose prompts come out right, as JSON values for the page."""
    examples = {row["shape"]: row["example"] for row in found if row["right"] >= RIGHT * row["of"] > 0}
    return [
        {"name": s.name, "says": s.says, "template": s.template, "length": s.length, "example": examples[s.shape]}
        for s in SHAPES
        if s.shape in examples
    ]
