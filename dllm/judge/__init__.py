"""Checkers that say what is inconsistent in a text, and by how much a set of texts agrees with itself."""

import re
from collections.abc import Iterable

from dllm.judge.fact import Fact
from dllm.judge.lists import recipe, steps
from dllm.judge.prose import dialogue, letter, story, tale
from dllm.judge.puzzles import adding, code, order, record, sudoku, total

CHECKERS = {
    "Story": story,
    "Tale": tale,
    "Dialogue": dialogue,
    "Letter": letter,
    "Recipe": recipe,
    "Steps": steps,
    "Text": record,
    "Sort": order,
    "Sum": total,
    "Adding": adding,
    "Sudoku": sudoku,
    "Code": code,
}
LONGEST = 8000  # characters; what is longer is judged by its beginning


def check(text: str) -> list[Fact]:
    """Every checkable fact of the first document in this text; none if its first word names no shape we know."""
    text = text.split("<|endoftext|>")[0][:LONGEST].strip()
    facts: list[Fact] = []
    if asked := re.match(r"Words: ([^\n]*)\n", text):
        text = text[asked.end() :]
        for word in asked[1].split(",")[:12]:
            there = re.search(rf"\b{re.escape(word.strip())}\b", text) is not None
            facts.append(Fact("word", there, "" if there else f"{word.strip()!r} was asked for and is missing"))
    shape, _, rest = text.partition(":")
    if shape in CHECKERS:
        facts += CHECKERS[shape](rest.strip() if shape in ("Story", "Tale") else rest)
    return facts


def consistency(texts: Iterable[str]) -> float:
    """The share of checkable facts that hold; one if there are none."""
    facts = [fact for text in texts for fact in check(text)]
    return sum(fact.holds for fact in facts) / len(facts) if facts else 1.0


def distinct(texts: Iterable[str], n: int = 3) -> float:
    """The share of n-word sequences that are different: low when the texts are all alike."""
    runs = [run for text in texts for run in zip(*(text.split()[at:] for at in range(n)), strict=False)]
    return len(set(runs)) / len(runs) if runs else 1.0


def repetition(text: str) -> float:
    """The share of three-word sequences that this text has said before."""
    words = text.split()
    runs = list(zip(words, words[1:], words[2:], strict=False))
    return 1 - len(set(runs)) / len(runs) if runs else 0.0
