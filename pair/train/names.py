"""The names in training texts: unseen names, which teach the model to copy a name of several pieces, and a few common
ones for friends, which it can invent.

With two hundred friends' names none was ever likely: the model repeated the name in the prompt, and Lily went out with
Lily. So most people whom the prompt does not name have one of a few names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from unmask.pair.worlds.words import CHILDREN, HEROES, NAMED, NEW_CHILDREN, SHE, SHE_ANIMALS, THINGS

FIRST, LATER = "jar lantern drum".split(), "kite crown bell".split()
THING = re.compile(rf"\b({'|'.join(THINGS)})(s?)\b")
VOWEL = re.compile(rf"\ban ({'|'.join(THINGS)})", re.IGNORECASE)  # what another thing would make wrong


def furnished(text: str, prompt: str, rng: Random) -> tuple[str, str]:
    """A text with usual things, and its prompt, which has none of those that are replaced."""
    if VOWEL.search(text):
        return text, prompt
    things = dict.fromkeys(found[1] for found in THING.finditer(text))
    there, request = {*things}, {found[1] for found in THING.finditer(prompt)}
    names: dict[str, str] = {}
    for at, old in enumerate(things):
        new = None if old in request else usual(LATER if at else FIRST, there, rng)
        if new:
            names[old] = new
            there.add(new)

    def other(found: re.Match[str]) -> str:
        return names.get(found[1], found[1]) + found[2]

    return THING.sub(other, text), prompt


# sounds of many languages, so that nearly every short piece of the vocabulary comes up: pieces that training has never
# seen inside a name cannot be copied
ONSETS = "B Bl Br C Ch Cl Cr D Dr F Fl Fr G Gl Gr Gw H J K Kl Kr L M N O P Pr Qu R S Sh Sk St Sv T Th Tr V W Wr Y Z"
VOWELS = "a a a e e e i i o o u y ai au ee ei ia ie io oo"
BETWEEN = "b bb c ck d dr f ff g gg k l l l ld lf ll lm lv m mb mm n n n nd ng nk nn p r r r rb rd rg rl rm rn rr rt"
BETWEEN += " rv s sh sk sp ss st t t th tt v vr w x z"
CODAS = "d f g h k l l ld lf ll m n n n nd nn ns r r rd rn rt s s sk ss st t th tt x"

# those whom nobody asked for: three for who comes first in a text, three for who comes later, the first oftenest. With
# one list for both, Olga met Olga
GIRLS, BOYS = "Olga Nora Maya Flora Petra Rita".split(), "Mario Milo Miguel Matteo Oscar Simon".split()
SHE_FRIENDS, HE_FRIENDS = "Hen Cat Swan Mouse Otter Duck".split(), "Badger Wolf Hedgehog Dog Frog Crow".split()
OFTEN = (6, 3, 2)
CHILD = re.compile(rf"\b({'|'.join(CHILDREN)})\b")


def invented(rng: Random) -> str:
    """A name of two or three syllables that no world has, and that is not kept for examination."""
    while True:
        sounds = [rng.choice(ONSETS.split()), rng.choice(VOWELS.split())]
        for _ in range(rng.choice((1, 1, 2))):
            sounds += [rng.choice(BETWEEN.split()), rng.choice(VOWELS.split())]
        name = "".join(sounds) + rng.choice(("", "", rng.choice(CODAS.split())))
        name = name[1:].capitalize() if rng.random() < 0.2 else name  # one that begins with a vowel, or another sound
        if 3 <= len(name) <= 10 and name not in NAMED and name not in NEW_CHILDREN:
            return name


def renamed(text: str, prompt: str, rng: Random) -> tuple[str, str]:
    """A text and its prompt with new names for the children in the prompt, the same in both.

    A child that the prompt does not name keeps its name: new names are to be copied, not to be thought of."""
    given = {*CHILD.findall(prompt)}
    names: dict[str, str] = {}

    def other(found: re.Match[str]) -> str:
        old = found[0]
        if old not in given:
            return old
        while old not in names:
            new = invented(rng)
            if new not in names.values():
                names[old] = new
        return names[old]

    assert text.startswith(prompt)
    return CHILD.sub(other, text), CHILD.sub(other, prompt)


PERSON = re.compile(rf"\b({'|'.join((*CHILDREN, *HEROES))})\b")


def befriended(text: str, prompt: str, rng: Random) -> tuple[str, str]:
    """A text and its prompt, where children and animals that nobody asked for have the names of friends."""
    request = " ".join(re.findall(r"User: (.*)", text)) or prompt  # what a helper has told, it has thought of
    there = {word.capitalize() for word in re.findall(r"[A-Za-z]+", text)}
    names: dict[str, str] = {}
    for at, old in enumerate(dict.fromkeys(PERSON.findall(text))):
        if re.search(rf"\b{old}\b", request, re.IGNORECASE):
            continue
        friends = alike(old)
        new = usual(friends[3:] if at else friends[:3], there, rng)
        if new:
            names[old] = new
            there.add(new)

    def other(found: re.Match[str]) -> str:
        return names.get(found[0], found[0])

    return PERSON.sub(other, text), PERSON.sub(other, prompt)


def usual(some: Sequence[str], there: set[str], rng: Random) -> str | None:
    """One of three, the first oftenest, that is not there already: where the likeliest is, it is never another."""
    free = [one for one in some if one not in there]
    return rng.choices(free, OFTEN[: len(free)])[0] if free else None


def alike(name: str) -> list[str]:
    """The friends who may have the place of this child or animal."""
    if name in HEROES:
        return SHE_FRIENDS if name in SHE_ANIMALS else HE_FRIENDS
    return GIRLS if name in SHE else BOYS


def among_friends(text: str, prompt: str, rng: Random) -> tuple[str, str]:
    """The same, where the first whom the prompt names is one of the friends: who is thought of then is somebody else.

    One prompt in thirty names the likeliest friend of an animal, and Mouse met Mouse."""
    first = PERSON.search(prompt)
    if not first:
        return text, prompt
    new = rng.choice(alike(first[0]))
    if re.search(rf"\b{new}\b", text, re.IGNORECASE):
        return text, prompt

    def other(found: re.Match[str]) -> str:
        return new if found[0] == first[0] else found[0]

    return PERSON.sub(other, text), PERSON.sub(other, prompt)
