"""A first line that asks for two or three words, and whether they are there."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from unmask.pair.worlds.document import Document
from unmask.run.judge import Fact

LINE = re.compile(r"Words: ([^\n]*)\n")
# grammar, which nobody would ask for
COMMON = frozenset(
    "that this with from they them then than there were was have had has his her hers him she and the for not but who "
    "what when where into onto over under again very much more some just like said asked could would will your you it "
    "its all any are can did does each every how one out see too two until back down only even still never always "
    "must their our us we me my on in at of to a an is be so up no as if or by he i Story Letter Dear Love Yours Many "
    "greetings Words".split()
)


def with_words(document: Document, rng: Random, worth: Callable[[str], float] | None = None, most: int = 3) -> Document:
    """The same document under a first line that asks for some of its words, all alike or as much as each is `worth`."""
    title = document.prompt.partition(":")[0]
    known = sorted(set(re.findall(r"\b[A-Za-z]{3,}\b", document.text[len(title) :])) - COMMON)
    if len(known) < 3:
        return document
    count = min(rng.randint(2, most), len(known))
    if worth is None:
        words = rng.sample(known, count)
    else:
        words = sorted(known, key=lambda word: rng.random() ** (1 / worth(word)), reverse=True)[:count]
    first = f"Words: {', '.join(words)}\n"
    prompt = f"{first}{title}:"
    return replace(document, text=first + document.text, prompt=prompt, key="")


def requested_facts(text: str) -> tuple[list[Fact], str]:
    """Whether each word that is asked for is there, and the text behind the line that asks."""
    line = LINE.match(text)
    if not line:
        return [], text
    text = text[line.end() :]
    facts = []
    for word in line[1].split(",")[:12]:
        there = re.search(rf"\b{re.escape(word.strip())}\b", text) is not None
        facts.append(Fact("word", there, "" if there else f"{word.strip()!r} was asked for and is missing"))
    return facts, text
