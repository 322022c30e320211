"""Names that nobody has met: so that a name spelled in several pieces is learned to be copied, as people's own are."""

import re
from random import Random

from dllm.worlds.words import CHILDREN, NAMED, NEW_CHILDREN

STARTS = "A Be Bri Ca Chlo Da De E Fe Fi Ga Gre Ha He I Ja Jo Ka Ke Li Lo Ma Me Mi Na Ni O Pa Pe Ra Ro Sa Se So Ta Te"
STARTS += " Ti U Va Vi Wa We Yo Za Zo"
MIDDLES = "ba be da do fi ga gi la le li lo ma mi mo na ni no ra ri ro sa si ta te ti va vi za"
ENDS = (
    "a an ara bel by cas dra e el en er ette ia ian id ika in ina is ka la las len lia lin lo ly mas mira my na nah ne"
)
ENDS += " ni nor o on ra ram rin ron ry s sa sha son ta than ton us vin y ya yn zo"
SHARE = 0.35  # of documents whose children are renamed

CHILD = re.compile(rf"\b({'|'.join(CHILDREN)})\b")


def invented(rng: Random) -> str:
    """A name of two to four syllables that no world has, and that is not kept for examination."""
    while True:
        parts = [rng.choice(STARTS.split()), rng.choice(ENDS.split())]
        if rng.random() < 0.4:
            parts.insert(1, rng.choice(MIDDLES.split()))
        name = "".join(parts)
        if 3 <= len(name) <= 10 and name not in NAMED and name not in NEW_CHILDREN:
            return name


def renamed(text: str, prompt: str, rng: Random) -> tuple[str, str]:
    """A text and its prompt with new names for its children, the same in both."""
    names: dict[str, str] = {}

    def other(found: re.Match[str]) -> str:
        old = found[0]
        while old not in names:
            new = invented(rng)
            if new not in names.values():
                names[old] = new
        return names[old]

    assert text.startswith(prompt)
    return CHILD.sub(other, text), CHILD.sub(other, prompt)
