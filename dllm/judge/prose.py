"""Whether people, things, places and numbers in a story, a dialogue or a letter agree with each other.

The laws are those the small worlds are told by: a sentence that names one person speaks of that person alone in its
pronouns; there is one place, one animal, one hiding spot and one kind of food; a thing is introduced before it is
"the" thing; what is left is what there was, less what went.
"""

import re
from collections import Counter
from collections.abc import Iterable

from dllm.judge.fact import Fact, fact
from dllm.judge.words import (
    ANIMALS,
    COLOURS,
    DAYS,
    ELDERS,
    HE,
    NAMES,
    NUMBERS,
    PLACES,
    SHE,
    SINGULAR,
    SPOTS,
    THINGS,
    any_of,
    number,
)

WORD = re.compile(r"(?<!')\b[A-Za-z]+\b")
FEMALE, MALE = frozenset(("she", "her", "hers", "herself")), frozenset(("he", "him", "his", "himself"))
PAINTED = re.compile(rf"\b({any_of(COLOURS)}) ({any_of(THINGS)})\b", re.I)
MENTION = re.compile(rf"(?:\b(the|my|your|his|her|an?|its) )?(?:{any_of(COLOURS)} )?(?<!')\b({any_of(THINGS)})\b", re.I)
OWNED = re.compile(rf"\b({any_of(NAMES)}) had an? (?:{any_of(COLOURS)} )?({any_of(THINGS)})\b")
GIVEN = re.compile(
    rf"\b({any_of(NAMES)}) gave (?:the|his|her) (?:{any_of(COLOURS)} )?({any_of(THINGS)}) to ({any_of(NAMES)})\b"
)
BELONGED = re.compile(rf"\b({any_of(THINGS)}) belonged to ({any_of(NAMES)})\b")
FOOD = any_of(SINGULAR)
COUNT = rf"({any_of(NUMBERS)}|\d{{1,4}})"
HAD = re.compile(rf"\b(?:had|baked|picked|had baked) {COUNT} ({FOOD})\b", re.I)
WENT = re.compile(rf"\b(?:gave|ate|lost|sold) {COUNT} (?:{FOOD}|of them)\b", re.I)
LEFT = re.compile(rf"\b{COUNT} (?:{FOOD}) left\b", re.I)
PRICE = re.compile(rf"\bOne (?:{FOOD}) is {COUNT} coins\b")
BOUGHT = re.compile(rf"\b{COUNT} ({FOOD})\b", re.I)
COINS = re.compile(rf"\b{COUNT} coins\b", re.I)


def sentences(text: str) -> list[str]:
    """Cut after a mark that ends a sentence, and its quotation mark."""
    return [part for part in re.split(r"(?<=[.!?])\s+|(?<=[.!?]\")\s+(?=[A-Z])|\n", text) if part.strip()]


def words(text: str) -> list[str]:
    return WORD.findall(text)


def alike(what: str, found: Iterable[str], kind: str) -> list[Fact]:
    """One fact for every mention after the first: it is the same one."""
    seen = list(found)
    if len(seen) < 2:
        return []
    usual = Counter(seen).most_common(1)[0][0]
    wrong = [fact(what, word == usual, f"{kind}: {word} beside {usual}") for word in seen]
    wrong.remove(fact(what, True, ""))
    return wrong


def people(text: str, everyone_twice: bool = True) -> list[Fact]:
    """Nobody turns up once and never again, and every she and he is someone who is there."""
    told = Counter(word for word in words(text) if word in NAMES)
    facts = []
    if everyone_twice:
        facts = [fact("name", times > 1, f"{name} is named only once") for name, times in told.items()]
    here = {sex for sex, all_of in (("she", SHE), ("he", HE)) if any(name in all_of for name in told)}
    for sentence in sentences(text):
        lower = [word.lower() for word in words(sentence)]
        named = {word for word in words(sentence) if word in NAMES}
        said = {"she" for word in lower if word in FEMALE} | {"he" for word in lower if word in MALE}
        allowed = here
        if len(named) == 1:
            allowed = {"she"} if named <= SHE else {"he"}
        facts += [fact("pronoun", sex in allowed, f"{sex} in: {sentence[:60]}") for sex in sorted(said) if told]
    return facts


def surroundings(text: str) -> list[Fact]:
    """One place, one animal, one hiding spot, one day, one kind of food."""
    lower = [word.lower() for word in words(text)]
    facts = alike("place", (word for word in lower if word in PLACES), "place")
    facts += alike("animal", (word for word in lower if word in ANIMALS), "animal")
    facts += alike("spot", (word for word in lower if word in SPOTS), "hiding spot")
    facts += alike("day", (word for word in words(text) if word in DAYS), "day")
    return facts + alike("food", (SINGULAR[word] for word in lower if word in SINGULAR), "food")


def things(text: str, introduced: bool = True) -> list[Fact]:
    """A thing keeps its colour, and it is somebody's or some thing before it is the thing."""
    by_thing: dict[str, list[str]] = {}
    for colour, thing in PAINTED.findall(text):
        by_thing.setdefault(thing.lower(), []).append(colour.lower())
    facts = []
    for thing, colours in by_thing.items():
        facts += alike("colour", colours, f"colour of the {thing}")
    if introduced:
        met: set[str] = set()
        for before, thing in MENTION.findall(text):
            if before.lower() == "the":
                facts.append(fact("thing", thing.lower() in met, f"the {thing} was never introduced"))
            met.add(thing.lower())
    return facts


