"""Which things a training text has that nobody asked for: usual ones, the first and a later one of two lists.

With one likeliest thing for both, somebody carried a jar, and somebody else a jar."""

import re
from random import Random

from unmask.pair.train.names import usual
from unmask.pair.worlds.words import THINGS

FIRST, LATER = "jar lantern drum".split(), "kite crown bell".split()

THING = re.compile(rf"\b({'|'.join(THINGS)})(s?)\b")
VOWEL = re.compile(rf"\ban ({'|'.join(THINGS)})", re.IGNORECASE)  # what another thing would make wrong


def furnished(text: str, prompt: str, rng: Random) -> tuple[str, str]:
    """A text with usual things, and its prompt, which has none of those that are replaced."""
    if VOWEL.search(text):
        return text, prompt
    things = dict.fromkeys(found[1] for found in THING.finditer(text))
    there, wish = {*things}, {found[1] for found in THING.finditer(prompt)}
    names: dict[str, str] = {}
    for at, old in enumerate(things):
        new = None if old in wish else usual(LATER if at else FIRST, there, rng)
        if new:
            names[old] = new
            there.add(new)

    def other(found: re.Match[str]) -> str:
        return names.get(found[1], found[1]) + found[2]

    return THING.sub(other, text), prompt
