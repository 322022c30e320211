"""Of what kind a word is, and how a sentence looks once only the kinds of its words are left."""

import re
from functools import lru_cache

from unmask.pair.worlds import words

# slot → the kind of word that fills it
KIND_OF = {
    "a": "name", "b": "name", "elder": "elder", "colour": "colour", "tint": "colour", "thing": "thing",
    "other": "thing", "things": "things", "animal": "animal", "place": "place", "spot": "spot", "fruits": "fruits",
    "fruit": "fruit", "bakes": "bakes", "plant": "plant", "job": "job", "skill": "skill", "day": "day",
    "many": "number", "some": "number", "few": "number", "rest": "number", "last": "number", "more": "number",
    "hour": "number", "count": "number", "price": "number", "total": "number", "dish": "dish", "liquid": "liquid",
    "sweet": "sweet", "guests": "number", "flour": "digits", "wet": "digits", "eggs": "digits", "spoons": "digits",
    "pieces": "digits", "minutes": "digits", "days": "digits", "town": "town", "event": "event", "age": "digits",
    "coins": "digits", "amount": "digits", "clock": "digits",
}  # fmt: skip
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
                before = [parts[begin].lower() if begin == 1 else parts[begin], *parts[begin + 2 : at + 1 : 2]]
                if begin > 0 and before == spot:
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
