"""Whether a recipe or a list of steps counts right, uses what it asks for, and asks for what it uses."""

import re

from dllm.judge.fact import Fact, fact
from dllm.judge.words import COLOURS, FRUITS, NAMES, NUMBERS, SINGULAR, any_of

NEED = re.compile(r"You need: (.*)\.$")
AMOUNT = re.compile(r"\b(\d{1,3}) ((?:cups|spoons) of \w+|\w+)")
IDLE = frozenset("a an the some of and long old flat sheet handful bowl soft".split())


def numbered(lines: list[str]) -> tuple[list[Fact], list[str]]:
    """Steps are numbered from one, without a gap, and each is a sentence."""
    facts, said = [fact("steps", len(lines) >= 3, "fewer than three steps")], []
    for at, line in enumerate(lines, 1):
        found = re.match(r"(\d{1,2})\. (.*)$", line)
        facts.append(
            fact("numbering", bool(found) and int(found[1]) == at, f"step {at} is {line[:20]!r}")
            if found
            else Fact("numbering", False, f"step {at} is {line[:20]!r}")
        )
        said.append(found[2] if found else line)
        facts.append(fact("ending", said[-1].endswith((".", "!", "?")), f"step {at} does not end"))
    return facts, said


def parted(text: str) -> tuple[str, str | None, list[str]]:
    """Title, what is needed, and the steps."""
    title, *lines = [line.strip() for line in text.split("\n") if line.strip()] or [""]
    need = NEED.match(lines[0]) if lines else None
    return title, need[1] if need else None, lines[1:] if need else lines


def recipe(text: str) -> list[Fact]:
    title, need, lines = parted(text)
    if need is None:
        return [Fact("needs", False, "it does not say what is needed")]
    facts, steps = numbered(lines)
    body = "\n".join(steps)
    listed = {what: amount for amount, what in AMOUNT.findall(need)}
    used = {what: amount for amount, what in AMOUNT.findall(body) if what not in ("minutes", "hours", "people")}
    for what, amount in listed.items():
        facts.append(fact("used", what in used, f"{what} is never used"))
        if what in used:
            facts.append(fact("amount", used[what] == amount, f"{amount} {what} became {used[what]}"))
    facts += [fact("listed", what in listed, f"{what} was not listed") for what in used]
    named = re.match(rf"({any_of(FRUITS)}) (\w+) for (\w+)$", title)
    if not named:
        return [*facts, Fact("title", False, "the title does not say what it makes, and for how many")]
    fruits = {SINGULAR[word] for word in re.findall(r"\w+", need + " " + body) if word in SINGULAR} - {named[2]}
    facts.append(
        fact("title", fruits == {named[1]}, f"a {named[1]} {named[2]} with {', '.join(sorted(fruits)) or 'none'}")
    )
    dishes = re.findall(r"\b(?:the) (cake|pie|bread|pudding|tart|porridge)\b", body)
    facts += [fact("dish", dish == named[2], f"the {named[2]} became a {dish}") for dish in dishes]
    guests = re.findall(r"\b(\w+) (?:people\b|pieces and enjoy)", body)
    return facts + [fact("guests", guest == named[3], f"for {named[3]}, then for {guest}") for guest in guests]


def steps(text: str) -> list[Fact]:
    title, need, lines = parted(text)
    if need is None:
        return [Fact("needs", False, "it does not say what is needed")]
    facts, said = numbered(lines)
    body = " ".join(said)
    lower = set(re.findall(r"[a-z]+", body.lower()))
    for item in re.split(r", | and ", need):
        nouns = [word for word in re.findall(r"[a-z]+", item.lower()) if word not in IDLE and word not in COLOURS]
        there = any(word in lower or word.rstrip("s") in lower for word in nouns)
        facts.append(fact("used", there, f"{item} is never used"))
    painted = re.findall(rf"\b({any_of(COLOURS)}) (\w+)", f"{title} {need} {body}")
    if painted:
        facts += [
            fact("colour", colour == painted[0][0], f"{colour} beside {painted[0][0]}") for colour, _ in painted[1:]
        ]
    friend = re.match(r"how to .* with (\w+)$", title.strip())
    if friend:
        named = [word for word in re.findall(r"[A-Z][a-z]+", body) if word in NAMES]
        facts += [fact("name", name == friend[1], f"{friend[1]} became {name}") for name in named] or [
            Fact("name", False, f"{friend[1]} is never named")
        ]
    fruit = [SINGULAR[word] for word in re.findall(r"[a-z]+", f"{title} {need} {body}".lower()) if word in SINGULAR]
    return facts + [fact("food", word == fruit[0], f"{word} beside {fruit[0]}") for word in fruit[1:]]


__all__ = ["NUMBERS", "recipe", "steps"]
