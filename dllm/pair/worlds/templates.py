"""Sentences with slots: composed of clauses, filled from a scene, and known again without their words.

In a sentence `[x|y|]` is a choice, `<when>` a choice named in CLAUSES, `{thing}` a slot that the scene fills.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from zlib import crc32

from unmask.pair.worlds.kinds import KIND_OF, TAGS, bare

_ONE = tuple(
    f"One {kind}{time}"
    for kind in ("", "sunny ", "windy ", "cold ", "fine ", "rainy ", "bright ")
    for time in ("day", "morning")
)
CLAUSES = {
    "when": (
        *_ONE * 2,
        "One afternoon",
        "One evening",
        "Early one morning",
        "Late one evening",
        "After breakfast",
        "After lunch",
        "A week later",
        "Last {day}",
        "On {day}",
        "On {day}",
        "On {day} morning",
        "On {day} evening",
    ),
    # what comes oftener is the plain one: a word that carries nothing should be easy to guess
    "how": (
        *("",) * 60,
        *(f" {how}" for how in "softly slowly quietly gently kindly happily proudly calmly bravely".split()),
        *(f" {how}" for how in ("at once", "at last", "after a while", "without a smile", "once more")),
        *(f" with a {kind} {what}" for kind in ("small", "wide", "shy", "warm") for what in ("smile", "nod", "wink")),
        *(f" in a {kind} voice" for kind in ("low", "small", "clear", "warm", "bright")),
        *(f" and {what}" for what in ("smiled", "nodded", "laughed", "looked up", "waited")),
    ),
    "and": (*("",) * 25, "And ", "Then ", "And then ", "So ", "Soon "),
    "well": (*("",) * 15, "Well, ", "You know, ", "Oh, ", "Believe me, ", "Listen, "),
}
OWNERS = {"": "a", "b": "b", "e": "elder"}  # whose pronoun: {he} is of {a}, {bhe} of {b}, {ehe} of {elder}
SEXES = {"she": ("she", "her", "her"), "he": ("he", "him", "his")}
PRONOUN = re.compile(r"(b|e|)(he|him|his)$", re.I)


@dataclass(frozen=True)
class Form:
    """One sentence with its slots still open."""

    text: str
    held_out: bool  # kept for examination

    @cached_property
    def parts(self) -> tuple[tuple[str, str, bool, bool], ...]:
        """Literal text, then a slot, whether "a" stands before it, and whether it begins the sentence."""
        found: list[tuple[str, str, bool, bool]] = []
        for literal, slot in re.findall(r"([^{]*)(?:\{(\w+)\})?", self.text):
            if literal or slot:
                article = bool(slot) and re.search(r"(?:^|[^A-Za-z])[Aa] $", literal) is not None
                first = bool(slot) and not found and literal in ("", '"')
                first = first or (bool(slot) and literal.endswith(('. "', '? "', '! "')))
                found.append((literal[:-1] if article else literal, slot, article, first))
        return tuple(found)

    def fill(self, scene: Mapping[str, str]) -> str:
        text = ""
        for literal, slot, article, first in self.parts:
            text += literal
            if slot:
                word = scene[slot]
                if article:
                    text += "n " if word[0] in "aeiou" else " "
                text += word[0].upper() + word[1:] if first else word
        return text

    def shapes(self) -> list[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]]:
        """How the sentence looks with each word of a kind named by its kind alone, for each sex of those it speaks of.

        With it the slots those words fill; "=white" is no slot but a word that must stand there.
        """
        owners = {OWNERS[p[1].lower()] for slot in re.findall(r"\{(\w+)\}", self.text) if (p := PRONOUN.match(slot))}
        found = []
        for sexes in product(SEXES, repeat=len(owners)):
            sex = dict(zip(sorted(owners), sexes, strict=True))
            text, slots = "", list[str]()
            for literal, slot, article, first in self.parts:
                plain, fixed = bare(("" if not text else "\x02") + literal)
                text += plain.removeprefix("\x02") + (" " if article else "")
                slots += (f"={word}" for word in fixed)
                if slot and (p := PRONOUN.match(slot)):
                    word = SEXES[sex[OWNERS[p[1].lower()]]][("he", "him", "his").index(p[2].lower())]
                    text += word.capitalize() if first or slot[0].isupper() else word
                elif slot:
                    text += TAGS[KIND_OF[slot.lower()]]
                    slots.append(slot.lower())
            found.append((text, tuple(slots), tuple(sex.items())))
        return found


QUOTED = re.compile(r'".*" (said|asked|called|whispered|cried|sighed) (the )?\{\w+\}( to \{\w+\})?\.$')
# what somebody does at one moment, so that "then" can stand before it
ACTING = re.compile(
    r"(\{(a|b|elder)\}|\{a\} and \{b\}|[Tt]hey|The \{animal\}) (?!wanted|needed|loved|seemed|lived|looked so|learned)"
    r"(\w+ed|took|gave|ran|ate|told|held|sat|put|went|came|led|won|met|made|got|let|began|found|sang|hid|lit|dug|threw|"
    r"knelt|drank|fell|crept|saw|shook|woke|stood|brought)\b"
)


@cache
def forms(wording: str, first: bool = False) -> tuple[Form, ...]:
    """Every sentence that a wording's choices make, the likelier ones more than once."""
    if QUOTED.match(wording):
        wording = wording.removesuffix(".") + "<how>."
    elif not first and ACTING.match(wording):
        wording = "<and>" + wording.replace("They", "they", 1).replace("The {animal}", "the {animal}", 1)
    elif wording.startswith("I "):
        wording = "<well>" + wording
    pieces = re.split(r"(\[[^\]]*\]|<\w+>)", wording)
    choices: list[Sequence[str]] = [
        piece[1:-1].split("|") if piece[:1] == "[" else CLAUSES[piece[1:-1]] if piece[:1] == "<" else (piece,)
        for piece in pieces
    ]
    made = [text[0].upper() + text[1:] for chosen in product(*choices) if (text := "".join(chosen))]
    # one in sixteen of the composed sentences is never trained on; its clauses are, in other company
    rare = len(set(made)) > 3
    known = {text: Form(text, rare and crc32(text.encode()) % 16 == 0) for text in made}
    return tuple(known[text] for text in made)
