"""Letters: somebody writes to an elder, and what is written agrees with itself."""

import re
from random import Random

from unmask.pair.worlds.account import follow
from unmask.pair.worlds.document import Document, World, fact
from unmask.pair.worlds.fact_agreement import (
    alike,
    ending,
    hours,
    mentions,
    people,
    remainder,
    sentences,
    surroundings,
    things,
)
from unmask.pair.worlds.grammar import Grammar
from unmask.pair.worlds.plots.letters import TEXT
from unmask.pair.worlds.scene import scene
from unmask.run.judge import Fact, Verdict

GRAMMAR = Grammar(TEXT)
CLOSES = ("Love,", "Yours,", "With love,", "Many greetings,")


def write(rng: Random, new: bool = False) -> Document:
    plot = GRAMMAR.draw(rng, new and rng.random() < 0.3)
    world = scene(rng, new and rng.random() < 0.15)
    body = GRAMMAR.tell(plot, world, rng, new and rng.random() < 0.5)
    head = f"Letter: {world['a']} writes to {world['elder']}\nDear {world['elder']},\n"
    text = f"{head}{' '.join(body)}\n{rng.choice(CLOSES)}\n{world['a']}"
    return Document(text, head, "letter", plot.name)


def read(question: str, answer: str) -> Verdict:
    head, *lines = [line.strip() for line in f"{question}{answer}".split("\n") if line.strip()] or [""]
    pair = re.match(r"(\w+) writes to (\w+)$", head)
    if not pair or len(lines) < 3:
        return Verdict((Fact("writer", False, "the letter has no writer, reader or body"),))
    facts = [
        fact("reader", lines[0] == f"Dear {pair[2]},", f"greeted {lines[0][:30]!r}, not {pair[2]}"),
        fact("writer", lines[-1] == pair[1], f"signed {lines[-1][:30]!r}, not {pair[1]}"),
        fact("closing", lines[-2].endswith(","), "no closing before the name"),
    ]
    body = " ".join(lines[1:-2])
    facts += people(body) + surroundings(body) + remainder(body) + hours(body)
    facts += things(body, introduced=False)  # the reader knows which one is meant
    facts += alike("thing", (thing for thing, _, _ in mentions(body)), "thing")
    facts.append(ending(body))
    opening = " ".join(line.strip() for line in question.split("\n")[2:])
    account = follow(GRAMMAR, sentences(body), len(sentences(opening)), {"a": pair[1], "elder": pair[2]})
    reasons = account.reasons if lines[-2] in CLOSES else (*account.reasons, f"no closing: {lines[-2][:20]}")
    return Verdict(tuple(facts), reasons, account.plot)


WORLD = World("letter", "Letter", write, read)
