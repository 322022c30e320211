"""A text, and the record of what it says: every field, and nothing that was not said."""

import json
from random import Random
from typing import Any

from dllm.worlds.account import follow
from dllm.worlds.agree import sentences
from dllm.worlds.document import Document, Verdict, World
from dllm.worlds.fact import Fact, fact
from dllm.worlds.grammar import Grammar
from dllm.worlds.scene import scene

GRAMMAR = Grammar("""
= person: lives in|this is|with a pet|in a town
= order: bought|ordered|please send|will pay
= event: invites|there is|begins|of somebody
= lost: was lost|lost at|has anyone seen|for the finder
= visit: will visit|comes to|is expected
= worker: works as|the worker|looking for

## lives in
{a} is {age} years old and lives in {town}.
{He} has a {animal} and likes {fruits}.
## this is
This is {a} from {town}.
{He} is {age} years old, loves {fruits} and has a {animal}.
## with a pet
{a} lives in {town} with {his} {animal}.
{He} is {age} years old.
{He} likes {fruits} best.
## in a town
In {town} lives {a}, who is {age} years old.
{His} pet is a {animal}, and {fruits} are {his} favourite food.
## bought
On {day} {a} bought {amount} {fruits} for {coins} coins.
## ordered
{a} ordered {amount} {fruits}.
They cost {coins} coins and come on {day}.
## please send
Please send {amount} {fruits} to {a} on {day}.
The price is {coins} coins.
## will pay
{a} will pay {coins} coins for {amount} {fruits} on {day}.
## invites
{a} invites you to a {event} at the {place} on {day} at {clock} o'clock.
## there is
There is a {event} on {day}!
Come to the {place} at {clock} o'clock and ask for {a}.
## begins
On {day} at {clock} o'clock the {event} begins at the {place}.
{a} is the host.
## of somebody
The {event} of {a} is at the {place}, on {day} at {clock} o'clock.
## was lost
{a} lost a {colour} {thing} at the {place}.
The reward is {coins} coins.
## lost at
Lost at the {place}: a {colour} {thing}.
{a} will give {coins} coins to the finder.
## has anyone seen
Has anyone seen a {colour} {thing}?
It belongs to {a}, was lost at the {place}, and brings {coins} coins.
## for the finder
{coins} coins for the {colour} {thing} that {a} lost at the {place}!
## will visit
On {day} {a} will visit {elder} in {town} at {clock} o'clock.
## comes to
{a} comes to {town} on {day} at {clock} o'clock.
{elder} is waiting there.
## is expected
In {town}, {elder} expects {a} on {day}.
The train comes at {clock} o'clock.
## works as
{a} works as a {job} in {town}.
{He} is {age} years old and likes to {skill}.
## the worker
The {job} of {town} is called {a}.
At {age} years {he} still likes to {skill}.
## looking for
{town} has a new {job}.
It is {a}, {age} years old, who likes to {skill}.
""")
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


def written(rng: Random, new: bool = False) -> tuple[str, dict[str, Any], str]:
    """A text, its record, and its kind."""
    plot = GRAMMAR.draw(rng, new and rng.random() < 0.3)
    numbers = {"age": (5, 79), "amount": (2, 9), "coins": (10, 60), "clock": (1, 11)}
    drawn = {name: str(rng.randint(*ends)) for name, ends in numbers.items()}
    world = scene(rng, new and rng.random() < 0.15, peopled=1) | drawn
    told = " ".join(GRAMMAR.tell(plot, world, rng))
    return told, record(plot.name, world), plot.name


def record(plot: str, world: Any) -> dict[str, Any]:
    fields = FIELDS[plot.partition(":")[0]]
    return {name: int(world[slot]) if slot in DIGITS else world[slot] for name, slot in fields.items()}


def write(rng: Random, new: bool = False) -> Document:
    text, fields, plot = written(rng, new)
    ask = f"Text: {text}\nJSON:"
    return Document(f"{ask} {json.dumps(fields)}", ask, "record", plot)


def read(question: str, answer: str) -> Verdict:
    told, found, begun = f"{question}{answer}".partition("\nJSON:")
    return judged(told, begun) if found else Verdict((Fact("json", False, "there is no record"),))


def judged(told: str, begun: str) -> Verdict:
    """A record against its text."""
    try:
        values: Any = json.loads(begun)
    except (ValueError, RecursionError):
        return Verdict((Fact("json", False, "it is not valid JSON"),))
    if not isinstance(values, dict) or not values:
        return Verdict((Fact("json", False, "it is not a record"),))
    facts = [Fact("json", True)]
    account = follow(GRAMMAR, sentences(told))
    if not account.plot:  # somebody's own words: what can be asked is that nothing is invented
        plain = str(told).lower()
        facts += [fact("field", str(value).lower() in plain, f"{name} is not {value!r}") for name, value in values.items()]
        return Verdict(tuple(facts), () if len(values) > 2 else ("fewer than three fields",), "own")
    wanted = record(account.plot, account.roles)
    for name, value in wanted.items():
        same = name in values and type(values[name]) is type(value) and values[name] == value
        facts.append(fact("field", same, f"{name} is not {values.get(name)!r}"))
    facts += [Fact("field", False, f"no field {name[:20]!r} was told") for name in values if name not in wanted]
    return Verdict(tuple(facts), (), account.plot)


WORLD = World("record", "Text", write, read)
