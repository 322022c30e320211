"""A text, and the record of what it says: every field, and nothing that was not said."""

import json
from random import Random
from typing import Any

from unmask.pair.worlds.account import follow
from unmask.pair.worlds.document import Document, World, fact
from unmask.pair.worlds.fact_agreement import sentences
from unmask.pair.worlds.grammar import Grammar
from unmask.pair.worlds.plots.notes import TEXT
from unmask.pair.worlds.scene import scene
from unmask.run.judge import Fact, Verdict

GRAMMAR = Grammar(TEXT)
# field → slot; a slot of digits is a number
FIELDS = {
    "person": {"name": "a", "age": "age", "town": "town", "pet": "animal", "likes": "fruits"},
    "order": {"name": "a", "item": "fruits", "count": "amount", "coins": "coins", "day": "day"},
    "event": {"event": "event", "place": "place", "day": "day", "hour": "clock", "host": "a"},
    "lost": {"item": "thing", "colour": "colour", "place": "place", "owner": "a", "reward": "coins"},
    "visit": {"name": "a", "visits": "elder", "town": "town", "day": "day", "hour": "clock"},
    "worker": {"name": "a", "job": "job", "town": "town", "age": "age", "hobby": "skill"},
}
DIGITS = frozenset(("age", "amount", "coins", "clock"))


def draft(rng: Random, new: bool = False) -> tuple[str, dict[str, Any], str]:
    """A text, its record, and its kind."""
    plot = GRAMMAR.draw(rng, new and rng.random() < 0.3)
    numbers = {"age": (5, 79), "amount": (2, 9), "coins": (10, 60), "clock": (1, 11)}
    drawn = {name: str(rng.randint(*ends)) for name, ends in numbers.items()}
    world = scene(rng, new and rng.random() < 0.15, peopled=1) | drawn
    text = " ".join(GRAMMAR.tell(plot, world, rng, usual=0))  # a reader must know every wording
    return text, record(plot.name, world), plot.name


def record(plot: str, world: Any) -> dict[str, Any]:
    fields = FIELDS[plot.partition(":")[0]]
    return {name: int(world[slot]) if slot in DIGITS else world[slot] for name, slot in fields.items()}


def write(rng: Random, new: bool = False) -> Document:
    text, fields, plot = draft(rng, new)
    ask = f"Text: {text}\nJSON:"
    return Document(f"{ask} {json.dumps(fields)}", ask, "record", plot)


def read(question: str, answer: str) -> Verdict:
    text, found, begun = f"{question}{answer}".partition("\nJSON:")
    return judged(text, begun) if found else Verdict((Fact("json", False, "there is no record"),))


def judged(text: str, begun: str) -> Verdict:
    """A record against its text."""
    try:
        values: Any = json.loads(begun)
    except (ValueError, RecursionError):
        return Verdict((Fact("json", False, "it is not valid JSON"),))
    if not isinstance(values, dict) or not values:
        return Verdict((Fact("json", False, "it is not a record"),))
    facts = [Fact("json", True)]
    account = follow(GRAMMAR, sentences(text))
    if not account.plot:  # somebody's own words: what can be asked is that nothing is invented
        plain = str(text).lower()
        for name, value in values.items():
            facts.append(fact("field", str(value).lower() in plain, f"{name} is not {value!r}"))
        return Verdict(tuple(facts), () if len(values) > 2 else ("fewer than three fields",), "own")
    wanted = record(account.plot, account.roles)
    for name, value in wanted.items():
        same = name in values and type(values[name]) is type(value) and values[name] == value
        facts.append(fact("field", same, f"{name} is not {values.get(name)!r}"))
    facts += [Fact("field", False, f"no field {name[:20]!r} was told") for name in values if name not in wanted]
    return Verdict(tuple(facts), (), account.plot)


WORLD = World("record", "Text", write, read)
