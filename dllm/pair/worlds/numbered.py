"""Texts of a title, a line of what is needed, and numbered steps."""

import re

from unmask.pair.worlds.document import fact
from unmask.run.judge import Fact

NEED = re.compile(r"You need: (.*)\.$")


def numbered(lines: list[str]) -> tuple[list[Fact], list[str]]:
    """Steps are numbered from one, without a gap, and each is a sentence."""
    facts, bodies = [fact("steps", len(lines) >= 3, "fewer than three steps")], []
    for at, line in enumerate(lines, 1):
        found = re.match(r"(\d{1,2})\. (.*)$", line)
        right = found is not None and int(found[1]) == at
        facts.append(fact("numbering", right, f"step {at} is {line[:20]!r}"))
        bodies.append(found[2] if found else line)
        facts.append(fact("ending", bodies[-1].endswith((".", "!", "?")), f"step {at} does not end"))
    return facts, bodies


def parted(text: str) -> tuple[str, str | None, list[str]]:
    """Title, what is needed, and the steps."""
    title, *lines = [line.strip() for line in text.split("\n") if line.strip()] or [""]
    need = NEED.match(lines[0]) if lines else None
    return title, need[1] if need else None, lines[1:] if need else lines


def together(title: str, sentences: list[str]) -> str:
    """The first line as it is, the others with their numbers."""
    return title + sentences[0] + "".join(f"\n{at}. {step}" for at, step in enumerate(sentences[1:], 1))


def lines(text: str) -> list[str]:
    """What is needed and the steps, each without its number: the sentences that a grammar reads."""
    _, need, steps = parted(text)
    bodies = [re.sub(r"^\d{1,2}\. ", "", step) for step in steps]
    return [f"You need: {need}.", *bodies] if need is not None else bodies
