"""The asking side of a talk: choices expanded, and written as people write, with typos and without capitals."""

import re
from functools import cache
from itertools import product
from random import Random

KEYS = frozenset("story tale tell about times minus less plus".split())  # what is asked for would be lost
CHOICE = re.compile(r"\[([^\]]*)\]")


def chosen(text: str, rng: Random) -> str:
    """One way through the choices of a line."""
    return CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)


@cache
def every(text: str) -> tuple[str, ...]:
    """Every way through the choices of a line."""
    pieces = re.split(r"(\[[^\]]*\])", text)
    choices = [piece[1:-1].split("|") if piece[:1] == "[" else [piece] for piece in pieces]
    return tuple(dict.fromkeys("".join(parts) for parts in product(*choices)))


def rough(ask: str, rng: Random, typos: bool = True) -> str:
    """As it stands, in small letters, without its marks, or with a slip of the fingers."""
    kind = rng.random()
    if kind < 0.4:
        return ask
    if kind < 0.6:
        return ask.lower()
    if kind < 0.8:
        return ask.lower().rstrip(".!?")
    if kind < 0.88:
        return ask.rstrip(".!?")
    if kind < 0.92:
        return f"{ask.rstrip('.!?')} please"
    return slip(ask, rng) if typos else ask


def slip(ask: str, rng: Random) -> str:
    """A small word with two letters changed over, or one of them missing."""
    parts = re.split(r"\b([a-z]{3,5})\b", ask)
    places = [at for at in range(1, len(parts), 2) if parts[at] not in KEYS]
    if not places:
        return ask.lower()
    at = rng.choice(places)
    word, cut = parts[at], rng.randrange(len(parts[at]) - 1)
    swapped = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
    parts[at] = swapped if rng.random() < 0.6 else word[: cut + 1] + word[cut + 2 :]
    return "".join(parts)


def plain(ask: str) -> str:
    """An ask in small letters, without marks: what two ways of writing it have in common."""
    return " ".join(re.findall(r"[\w+=-]+", ask.lower()))
