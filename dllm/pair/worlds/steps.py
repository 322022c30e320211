"""How to do things, with somebody: what is asked for is used, and the steps count right."""

import re
from random import Random

from unmask.pair.worlds.account import follow
from unmask.pair.worlds.document import Document, World, fact
from unmask.pair.worlds.grammar import Grammar
from unmask.pair.worlds.numbered import lines, numbered, parted, together
from unmask.pair.worlds.plots.crafts import TEXT, TITLES
from unmask.pair.worlds.scene import scene
from unmask.pair.worlds.words import COLOURS, NAMES, SINGULAR
from unmask.run.judge import Fact, Verdict

GRAMMAR = Grammar(TEXT)
IDLE = frozenset("a an the some of and long old flat sheet handful bowl soft".split())


def write(rng: Random, new: bool = False) -> Document:
    plot = GRAMMAR.draw(rng)
    world = scene(rng, new and rng.random() < 0.15, peopled=1) | {"days": str(rng.randint(2, 9))}
    sentences = GRAMMAR.tell(plot, world, rng, new)
    title = TITLES[plot.name.partition(":")[0]].format_map(world)
    head = f"Steps: how to {title} with {world['a']}\n"
    return Document(together(head, sentences), head, "steps", plot.name)


def read(question: str, answer: str) -> Verdict:
    text = f"{question}{answer}"
    title, need, steps = parted(text)
    if need is None:
        return Verdict((Fact("needs", False, "it does not say what is needed"),))
    facts, bodies = numbered(steps)
    body = " ".join(bodies)
    lower = set(re.findall(r"[a-z]+", body.lower()))
    for item in re.split(r", | and ", need):
        nouns = [word for word in re.findall(r"[a-z]+", item.lower()) if word not in IDLE and word not in COLOURS]
        there = any(word in lower or word.rstrip("s") in lower for word in nouns)
        facts.append(fact("used", there, f"{item} is never used"))
    painted = [word for word in re.findall(r"\b[a-z]+\b", f"{title} {need} {body}") if word in COLOURS]
    facts += [fact("colour", colour == painted[0], f"{colour} beside {painted[0]}") for colour in painted[1:]]
    friend = re.match(r"how to (.*) with (\w+)$", title.strip())
    if friend:
        named = [word for word in re.findall(r"[A-Z][a-z]+", body) if word in NAMES]
        facts += [fact("name", name == friend[2], f"{friend[2]} became {name}") for name in named] or [
            Fact("name", False, f"{friend[2]} is never named")
        ]
    fruit = [SINGULAR[word] for word in re.findall(r"\b[a-z]+\b", f"{title} {need} {body}".lower()) if word in SINGULAR]
    facts += [fact("food", word == fruit[0], f"{word} beside {fruit[0]}") for word in fruit[1:]]
    account = follow(GRAMMAR, lines(text), len(lines(question)), {"a": friend[2]} if friend else {})
    reasons = account.reasons
    if friend and account.plot:
        wanted = TITLES[account.plot.partition(":")[0]].format_map(Rest(account.roles))
        # a word of the title that no step names may be anything; the titles that were learned have no "an"
        if not re.fullmatch(re.escape(wanted).replace(r"\?", r"\w+"), re.sub(r"\ban\b", "a", friend[1])):
            reasons = (*reasons, f"it is how to {wanted}, not how to {friend[1]}")
    return Verdict(tuple(facts), reasons, account.plot)


class Rest(dict[str, str]):
    """Roles, and a question mark for what has none."""

    def __missing__(self, key: str) -> str:
        return "?"


WORLD = World("steps", "Steps", write, read)
