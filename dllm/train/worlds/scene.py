"""One small world, drawn from a seed: who is in it, what they have, where they are, and how much is left at the end."""

import re
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias
from zlib import crc32

from dllm.judge.words import (
    ANIMALS,
    BAKES,
    CHILDREN,
    COLOURS,
    DAYS,
    ELDERS,
    FRUITS,
    NUMBERS,
    PLACES,
    PLANTS,
    SHE,
    SPOTS,
    THINGS,
    article,
)

Beat: TypeAlias = "tuple[str | list[Beat], ...]"  # ways to tell one thing; a list is a turn the world may take


@dataclass(frozen=True)
class Document:
    """A text that is true in its world, where its question ends, and what kind of text it is."""

    text: str
    prompt: str
    shape: str
    key: str = field(repr=False)  # the combination that decides whether it may be trained on

    @property
    def held(self) -> bool:
        """Whether this combination is kept for examination: one in sixteen, whatever the seed."""
        return crc32(self.key.encode()) % 16 == 0


def pronouns(name: str, prefix: str = "") -> dict[str, str]:
    he, him, his = ("she", "her", "her") if name in SHE else ("he", "him", "his")
    small = {f"{prefix}he": he, f"{prefix}him": him, f"{prefix}his": his}
    return small | {key.capitalize(): word.capitalize() for key, word in small.items()}


def scene(rng: Random) -> dict[str, str]:
    """Everything a telling may mention, by the name its templates use."""
    a, b = rng.sample(CHILDREN, 2)
    thing, other = rng.sample(THINGS, 2)
    colour, tint = rng.sample(COLOURS, 2)
    fruit, bake = rng.choice(tuple(FRUITS)), rng.choice(tuple(BAKES))
    # nobody ever has, loses or keeps just one of a fruit: every wording may speak of several
    many = rng.randint(6, 12)
    some = rng.randint(2, many - 4)
    few = rng.randint(2, min(3, many - some - 2))
    elder = rng.choice(ELDERS)
    animal, spot = rng.choice(ANIMALS), rng.choice(tuple(SPOTS.values()))
    return {
        "a": a,
        "b": b,
        **pronouns(a),
        **pronouns(b, "b"),
        "elder": elder,
        **pronouns(elder, "e"),
        "thing": thing,
        "a_thing": article(thing),
        "colour": colour,
        "a_colour": article(colour),
        "other": other,
        "an_other": article(other),
        "tint": tint,
        "a_tint": article(tint),
        "animal": animal,
        "an_animal": article(animal),
        "An_animal": article(animal).capitalize(),
        "place": rng.choice(PLACES),
        "spot": spot,
        "Spot": spot[0].upper() + spot[1:],
        "wear": rng.choice(("hat", "scarf")),
        "fruit": fruit,
        "a_fruit": article(fruit),
        "fruits": FRUITS[fruit],
        "bakes": BAKES[bake],
        "plant": rng.choice(PLANTS),
        "day": rng.choice(DAYS),
        "hour": NUMBERS[rng.randint(2, 9)],
        "many": NUMBERS[many],
        "some": NUMBERS[some],
        "few": NUMBERS[few],
        "rest": NUMBERS[many - some],
        "last": NUMBERS[many - some - few],
        "Many": NUMBERS[many].capitalize(),
    }


def tell(beats: list[Beat], world: dict[str, str], rng: Random) -> list[str]:
    """One sentence or two a beat, each in one of its wordings."""
    told: list[str] = []
    for beat in beats:
        chosen = rng.choice(beat)
        if isinstance(chosen, list):
            told += tell(chosen, world, rng)
        elif chosen:
            told.append(chosen.format_map(world))
    return told


def with_words(document: Document, rng: Random) -> Document:
    """The same document under a first line that asks for two or three of its words."""
    body = document.text[len(document.prompt.split(":")[0]) :]
    known = set(re.findall(r"[A-Za-z]+", body)) & WORTH_ASKING
    if len(known) < 3:
        return document
    asked = rng.sample(sorted(known), rng.randint(2, 3))
    first = f"Words: {', '.join(asked)}\n"
    name = document.prompt.split(":")[0] + ":"
    return Document(first + document.text, first + name, document.shape, document.key)


WORTH_ASKING = {
    *CHILDREN,
    *THINGS,
    *COLOURS,
    *ANIMALS,
    *PLACES,
    *FRUITS.values(),
    *BAKES.values(),
    *PLANTS,
    *DAYS,
} | set("rain wind storm snow moon soup bread river smile secret friend race seed nest letter present".split())
