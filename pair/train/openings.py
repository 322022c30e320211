"""Beginnings in words of a person's own, before what the worlds tell.

Nobody who types a story's beginning knows the wordings of a world. After such a beginning a story starts anew, about
the child, the thing, the animal and the place that were named; a letter, a recipe, a dialogue goes on as theirs do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from pair.train.names import CHILD
from unmask.pair.worlds.words import (
    ANIMALS,
    CHILDREN,
    COLOURS,
    ELDERS,
    FOODS,
    HE,
    HEROES,
    NUMBERS,
    PLACES,
    SHE,
    THINGS,
    article,
)

SHARE = 0.3  # of stories that begin so
FROM_OTHERS = 0.5  # of these, how many begin as another tale does, rather than by a sentence put together here

WHEN = (
    "||||One day|One morning|One evening|Last summer|Yesterday|Once upon a time|One rainy afternoon|It was late when|"
    "A long time ago|One winter night|After lunch|Before breakfast|One sunny day|In the holidays"
).split("|")
ALSO = (
    "||||||with a big smile|again|for the first time|because of the weather|on the way home|and nobody knew why|"
    "and could not wait to tell everybody|all by chance|in the middle of the night"
).split("|")
# What happens, by what it names: {a} and {b} are persons, {e} an elder, {t} a thing and {ct} one of a colour, {n} an
# animal, {p} a place, {f} food.
HAPPENS = (
    "{a} was bored|{a} could not sleep|{a} was afraid of the dark|{a} had a strange dream|{a} had nothing to do|"
    "{a} felt a little sad|{a} woke up very early|{a} had a brilliant idea|{a} wanted an adventure|"
    "{a} was late again|{a} did not like the rain|{a} looked out of the window|{a} heard a strange noise|"
    "{a} had a secret|{a} was hungry|{a} wanted to fly|{a} liked to sing|{a} lost a tooth|"
    "{a} moved to a new house|{a} was very curious|{a} lived in a tall house|{a} was the youngest in the family|"
    "{a} loved stories|{a} stayed at home|{a} had a {ct}|{a} got a {ct}|{a} found a {t}|"
    "{a} found the {t} in the attic|{a} lost the {t}|{a} lost the {ct}|{a} wanted a {ct}|{a} bought a {t}|"
    "{a} loved the {ct} more than anything|{a} dreamed of a {t}|{a} saw a {ct} in a shop window|"
    "{a} was playing with a {t}|{a} could not find the {ct}|{e} gave {a} a {ct}|"
    "there was a {ct} under the bed of {a}|{a} broke the {t}|{a} hid the {t}|{a} asked {e} for a {t}|"
    "{a} went to the {p}|{a} walked to the {p}|{a} lived near the {p}|{a} was alone at the {p}|"
    "{a} was at the {p}|{a} ran all the way to the {p}|{a} got lost at the {p}|"
    "{a} had never been at the {p} before|{a} lost the {t} at the {p}|{a} found a {ct} at the {p}|"
    "{a} took the {t} to the {p}|{a} saw a {n}|{a} met a {n}|{a} found a small {n}|{a} heard a {n}|"
    "{a} saw a small {n} at the {p}|{a} loved every {n}|a {n} sat in front of the house of {a}|"
    "{a} dreamed of a {n}|a {n} lived near the {p}|{a} and {b} went out|{a} and {b} were best friends|"
    "{a} met {b}|{a} and {b} played all day|{a} and {b} had a plan|{a} had a friend called {b}|"
    "{a} and {b} went to the {p}|{a} and {b} found a {ct}|{a} and {b} saw a {n}|{a} and {b} could not agree|"
    "{a} told {b} about the {t}|{b} came to see {a}|{a} and {b} lived next door|{e} came to see {a}|"
    "{a} was staying with {e}|{e} had a surprise for {a}|{a} missed {e}|{a} had {f}|{e} gave {a} {f}|"
    "{a} wanted to share {f}|{a} loved {f}"
).split("|")
NOBODY = (
    "It rained all day|It was a very cold winter|The sun was shining|There was a storm|The snow was deep|"
    "It was dark outside|The wind was blowing|It was the longest day of the year|Nobody was at home|"
    "The whole town was asleep|There was once a small town by the sea|It was almost spring|The house was quiet|"
    "Something was different"
).split("|")
LIVED = "There was once a {h}|A {h} lived in a small house|A little {h} lived all alone|A {h} was awake".split("|")

KINDS = (("t", THINGS), ("n", ANIMALS), ("p", PLACES))
PERSON = re.compile(rf"\b({'|'.join((*CHILDREN, *HEROES))})\b")
MANY = re.compile(rf"\b(?:{'|'.join(NUMBERS[2:])}) (?:{'|'.join(FOODS.values())})\b")
WORD = re.compile(r"[A-Za-z]+")
NAME = re.compile(r"\b[A-Z][a-z]+\b")
FEMALE, MALE = "girl|she|her|daughter|princess|woman|lady|queen", "boy|he|his|him|son|prince|man|king"
WORLDLY = frozenset((*THINGS, *COLOURS, *ANIMALS, *PLACES, *FOODS, *FOODS.values(), *HEROES, *ELDERS, *NUMBERS))
GROWN = frozenset("Mom Mommy Daddy Mr Mrs".split())  # persons whom no world has


def with_opening(text: str, prompt: str, rng: Random, tales: Sequence[str] = ()) -> tuple[str, str]:
    """A story, all of it, behind a first sentence that no world has; and what a person would have given of it."""
    title, whole = "Story: ", text.removeprefix("Story: ")
    if not prompt.startswith(title):
        return text, prompt
    first = other_opening(whole, rng, tales) if tales and rng.random() < FROM_OTHERS else ""
    first = first or composed_opening(whole, rng)
    return f"{title}{first} {whole}", title + first


def composed_opening(story: str, rng: Random) -> str:
    """A sentence about some of what a story tells of."""
    persons = list(dict.fromkeys(PERSON.findall(story)))
    has = dict(zip("ab", persons, strict=False))
    for name, kind in (("e", ELDERS), *KINDS):
        found = re.search(rf"\b({'|'.join(kind)})\b", story)
        has |= {name: found[0]} if found else {}
    if "t" in has:
        coloured = re.search(rf"\b({'|'.join(COLOURS)}) {has['t']}\b", story)
        has |= {"ct": coloured[0] if coloured else has["t"]}
    if food := MANY.search(story):
        has["f"] = food[0]
    if has.get("a") in HEROES and rng.random() < 0.5:
        return with_articles(rng.choice(LIVED).format(h=has["a"].lower())) + "."
    if rng.random() < 0.1 or not persons:
        return rng.choice(NOBODY) + "."
    happens = rng.choice([one for one in HAPPENS if {*re.findall(r"{(\w+)}", one)} <= {*has}]).format(**has)
    when, also = rng.choice(WHEN), rng.choice(ALSO)
    if rng.random() < 0.1:
        when = rng.choice(NOBODY) + (", and" if rng.random() < 0.7 else ", so")
    sentence = " ".join(part for part in (when, happens, also) if part)
    return with_articles(sentence[0].upper() + sentence[1:]) + "."


def with_articles(sentence: str) -> str:
    """With `an` where a vowel follows."""
    return re.sub(r"\b([Aa]) (\w+)", lambda found: found[1] + article(found[2])[1:], sentence)


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]


def other_opening(story: str, rng: Random, tales: Sequence[str]) -> str:
    """The first sentence of another tale with these persons in it; nothing where it names what the story has not."""
    first = first_sentence(rng.choice(tales).removeprefix("Tale: "))
    persons = list(dict.fromkeys(CHILD.findall(story)))
    named = list(dict.fromkeys(name for name in NAME.findall(first) if not first.startswith(name) or name in CHILDREN))
    if len(named) > len(persons) or len(first) > 120 or '"' in first or {*WORD.findall(first)} & (WORLDLY | GROWN):
        return ""
    other = dict(zip(named, persons, strict=False))
    if any(
        re.search(rf"\b({words})\b", first) and {*other.values()} & sex for words, sex in ((FEMALE, HE), (MALE, SHE))
    ):
        return ""
    return NAME.sub(lambda found: other.get(found[0], found[0]), first)


# What a person puts into a letter first, to whom, and what they want cooked.
GREETING = (
    "how are you?|I hope you are well.|I miss you.|I miss you so much.|thank you for the {t}.|I have news for you.|"
    "thank you for your letter.|it was a long week.|I am at the {p}.|guess what happened!|I am sorry.|"
    "we are all well here.|the weather is lovely.|today I saw a {n}.|happy birthday!|I am writing from the {p}."
).split("|")
READERS = "Santa|Teacher|friend|neighbour|Mr Brown|Mrs Green|Doctor|Granny|Mama|Papa|Sir|Cousin|Lisa|Peter".split("|")
WANTED = (
    "pancakes|chocolate cake|pizza|tomato soup|meat pie|vegetable stew|fish pie|fruit salad|rice pudding|waffles|"
    "sponge cake|plain tart|cookies|pumpkin soup|my favourite pudding|bread|noodles|hot chocolate|cheese toast|"
    "the best cake in the world|a birthday cake|jam|ice cream|lemonade|muffins|dumplings|potato soup|cold tea"
).split("|")
UNLIKE = dict.fromkeys(("letter", "recipe", "dialogue", "steps"), 0.25)  # how many begin otherwise than the worlds' own


def unlike(shape: str, text: str, rng: Random) -> tuple[str, str]:
    """A letter, a recipe, a dialogue or steps that begin as a person might begin them; and how they begin."""
    head, *lines = text.split("\n")
    match shape:
        case "letter":
            greeting, body, *rest = lines
            elder = greeting.removeprefix("Dear ").rstrip(",")
            if rng.random() < 0.4:  # to somebody else
                other = rng.choice(READERS)
                greeting, body = f"Dear {other},", re.sub(rf"\b{elder}\b", other, body)
            if rng.random() < 0.5:
                begun = f"Letter: {greeting}\n"
                return "\n".join([begun + body, *rest]), begun
            has = {name: found[0] for name, kind in KINDS if (found := re.search(rf"\b({'|'.join(kind)})\b", body))}
            fitting = [one for one in GREETING if {*re.findall(r"{(\w+)}", one)} <= {*has}]
            begun = with_articles(f"Letter: {greeting} {rng.choice(fitting).format(**has)}")
            return "\n".join([f"{begun} {body}", *rest]), begun
        case "recipe":
            dish, guests = head.removeprefix("Recipe: ").split(" for ")
            other = dish if rng.random() < 0.4 else rng.choice(WANTED)
            begun = f"Recipe: {other}" + (f" for {guests}" if rng.random() < 0.3 else "") + "\n"
            noun = rf"\bthe {dish.split()[-1]}\b"
            return begun + re.sub(noun, f"the {other.split()[-1]}", "\n".join(lines)), begun
        case "dialogue":
            below = "\n".join(lines)
            found = re.search(rf"\b({'|'.join(PLACES)})\b", below)
            begun = head + (f" at the {found[0]}" if found and rng.random() < 0.7 else "") + "\n"
            return begun + below, begun
    begun = head.rpartition(" with ")[0] + "\n"
    return begun + "\n".join(lines), begun
