"""Whether people, things, places and numbers in a text agree with each other, whatever its sentences are.

The laws are those the small worlds are told by: a sentence that names one person speaks of that person alone in its
pronouns; there is one place, one animal, one hiding spot and one kind of food; a thing is introduced before it is
"the" thing; what is left is what there was, less what went. They count what holds also in texts that break grammar,
so that quality falls by degrees.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from unmask.pair.worlds import words
from unmask.pair.worlds.document import fact
from unmask.pair.worlds.words import HE, NAMES, SHE, SINGULAR, number
from unmask.run.judge import Fact

WORD = re.compile(r"(?<!')\b[A-Za-z]+\b")
END = re.compile(r"[.!?]\"?(?=\s)|\n")
FEMALE, MALE = frozenset(("she", "her", "hers", "herself")), frozenset(("he", "him", "his", "himself"))
COLOURS, THINGS, PLACES = frozenset(words.COLOURS), frozenset(words.THINGS), frozenset(words.PLACES)
ANIMALS, DAYS, SPOTS = frozenset(words.ANIMALS), frozenset(words.DAYS), frozenset(words.SPOTS)
OWNED = re.compile(r"\b([A-Z][a-z]+) had an? (?:[a-z]+ )?([a-z]+)\b")
GIVEN = re.compile(r"\b([A-Z][a-z]+) gave (?:the|his|her) (?:[a-z]+ )?([a-z]+) to ([A-Z][a-z]+)\b")
BELONGED = re.compile(r"\b([a-z]+) belonged to ([A-Z][a-z]+)\b")
HAD = re.compile(r"\b(?:had|baked|picked) (\w+) ([a-z]+)\b")
WENT = re.compile(r"\b(?:gave|ate|lost|sold) (\w+) ([a-z]+)\b")
LEFT = re.compile(r"\b(\w+) ([a-z]+) left\b")


def sentences(text: str) -> list[str]:
    """Cut after a mark that ends a sentence, and its quotation mark if what follows does not go on with it."""
    found, begin = [], 0
    for end in END.finditer(text):
        at = end.end()
        if text[at - 1] != '"' or not text[at + 1 : at + 2].islower():
            found.append(text[begin:at].strip())
            begin = at
    return [part for part in (*found, text[begin:].strip()) if part]


def alike(what: str, found: Iterable[str], kind: str) -> list[Fact]:
    """One fact for every mention after the first: it is the same one."""
    seen = list(found)
    if len(seen) < 2:
        return []
    usual = Counter(seen).most_common(1)[0][0]
    wrong = [fact(what, word == usual, f"{kind}: {word} beside {usual}") for word in seen]
    wrong.remove(fact(what, True, ""))
    return wrong


def people(text: str) -> list[Fact]:
    """Nobody turns up once and never again, and every she and he is someone who is there."""
    every = [WORD.findall(sentence) for sentence in sentences(text)]
    named = Counter(word for found in every for word in found if word in NAMES)
    facts = [fact("name", times > 1, f"{name} is named only once") for name, times in named.items()]
    here = {sex for sex, all_of in (("she", SHE), ("he", HE)) if not all_of.isdisjoint(named)}
    for found in every:
        those = NAMES.intersection(found)
        lower = [word.lower() for word in found]
        sexes = {"she" for word in lower if word in FEMALE} | {"he" for word in lower if word in MALE}
        allowed = here
        if len(those) == 1:
            allowed = {"she"} if those <= SHE else {"he"}
        facts += [fact("pronoun", sex in allowed, f"{sex} in: {' '.join(found)[:60]}") for sex in sorted(sexes)]
    return facts if named else []


def surroundings(text: str) -> list[Fact]:
    """One place, one animal, one hiding spot, one day, one kind of food."""
    found = WORD.findall(text)
    facts = alike("place", (word for word in found if word in PLACES), "place")
    facts += alike("animal", (word for word in found if word in ANIMALS), "animal")
    facts += alike("spot", (word for word in found if word in SPOTS), "hiding spot")
    facts += alike("day", (word for word in found if word in DAYS), "day")
    return facts + alike("food", (SINGULAR[word] for word in found if word in SINGULAR), "food")


def mentions(text: str) -> list[tuple[str, str, str]]:
    """Each thing that is spoken of, with its colour and the article or owner before it, where it has them."""
    found, met = [word.lower() for word in WORD.findall(text)], []
    for at, word in enumerate(found):
        if word in THINGS:
            colour = found[at - 1] if at and found[at - 1] in COLOURS else ""
            before = found[at - 1 - bool(colour)] if at > bool(colour) else ""
            met.append((word, colour, before))
    return met


def things(text: str, introduced: bool = True) -> list[Fact]:
    """A thing keeps its colour, and it is somebody's or some thing before it is the thing."""
    by_thing: dict[str, list[str]] = {}
    met: set[str] = set()
    facts = []
    for thing, colour, before in mentions(text):
        if colour:
            by_thing.setdefault(thing, []).append(colour)
        if introduced and before == "the":
            facts.append(fact("thing", thing in met, f"the {thing} was never introduced"))
        met.add(thing)
    for thing, colours in by_thing.items():
        facts += alike("colour", colours, f"colour of the {thing}")
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
    had, left = first(HAD.finditer(text)), first(LEFT.finditer(text))
    if not had or not left or left.start() < had.start():
        return []
    start, end = number(had[1]) or 0, number(left[1]) or 0
    went = [number(found[1]) for found in WENT.finditer(text, had.end(), left.start())]
    gone = [one for one in went if one is not None]
    return [fact("arithmetic", start - sum(gone) == end, f"{start} less {gone} is not {end}")] if gone else []


def first(found: Iterable[re.Match[str]]) -> re.Match[str] | None:
    """The first that counts food."""
    return next((one for one in found if number(one[1]) is not None and one[2] in SINGULAR), None)


def hours(text: str) -> list[Fact]:
    return alike("hour", (word.lower() for word in re.findall(r"(\w+) o'clock", text)), "hour")


def ending(text: str) -> Fact:
    return fact("ending", text.rstrip().endswith((".", "!", "?", '"')), "it stops in the middle of a sentence")


def circles(text: str) -> Fact:
    """Few runs of four words come twice."""
    found = text.split()
    runs = list(zip(found, found[1:], found[2:], found[3:], strict=False))
    return fact("circles", len(set(runs)) > 0.8 * len(runs), "it repeats itself")


def unlike(lines: Sequence[str]) -> tuple[str, ...]:
    """A reason for each line that is there twice."""
    return tuple(f"said twice: {line}" for line, times in Counter(lines).items() if times > 1)
