"""Who and what a prompt names that the worlds know, by role; children's words are taken for grown-ups' ones."""

from __future__ import annotations

import re
from collections.abc import Mapping

from unmask.pair.worlds.scene import pronouns
from unmask.pair.worlds.words import (
    ANIMALS,
    BAKES,
    CHILDREN,
    COLOURS,
    DAYS,
    DISHES,
    ELDERS,
    FRUITS,
    HEROES,
    JOBS,
    NUMBERS,
    PLACES,
    PLANTS,
    SKILLS,
    THINGS,
    plural,
)

ALIKE = {  # what people say, and the word of the worlds that is nearest
    **dict.fromkeys("grandmother granny nana gran".split(), "grandma"),
    **dict.fromkeys("grandfather granddad".split(), "grandpa"),
    **dict.fromkeys("mother mom mommy mummy".split(), "mum"),
    **dict.fromkeys("father daddy papa".split(), "dad"),
    **dict.fromkeys("girl daughter sister princess queen woman".split(), "Lily"),
    **dict.fromkeys("boy son brother prince king man pirate knight".split(), "Tom"),
    **dict.fromkeys("kitty".split(), "kitten"),
    **dict.fromkeys("bunny hare".split(), "rabbit"),
    **dict.fromkeys("bike".split(), "bicycle"),
    **dict.fromkeys("ship".split(), "boat"),
    **dict.fromkeys("lamp light".split(), "lantern"),
    **dict.fromkeys("woods wood".split(), "forest"),
    **dict.fromkeys("sea ocean shore seaside".split(), "beach"),
    **dict.fromkeys("town city".split(), "village"),
    **dict.fromkeys("swimming swims".split(), "swim"),
    **dict.fromkeys("skating".split(), "skate"),
    **dict.fromkeys("skiing".split(), "ski"),
    **dict.fromkeys("sailing".split(), "sail"),
}
PRONOUNS = {"she": "Lily", "her": "Lily", "he": "Tom", "his": "Tom", "him": "Tom"}  # where nobody is named
USUAL = {  # who and what is there where nothing is said
    "a": "Lily",
    "b": "Ben",
    "elder": "Grandma",
    "thing": "kite",
    "colour": "red",
    "animal": "kitten",
    "place": "park",
    "fruit": "apple",
    "fruits": "apples",
    "bakes": "muffins",
    "many": "eight",
    "plant": "sunflower",
    "day": "Sunday",
    "skill": "swim",
    "dish": "cake",
    "job": "baker",
}
_MANY = tuple(NUMBERS[6:13])
_NAMES = {name.lower(): name for name in (*CHILDREN, *ELDERS, *HEROES)}
_KINDS: dict[str, tuple[str, str]] = {  # a word in small letters: its role, and how a story says it
    **{job: ("job", job) for job in JOBS},
    **{thing: ("thing", thing) for thing in THINGS},
    **{plural(thing): ("thing", thing) for thing in THINGS},
    **{colour: ("colour", colour) for colour in COLOURS},
    **{animal: ("animal", animal) for animal in ANIMALS},
    **{plural(animal): ("animal", animal) for animal in ANIMALS},
    **{place: ("place", place) for place in PLACES},
    **{one: ("fruits", many) for single, many in FRUITS.items() for one in (single, many)},
    **{one: ("bakes", many) for single, many in BAKES.items() for one in (single, many)},
    **{one: ("plant", plant) for plant in PLANTS for one in (plant, f"{plant}s", f"{plant}es")},
    **{skill: ("skill", skill) for skill in SKILLS},
    **{dish: ("dish", dish) for dish in DISHES},
    **{day.lower(): ("day", day) for day in DAYS},
    **{many: ("many", many) for many in _MANY},
}


def named(text: str, fable: bool = False) -> dict[str, str]:
    """The first word of each role, and of people two. One animal is just that; only in a fable are two of them, or one
    that a story of people has no place for, called by their kind, as "Fox"."""
    roles: dict[str, str] = {}
    names: list[str] = []
    words = re.findall(r"[A-Za-z]+", text)
    for spelled in words:
        word = ALIKE.get(spelled.lower(), spelled)
        low = word.lower()
        name = _NAMES.get(low) or _NAMES.get(low.removesuffix("s"), "")
        if name and (word[0].isupper() or name not in CHILDREN):  # mark and may are no names
            names.append(name)
        elif found := _KINDS.get(low):
            roles.setdefault(*found)
    names = [*dict.fromkeys(names)]
    children = [one for one in names if one in CHILDREN]
    heroes = [one for one in names if one in HEROES]
    beside = [one.lower() for one in heroes if one.lower() in ANIMALS]  # those that people may meet
    if not children and not heroes:
        children = [PRONOUNS[word] for word in map(str.lower, words) if word in PRONOUNS][:1]
    if fable and heroes and not children and (len(heroes) > 1 or not beside):
        children = heroes
    elif beside:
        roles.setdefault("animal", beside[0])
    roles |= dict(zip("ab", children, strict=False))
    if elder := next((one for one in names if one in ELDERS), ""):
        roles |= {"elder": elder}
    return roles


def filled(roles: Mapping[str, str]) -> dict[str, str]:
    """All roles, with the usual word where a prompt names none; nobody is there twice."""
    world: dict[str, str] = {**USUAL, **roles}
    if world["a"] in HEROES and "b" not in roles:
        world["b"] = "Fox"
    if world["a"] == world["b"]:
        world["b"] = "Mia" if world["a"] == "Ben" else "Ben"
    for role, prefix in (("a", ""), ("b", "b"), ("elder", "e")):
        world |= pronouns(world[role], prefix)
    return world | {"Many": world["many"].capitalize()}
