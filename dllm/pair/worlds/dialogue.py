"""Two people of a small world talking: in turns, of the same things, days and prices."""

import re
from random import Random

from unmask.pair.worlds.account import follow
from unmask.pair.worlds.document import Document, World, fact
from unmask.pair.worlds.fact_agreement import alike, ending, hours, mentions, surroundings, things
from unmask.pair.worlds.grammar import Grammar
from unmask.pair.worlds.plots.talks import TEXT
from unmask.pair.worlds.scene import scene
from unmask.pair.worlds.words import ELDERS, FOODS, NAMES, number
from unmask.run.judge import Fact, Verdict

GRAMMAR = Grammar(TEXT)
ONE_IS = re.compile(r"\bOne [a-z]+ (?:is|costs) (\w+) coins\b")
COINS = re.compile(r"\b(\w+) coins\b")
BOUGHT = re.compile(r"\b(?=(\w+) ([a-z]+)\b)")
FOOD = frozenset(FOODS.values())


def write(rng: Random, new: bool = False) -> Document:
    plot = GRAMMAR.draw(rng, new and rng.random() < 0.3)
    world = scene(rng, new and rng.random() < 0.15)
    lines = GRAMMAR.tell(plot, world, rng, new and rng.random() < 0.5)
    speakers = world["a"], world["b"]
    head = f"Dialogue: {speakers[0]} and {speakers[1]}\n"
    text = "\n".join(f"{speakers[at % 2]}: {line}" for at, line in enumerate(lines))
    return Document(head + text, head + text.split("\n")[0] + "\n", "dialogue", plot.name)


def read(question: str, answer: str) -> Verdict:
    head, *lines = [line for line in f"{question}{answer}".split("\n") if line.strip()] or [""]
    pair = re.match(r"\s*(\w+) and (\w+)\s*$", head)
    if not pair:
        return Verdict((Fact("speakers", False, "the first line does not say who is talking"),))
    facts = [fact("turns", len(lines) >= 3, "hardly a word is said")]
    words = []
    for at, line in enumerate(lines):
        name, _, spoken = line.partition(": ")
        other = pair[2 - at % 2]
        facts.append(fact("turns", name == pair[1 + at % 2], f"line {at + 1} is said by {name[:20]}"))
        called = [word for word in re.findall(r"\w+", spoken) if word in NAMES and word not in ELDERS]
        facts += [fact("name", word == other, f"{name[:20]} speaks to {word}") for word in called]
        facts.append(ending(spoken))
        words.append(spoken)
    body = "\n".join(words)
    facts += surroundings(body) + things(body, introduced=False) + hours(body) + bill(body)
    facts += alike("thing", (thing for thing, _, _ in mentions(body)), "thing")
    given = max(0, len([line for line in question.split("\n") if line.strip()]) - 1)
    account = follow(GRAMMAR, words, given, {"a": pair[1], "b": pair[2]})
    return Verdict(tuple(facts), account.reasons, account.plot)


def bill(text: str) -> list[Fact]:
    """So many, at so many coins each, make so many coins."""
    price = ONE_IS.search(text)
    if not price:
        return []
    after = text[price.end() :]
    counts = [number(one) or 0 for one, what in BOUGHT.findall(after) if what in FOOD and number(one) is not None]
    paid = [number(one) or 0 for one in COINS.findall(after) if number(one) is not None]
    if not counts or not paid:
        return [Fact("bill", False, "nothing was bought, or nothing paid")]
    each = number(price[1]) or 0
    facts = [fact("bill", count == counts[0], f"{count} bought, then {counts[0]}") for count in counts[1:]]
    return facts + [
        fact("bill", coins == counts[0] * each, f"{counts[0]} at {each} are not {coins} coins") for coins in paid
    ]


WORLD = World("dialogue", "Dialogue", write, read)
