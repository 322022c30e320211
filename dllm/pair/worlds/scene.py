"""One small world, drawn from a seed: who is in it, what they have, where they are, and how much is left at the end."""

from random import Random

from unmask.pair.worlds.words import (
    ANIMALS,
    BAKES,
    CHILDREN,
    COLOURS,
    DAYS,
    DISHES,
    ELDERS,
    EVENTS,
    FRUITS,
    HEROES,
    JOBS,
    LIQUIDS,
    NEW_CHILDREN,
    NUMBERS,
    PLACES,
    PLANTS,
    SHE,
    SKILLS,
    SPOTS,
    SWEETS,
    THINGS,
    TOWNS,
    plural,
)

_FRUITS, _BAKES, _SPOTS = tuple(FRUITS.items()), tuple(BAKES.items()), tuple(SPOTS.values())
PEOPLED = 0.85  # share of stories whose people are children; in the others they are animals with a name


def pronouns(name: str, prefix: str = "") -> dict[str, str]:
    he, him, his = ("she", "her", "her") if name in SHE else ("he", "him", "his")
    return {
        f"{prefix}he": he,
        f"{prefix}him": him,
        f"{prefix}his": his,
        f"{prefix}He": he.capitalize(),
        f"{prefix}His": his.capitalize(),
        f"{prefix}child": "animal" if name in HEROES else "girl" if name in SHE else "boy",
    }


def people(rng: Random, new: bool = False, peopled: float = PEOPLED) -> list[str]:
    """Two who have different names."""
    if new:
        return [rng.choice(NEW_CHILDREN), rng.choice(CHILDREN)]
    return rng.sample(CHILDREN if rng.random() < peopled else HEROES, 2)


def scene(rng: Random, new: bool = False, peopled: float = PEOPLED, **requested: str) -> dict[str, str]:
    """Everything a telling may mention, by the name its templates use; what is wished for is in it."""
    a, b = people(rng, new, peopled)
    if requested.get("a") == b:
        b = a
    thing, other = rng.sample(THINGS, 2)
    if requested.get("thing") == other:
        other = thing
    colour, tint = rng.sample(COLOURS, 2)
    if requested.get("colour") == tint:
        tint = colour
    fruit, fruits = rng.choice(_FRUITS)
    # nobody ever has, loses or keeps just one of a fruit: every wording may speak of several
    many = rng.randint(6, 12)
    some = rng.randint(2, many - 4)
    few = rng.randint(2, min(3, many - some - 2))
    count, price = rng.randint(2, 6), rng.randint(2, 3)
    world = {
        "a": a,
        "b": b,
        "elder": rng.choice(ELDERS),
        "thing": thing,
        "other": other,
        "things": plural(thing),
        "colour": colour,
        "tint": tint,
        "animal": rng.choice(ANIMALS),
        "place": rng.choice(PLACES),
        "spot": rng.choice(_SPOTS),
        "fruit": fruit,
        "fruits": fruits,
        "bakes": rng.choice(_BAKES)[1],
        "plant": rng.choice(PLANTS),
        "job": rng.choice(JOBS),
        "skill": rng.choice(SKILLS),
        "day": rng.choice(DAYS),
        "town": rng.choice(TOWNS),
        "event": rng.choice(EVENTS),
        "dish": rng.choice(DISHES),
        "liquid": rng.choice(LIQUIDS),
        "sweet": rng.choice(SWEETS),
        "hour": NUMBERS[rng.randint(2, 9)],
        "guests": NUMBERS[rng.randint(2, 9)],
        "many": NUMBERS[many],
        "some": NUMBERS[some],
        "few": NUMBERS[few],
        "rest": NUMBERS[many - some],
        "last": NUMBERS[many - some - few],
        "more": NUMBERS[many + some],
        "count": NUMBERS[count],
        "price": NUMBERS[price],
        "total": NUMBERS[count * price],
        **requested,
    }
    if "thing" in requested:
        world["things"] = plural(world["thing"])
    for name in ("Many", "Rest", "Count", "Total", "Spot"):
        word = world[name.lower()]
        world[name] = word[0].upper() + word[1:]
    return world | pronouns(world["a"]) | pronouns(world["b"], "b") | pronouns(world["elder"], "e")
