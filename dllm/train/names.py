"""Names that nobody has met: so that a name spelled in several pieces is learned to be copied, as people's own are."""

import re
from random import Random

from dllm.worlds.words import CHILDREN, NAMED, NEW_CHILDREN

# sounds of many languages, so that nearly every short piece of the vocabulary comes up: pieces that training has never
# seen inside a name cannot be copied
ONSETS = "B Bl Br C Ch Cl Cr D Dr F Fl Fr G Gl Gr Gw H J K Kl Kr L M N O P Pr Qu R S Sh Sk St Sv T Th Tr V W Wr Y Z"
VOWELS = "a a a e e e i i o o u y ai au ee ei ia ie io oo"
BETWEEN = "b bb c ck d dr f ff g gg k l l l ld lf ll lm lv m mb mm n n n nd ng nk nn p r r r rb rd rg rl rm rn rr rt"
BETWEEN += " rv s sh sk sp ss st t t th tt v vr w x z"
CODAS = "d f g h k l l ld lf ll m n n n nd nn ns r r rd rn rt s s sk ss st t th tt x"
SHARE = 0.35  # of documents whose children are renamed

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
