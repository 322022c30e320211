"""Recipes: what is used was listed, as much as was listed, and it feeds as many as the title says."""

import re
from random import Random

from unmask.pair.worlds.account import follow
from unmask.pair.worlds.document import Document, World, fact
from unmask.pair.worlds.grammar import Grammar
from unmask.pair.worlds.numbered import lines, numbered, parted, together
from unmask.pair.worlds.plots.dishes import TEXT
from unmask.pair.worlds.scene import scene
from unmask.pair.worlds.words import DISHES, SINGULAR
from unmask.run.judge import Fact, Verdict

GRAMMAR = Grammar(TEXT)
# what is made in which way
MADE = {"baked": ("cake", "bread", "crumble"), "cooked": ("porridge", "soup"), "cold": ("pudding",)}
AMOUNT = re.compile(r"\b(\d{1,3}) ((?:cups|spoons) of \w+|\w+)")


def write(rng: Random, new: bool = False) -> Document:
    plot = GRAMMAR.draw(rng)
    amounts = {name: str(rng.randint(2, 6)) for name in ("flour", "wet", "eggs", "spoons")}
    amounts |= {"pieces": str(rng.randint(2, 9)), "minutes": str(rng.choice((10, 15, 20, 25, 30, 40, 45)))}
    world = scene(rng) | amounts | {"dish": rng.choice(MADE[plot.name.partition(":")[0]])}
    sentences = GRAMMAR.tell(plot, world, rng, new)
    head = f"Recipe: {world['fruit']} {world['dish']} for {world['guests']}\n"
    return Document(together(head, sentences), head, "recipe", plot.name)


def read(question: str, answer: str) -> Verdict:
    text = f"{question}{answer}"
    title, need, steps = parted(text)
    if need is None:
        return Verdict((Fact("needs", False, "it does not say what is needed"),))
    facts, bodies = numbered(steps)
    body = "\n".join(bodies)
    listed = {what: amount for amount, what in AMOUNT.findall(need)}
    used = {what: amount for amount, what in AMOUNT.findall(body) if what not in ("minutes", "hours", "people")}
    for what, amount in listed.items():
        facts.append(fact("used", what in used, f"{what} is never used"))
        if what in used:
            facts.append(fact("amount", used[what] == amount, f"{amount} {what} became {used[what]}"))
    facts += [fact("listed", what in listed, f"{what} was not listed") for what in used]
    named = re.match(r"([a-z]+) ([a-z]+) for ([a-z]+)$", title)
    if not named or named[1] not in SINGULAR or named[2] not in DISHES:
        return Verdict((*facts, Fact("title", False, "the title does not say what it makes, and for how many")))
    fruits = {SINGULAR[word] for word in re.findall(r"\w+", need + " " + body) if word in SINGULAR}
    facts.append(
        fact("title", fruits == {named[1]}, f"a {named[1]} {named[2]} with {', '.join(sorted(fruits)) or 'none'}")
    )
    dishes = (word for word in re.findall(r"\bthe ([a-z]+)\b", body) if word in DISHES)
    facts += [fact("dish", dish == named[2], f"the {named[2]} became a {dish}") for dish in dishes]
    guests = re.findall(r"\b(\w+) (?:people\b|pieces and enjoy|bowls and enjoy)", body)
    facts += [fact("guests", guest == named[3], f"for {named[3]}, then for {guest}") for guest in guests]
    start = {"dish": named[2], "guests": named[3]}
    account = follow(GRAMMAR, lines(text), len(lines(question)), start)
    return Verdict(tuple(facts), account.reasons, account.plot)


WORLD = World("recipe", "Recipe", write, read)
