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
    near: str = ""  # pattern of lower-case questions for which it is suggested

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
        "story", "Story", "Story: {beginning}", "A story that goes on from its first sentence.", "story|tale|poem|write"
    ),
    PromptTemplate(
        "chat", "Talk", "User: {question}\nAssistant:", "An answer, in a talk with somebody who knows little.", "."
    ),
    PromptTemplate(
        "recipe",
        "Recipe",
        "Recipe: {dish} for {guests}\n",
        "A recipe whose amounts agree.",
        "recipe|cook|bake|eat|food|dish|make .*(pie|soup|cake|bread|pasta)|dinner|lunch|calorie",
    ),
    PromptTemplate(
        "dialogue",
        "Dialogue",
        "Dialogue: {one} and {two}\n{one}: {line}\n",
        "Two people talk.",
        "talk|said|say|conversation",
    ),
    PromptTemplate(
        "letter",
        "Letter",
        "Letter: {writer} writes to {reader}\nDear {reader},\n",
        "A letter.",
        "letter|email|mail|message",
    ),
    PromptTemplate(
        "steps",
        "Steps",
        "Steps: how to {task}\n",
        "What to do, one step after another.",
        "^how (do|can|to)|steps|fix|install",
    ),
    PromptTemplate(
        "record",
        "JSON from text",
        "Text: {text}\nJSON:",
        "The facts of a sentence as JSON.",
        "json|data|extract|summar|list of",
    ),
    PromptTemplate(
        "sum",
        "Sum",
        "Sum: {one} + {two}\n",
        "An addition, worked out in steps.",
        r"\d|sum|plus|add|math|how many|how much",
    ),
    PromptTemplate(
        "less",
        "Difference",
        "Less: {one} - {two}\n",
        "A subtraction, worked out in steps.",
        r"minus|subtract|less|\d+ ?-",
    ),
    PromptTemplate(
        "sort",
        "Sort",
        "Sort: {numbers}\n",
        "The same numbers, smallest first.",
        "sort|order|rank|largest|smallest|tallest",
    ),
    PromptTemplate(
        "sudoku", "Sudoku", "Sudoku:\n{grid}\nSolved:\n", "A small sudoku, solved.", "sudoku|puzzle|game|riddle"
    ),
    PromptTemplate(
        "code", "Code", "Code: {task}\n", "A few lines of Python.", "code|python|program|function|java|script|sql"
    ),
    PromptTemplate("copy", "Copy", "Copy: {words}\n", "The same words again.", "copy|repeat|translate"),
    PromptTemplate("reverse", "Reverse", "Reverse: {words}\n", "The same words, last first.", "reverse|backward"),
    PromptTemplate(
        "replace",
        "Replace",
        "Replace: {old} with {new} in {words}\n",
        "One word in place of another.",
        "replace|change|correct",
    ),
    PromptTemplate(
        "shuffle", "Shuffle", "Shuffle: {words}\n", "The same words in another order.", "shuffle|random|mix"
    ),
    PromptTemplate(
        "latin",
        "Square",
        "Latin: {words}\n",
        "A square in which no word comes twice in a row or column.",
        "square|table",
    ),
    PromptTemplate(
        "brackets", "Brackets", "Brackets: {brackets}\n", "The brackets that close what is open.", "bracket|close"
    ),
)


def working_templates(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The templates that have a working example, as JSON values for the page."""
    examples = {row["shape"]: row["example"] for row in found}
    return [
        {
            "name": s.name,
            "says": s.says,
            "template": s.template,
            "near": s.near,
            "length": s.length,
            "example": examples[s.shape],
        }
        for s in SHAPES
        if s.shape in examples
    ]
