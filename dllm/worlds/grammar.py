"""Plots as beats, and beats as sentences composed of clauses: the same grammar writes a text and reads it back.

A text of plots is made of lines:
    = name: part + part|other part + part     plots, one for every way through
    ## part                                   what follows are its beats, in order
    a sentence / another wording of it        a beat; `?` in front: it may be left out
In a sentence `[x|y|]` is a choice, `<when>` a choice named in CLAUSES, `{thing}` a slot that the scene fills.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import product
from random import Random
from zlib import crc32

from dllm.worlds import words

_ONE = tuple(f"One {kind}{time}" for kind in ("", "sunny ", "windy ", "cold ", "fine ") for time in ("day", "morning"))
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
        *(f" {how}" for how in "softly slowly quietly gently kindly happily proudly".split()),
        *(f" {how}" for how in ("at once", "at last", "after a while", "without a smile", "once more")),
        *(f" with a {kind} {what}" for kind in ("small", "wide", "shy", "warm") for what in ("smile", "nod", "wink")),
        *(f" in a {kind} voice" for kind in ("low", "small", "clear", "warm", "bright")),
        *(f" and {what}" for what in ("smiled", "nodded", "laughed", "looked up", "waited")),
    ),
    "and": (*("",) * 25, "And ", "Then ", "And then ", "So ", "Soon "),
    "well": (*("",) * 15, "Well, ", "You know, ", "Oh, ", "Believe me, ", "Listen, "),
}
# slot → the kind of word that fills it
KIND_OF = dict(
    a="name", b="name", elder="elder", colour="colour", tint="colour", thing="thing", other="thing", things="things",
    animal="animal", place="place", spot="spot", fruits="fruits", fruit="fruit", bakes="bakes", plant="plant",
    job="job", skill="skill", day="day", many="number", some="number", few="number", rest="number", last="number",
    more="number", hour="number", count="number", price="number", total="number", dish="dish", liquid="liquid",
    sweet="sweet", guests="number", flour="digits", wet="digits", eggs="digits", spoons="digits", pieces="digits",
    minutes="digits", days="digits", town="town", event="event", age="digits", coins="digits", amount="digits",
    clock="digits", close="close",
)  # fmt: skip
OWNERS = {"": "a", "b": "b", "e": "elder"}  # whose pronoun: {he} is of {a}, {bhe} of {b}, {ehe} of {elder}
SEXES = {"she": ("she", "her", "her"), "he": ("he", "him", "his")}
PRONOUN = re.compile(r"(b|e|)(he|him|his)$", re.I)
WORDS_OF: dict[str, tuple[str, ...]] = {
    "name": (*words.CHILDREN, *words.NEW_CHILDREN, *words.HEROES),
    "elder": words.ELDERS,
    "colour": words.COLOURS,
    "thing": words.THINGS,
    "things": tuple(map(words.plural, words.THINGS)),
    "animal": words.ANIMALS,
    "place": words.PLACES,
    "spot": tuple(words.SPOTS.values()),
    "fruits": tuple(words.FRUITS.values()),
    "fruit": tuple(words.FRUITS),
    "bakes": tuple(words.BAKES.values()),
    "plant": words.PLANTS,
    "job": words.JOBS,
    "skill": words.SKILLS,
    "day": words.DAYS,
    "number": words.NUMBERS[2:],
    "dish": words.DISHES,
    "liquid": words.LIQUIDS,
    "sweet": words.SWEETS,
    "town": words.TOWNS,
    "event": words.EVENTS,
}
TAGS = {kind: f"\x01{chr(0x41 + at)}" for at, kind in enumerate((*WORDS_OF, "digits"))}
TAG_OF = {word: TAGS[kind] for kind, many in WORDS_OF.items() for word in many}
_SPOT_OF = {noun: spot.split() for noun, spot in words.SPOTS.items()}
_WORD = re.compile(r"([A-Za-z]+|\d+)")


@lru_cache(65536)
def bare(sentence: str) -> tuple[str, tuple[str, ...]]:
    """A sentence with every word of a kind replaced by the name of the kind, and those words in their order."""
    parts = _WORD.split(sentence)
    found: list[str] = []
    for at in range(1, len(parts), 2):
        word = parts[at]
        tag = TAG_OF.get(word)
        if tag is None:
            if spot := _SPOT_OF.get(word):
                begin = at - 2 * len(spot) + 2
                if begin > 0 and [parts[begin].lower() if begin == 1 else parts[begin], *parts[begin + 2 : at + 1 : 2]] == spot:
                    parts[begin : at + 1] = [""] * (2 * len(spot) - 2) + [TAGS["spot"]]
                    found.append(" ".join(spot))
            elif at == 1 and word[0].isupper() and (small := word.lower()) in TAG_OF:
                parts[at] = TAG_OF[small]  # a capital is right only where a sentence begins
                found.append(small)
            elif len(word) < 6 and word[0] in "0123456789":
                parts[at] = TAGS["digits"]
                found.append(word)
            continue
        if parts[at - 1] == " " and (article := parts[at - 2].lower()) in ("a", "an"):
            right = "an" if word[0] in "aeiou" else "a"
            parts[at - 2] = parts[at - 2][0] if article == right else "?"
        parts[at] = tag
        found.append(word)
    return "".join(parts), tuple(found)


@dataclass(frozen=True)
class Form:
    """One sentence with its slots still open."""

    text: str
    held: bool  # kept for examination

    @cached_property
    def parts(self) -> tuple[tuple[str, str, bool, bool], ...]:
        """Literal text, then a slot, whether "a" stands before it, and whether it begins the sentence."""
        found = []
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

    def keys(self) -> list[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]]:
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


@dataclass(frozen=True)
class Beat:
    """One thing that happens, and the ways to tell it."""

    name: tuple[str, int]
    optional: bool
    wordings: tuple[tuple[Form, ...], ...]

    @cached_property
    def trained(self) -> tuple[tuple[Form, ...], ...]:
        """The ways to tell it of which documents to train on are made."""
        kept = (tuple(form for form in forms if not form.held) for forms in self.wordings)
        return tuple(forms for forms in kept if forms)

    @cached_property
    def held(self) -> tuple[Form, ...]:
        return tuple(form for forms in self.wordings for form in forms if form.held)


@dataclass(frozen=True)
class Reading:
    """What a sentence can be: a beat, the slots its words fill, and the sexes its pronouns ask for."""

    beat: tuple[str, int]
    slots: tuple[str, ...]
    sexes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Plot:
    """A way through the parts."""

    name: str
    beats: tuple[Beat, ...]
    held: bool = field(default=False)  # no training document tells it

    @cached_property
    def places(self) -> dict[tuple[str, int], int]:
        return {beat.name: at for at, beat in enumerate(self.beats)}


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


class Grammar:
    """The plots of one kind of text."""

    def __init__(self, text: str, keep: int = 12) -> None:
        """One plot in `keep` is for examination, if it is made of parts that others use too."""
        self._parts: dict[str, tuple[Beat, ...]] = {}
        ways: list[tuple[str, list[list[str]]]] = []
        name = ""
        for line in filter(None, map(str.strip, text.split("\n"))):
            if line.startswith("= "):
                family, _, path = line[2:].partition(": ")
                ways.append((family, [step.strip().split("|") for step in path.split(" + ")]))
            elif line.startswith("## "):
                name = line[3:]
                self._parts[name] = ()
            else:
                beats = self._parts[name]
                told = tuple(forms(wording, not beats) for wording in line.removeprefix("? ").split(" / "))
                self._parts[name] = (*beats, Beat((name, len(beats)), line.startswith("? "), told))
        self.plots: dict[str, Plot] = {}
        self.families: dict[str, list[Plot]] = {}
        for family, path in ways:
            for parts in product(*path):
                plot = f"{family}: {', '.join(parts[1:] or parts)}"
                beats = tuple(beat for part in parts for beat in self._parts[part])
                held = len(list(product(*path))) > 2 and crc32(plot.encode()) % keep == 0
                self.plots[plot] = Plot(plot, beats, held)
                self.families.setdefault(family, []).append(self.plots[plot])
        self._trained = [
            kept for plots in self.families.values() if (kept := [plot for plot in plots if not plot.held])
        ]
        self._held = [plot for plot in self.plots.values() if plot.held]

    @cached_property
    def index(self) -> dict[str, list[Reading]]:
        """Sentence without its words → what it can be."""
        found: dict[str, list[Reading]] = {}
        for beats in self._parts.values():
            for beat in beats:
                for form in dict.fromkeys(form for wording in beat.wordings for form in wording):
                    for key, slots, sexes in form.keys():
                        reading = Reading(beat.name, slots, sexes)
                        known = found.setdefault(key, [])
                        if reading not in known:
                            known.append(reading)
        return found

    @cached_property
    def telling(self) -> dict[tuple[str, int], frozenset[str]]:
        """Beat → the plots it belongs to."""
        found: dict[tuple[str, int], set[str]] = {}
        for plot in self.plots.values():
            for beat in plot.beats:
                found.setdefault(beat.name, set()).add(plot.name)
        return {beat: frozenset(plots) for beat, plots in found.items()}

    def draw(self, rng: Random, new: bool = False) -> Plot:
        """A plot: first its family, so that none is told oftener for having more ways; a `new` one if asked."""
        if new and self._held:
            return rng.choice(self._held)
        return rng.choice(rng.choice(self._trained))

    def tell(self, plot: Plot, scene: Mapping[str, str], rng: Random, new: bool = False) -> list[str]:
        """One sentence a beat; with `new` wordings, first of all in the first."""
        told = []
        for at, beat in enumerate(plot.beats):
            if beat.optional and rng.random() < 0.5:
                continue
            if new and beat.held and (at == 0 or rng.random() < 0.2):
                form = rng.choice(beat.held)
            else:
                form = rng.choice(rng.choice(beat.trained))
            told.append(form.fill(scene))
        return told

    def forms(self) -> list[Form]:
        """Every sentence it can say, once."""
        every = (form for beats in self._parts.values() for beat in beats for told in beat.wordings for form in told)
        return list(dict.fromkeys(every))
