"""The words a judge can recognise, and the worlds are told in: who is a she, what is a colour, where is a place."""

import re

GIRLS = tuple("Lily Mia Anna Zoe Nora Ella Ruby Ivy Maya Rosa Alma Tess Clara Hana Leila Sara Grandma Mum".split())
BOYS = tuple("Tom Ben Max Leo Sam Finn Omar Hugo Noah Eli Theo Ravi Jack Luca Oscar Milo Grandpa Dad".split())
CHILDREN = GIRLS[:-2] + BOYS[:-2]
ELDERS = ("Grandma", "Grandpa", "Mum", "Dad")
SHE, HE = frozenset(GIRLS), frozenset(BOYS)
NAMES = SHE | HE

COLOURS = tuple("red blue green yellow orange purple white black brown pink silver golden".split())
THINGS = tuple(
    "kite ball hat scarf drum boat lantern whistle umbrella key blanket bell wagon flute clock puppet feather marble "
    "teapot button".split()
)
ANIMALS = tuple("dog cat duck rabbit goat hen pony fox owl mouse hedgehog squirrel turtle donkey frog".split())
FRUITS = {"plum": "plums", "pear": "pears", "apple": "apples", "cherry": "cherries", "fig": "figs", "peach": "peaches"}
BAKES = {"bun": "buns", "muffin": "muffins", "pancake": "pancakes", "cookie": "cookies", "pie": "pies"}
FOODS = FRUITS | BAKES
PLACES = tuple("park garden beach forest market barn hill pond library school harbour meadow mill farm".split())
SPOTS = {  # the word a judge looks for, and how the spot is named
    "bench": "under the bench",
    "gate": "behind the gate",
    "oak": "under the old oak",
    "hedge": "behind the hedge",
    "rock": "beside a big rock",
    "fence": "by the fence",
    "log": "under a mossy log",
    "ditch": "in a dry ditch",
    "bush": "in a thick bush",
    "wall": "behind the stone wall",
}
PLANTS = tuple("bean sunflower pumpkin tomato tulip melon".split())
TOWNS = tuple("Dunmore Ashby Larkwood Brindle Westhaven Millford Rowan Seaton Hartley Penrose".split())
EVENTS = ("race", "concert", "picnic", "party", "fair")
DAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
NUMBERS = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty".split()
)
# everything the worlds name, kind by kind, for a vocabulary to hold whole; what begins a sentence comes last
KINDS: tuple[tuple[str, ...], ...] = (
    CHILDREN,
    ELDERS,
    COLOURS,
    (*THINGS, *(f"{thing}s" for thing in THINGS)),
    ANIMALS,
    (*FOODS, *FOODS.values()),
    PLACES,
    tuple(SPOTS),
    PLANTS,
    TOWNS,
    EVENTS,
    DAYS,
    (*NUMBERS[1:], *(number.capitalize() for number in NUMBERS[6:13])),
)
NAMED = tuple(word for kind in KINDS for word in kind)
SINGULAR = {plural: single for single, plural in FOODS.items()} | {single: single for single in FOODS}


def number(word: str) -> int | None:
    """Seven, or 7, as a number; None for any other word."""
    if word.isascii() and word.isdigit() and len(word) < 6:
        return int(word)
    return NUMBERS.index(word.lower()) if word.lower() in NUMBERS else None


def any_of(words: object) -> str:
    """A pattern for any of these words, longest first."""
    assert hasattr(words, "__iter__")
    return "(?:" + "|".join(sorted(map(re.escape, words), key=len, reverse=True)) + ")"


def article(word: str) -> str:
    """The word behind its a or an."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