def belongings(text: str) -> list[Fact]:
    """Only the owner gives a thing away, and afterwards it belongs to whoever got it."""
    events = [(found.start(), found) for kind in (OWNED, GIVEN, BELONGED) for found in kind.finditer(text)]
    owner: dict[str, str] = {}
    facts = []
    for _, found in sorted(events, key=lambda event: event[0]):
        if found.re is OWNED:
            owner[found[2]] = found[1]
        elif found.re is GIVEN:
            giver, thing, taker = found.groups()
            facts.append(fact("owner", owner.get(thing, giver) == giver != taker, f"{giver} gave away the {thing}"))
            owner[thing] = taker
        else:
            facts.append(
                fact("owner", owner.get(found[1], found[2]) == found[2], f"the {found[1]} is not {found[2]}'s")
            )
    return facts


def remainder(text: str) -> list[Fact]:
    """What is left is what there was, less what was given, eaten, lost or sold."""
    had, left = HAD.search(text), LEFT.search(text)
    if not had or not left or left.start() < had.start():
        return []
    start, end = number(had[1]) or 0, number(left[1]) or 0
    went = [number(found[1]) or 0 for found in WENT.finditer(text, had.end(), left.start())]
    return [fact("arithmetic", start - sum(went) == end, f"{start} less {went} is not {end}")] if went else []


def ending(text: str) -> Fact:
    return fact("ending", text.rstrip().endswith((".", "!", "?", '"')), "it stops in the middle of a sentence")


def story(text: str) -> list[Fact]:
    facts = people(text) + surroundings(text) + things(text) + belongings(text) + remainder(text)
    return [*facts, ending(text)]


def tale(text: str) -> list[Fact]:
    """Free stories follow no law of ours but that they end, and do not go round in circles."""
    told = text.split()
    runs = list(zip(told, told[1:], told[2:], told[3:], strict=False))
    return [ending(text), fact("circles", len(set(runs)) > 0.8 * len(runs), "it repeats itself")]


def dialogue(text: str) -> list[Fact]:
    """Two people take turns, address each other by the right name, and talk of the same things and prices."""
    head, *lines = [line for line in text.split("\n") if line.strip()] or [""]
    pair = re.match(r"\s*(\w+) and (\w+)\s*$", head)
    if not pair:
        return [Fact("speakers", False, "the first line does not say who is talking")]
    facts = [fact("turns", len(lines) >= 3, "hardly a word is said")]
    for at, line in enumerate(lines):
        name, _, said = line.partition(": ")
        other = pair[2 - at % 2]
        facts.append(fact("turns", name == pair[1 + at % 2], f"line {at + 1} is said by {name[:20]}"))
        called = [word for word in words(said) if word in NAMES and word not in ELDERS]
        facts += [fact("name", word == other, f"{name[:20]} speaks to {word}") for word in called]
        facts.append(ending(said))
    body = "\n".join(line.partition(": ")[2] for line in lines)
    facts += surroundings(body) + things(body, introduced=False) + hours(body)
    met = [thing.lower() for _, thing in MENTION.findall(body)]
    facts += alike("thing", met, "thing")
    return facts + bill(body)


def bill(text: str) -> list[Fact]:
    """So many, at so many coins each, make so many coins."""
    price = PRICE.search(text)
    if not price:
        return []
    after = text[price.end() :]
    counts = [number(found[1]) or 0 for found in BOUGHT.finditer(after)]
    paid = [number(found) or 0 for found in COINS.findall(after)]
    if not counts or not paid:
        return [Fact("bill", False, "nothing was bought, or nothing paid")]
    each = number(price[1]) or 0
    facts = [fact("bill", count == counts[0], f"{count} bought, then {counts[0]}") for count in counts[1:]]
    return facts + [
        fact("bill", coins == counts[0] * each, f"{counts[0]} at {each} are not {coins} coins") for coins in paid
    ]


def hours(text: str) -> list[Fact]:
    return alike("hour", (word.lower() for word in re.findall(r"(\w+) o'clock", text)), "hour")


def letter(text: str) -> list[Fact]:
    """It greets whom it is for, is signed by who writes, and agrees with itself."""
    head, *lines = [line.strip() for line in text.split("\n") if line.strip()] or [""]
    pair = re.match(r"(\w+) writes to (\w+)$", head)
    if not pair or len(lines) < 3:
        return [Fact("writer", False, "the letter has no writer, reader or body")]
    facts = [
        fact("reader", lines[0] == f"Dear {pair[2]},", f"greeted {lines[0][:30]!r}, not {pair[2]}"),
        fact("writer", lines[-1] == pair[1], f"signed {lines[-1][:30]!r}, not {pair[1]}"),
        fact("closing", lines[-2].endswith(","), "no closing before the name"),
    ]
    body = " ".join(lines[1:-2])
    facts += people(body) + surroundings(body) + remainder(body) + hours(body)
    facts += things(body, introduced=False)  # the reader knows which one is meant
    facts += (
        alike("thing", (thing.lower() for _, thing in MENTION.findall(body)), "thing") if "my own" not in body else []
    )
    return [*facts, ending(body)]
