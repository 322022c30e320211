"""Wishes for a story: who and what it is to be about, and a story in which they are."""

import re
from functools import cache
from random import Random

from unmask.pair.worlds.chat.asking import chosen, rough
from unmask.pair.worlds.chat.talk import ABOUT, REQUESTS
from unmask.pair.worlds.grammar import Plot
from unmask.pair.worlds.kinds import TAG_OF, WORDS_OF
from unmask.pair.worlds.scene import scene
from unmask.pair.worlds.story import GRAMMAR
from unmask.pair.worlds.words import HEROES, article

_NAMES = frozenset(WORDS_OF["name"])
_HERO = {hero.lower(): hero for hero in HEROES}
_TOPICS = frozenset("name elder colour thing things animal place fruits bakes plant job skill number".split())
_KIND = {word: kind for kind, many in WORDS_OF.items() if kind in _TOPICS for word in many}


def story_request(rng: Random, new: bool) -> tuple[str, list[str], dict[str, str]]:
    """An ask, the sentences of a story that grants it, and who and what is in that."""
    while True:
        about, _, families = rng.choice(ABOUT).partition("|")
        line = rng.choice(REQUESTS)
        if rng.random() < 0.12:
            about, families = "", ""
        if "<about>" in line and not about.startswith("about"):
            continue
        world = scene(rng, new and rng.random() < 0.15, peopled=0.6)
        spoken = world | {role: article(world[role].lower()) if world[role] in HEROES else world[role] for role in "ab"}
        phrase = articled(about.format_map(spoken))
        ask = re.sub(r" ?<\w+>", f" {phrase}" if phrase else "", chosen(line, rng)).strip()
        story = granted(about, families, world, rng, new)
        if story:
            return rough(ask + rng.choice(("", ".", "!", ".")), rng), story, world


def articled(phrase: str) -> str:
    return re.sub(r"\ba (?=[aeiou])", "an ", phrase)


@cache
def fitting(about: str, families: str) -> tuple[Plot, ...]:
    """The plots of these families, or of all, that may speak of everybody and everything in this phrase."""
    needed = frozenset(re.findall(r"\{(\w+)\}", about))
    plots = [plot for name in families.split() or GRAMMAR.families for plot in GRAMMAR.families[name]]
    return tuple(plot for plot in plots if not plot.held_out and needed <= slots(plot))


def slots(plot: Plot) -> set[str]:
    every = (form.text for beat in plot.beats for forms in beat.trained for form in forms)
    return {slot.lower() for text in every for slot in re.findall(r"\{(\w+)\}", text)}


def granted(about: str, families: str, world: dict[str, str], rng: Random, new: bool) -> list[str]:
    """A story with every word of the phrase that has a kind; none if it took too long to find one."""
    wanted = words(about.format_map(world))
    for _ in range(6):
        plot = rng.choice(fitting(about, families))
        story = GRAMMAR.tell(plot, world, rng, new and rng.random() < 0.3)
        if mentions(" ".join(story), wanted):
            return story
    return []


def words(ask: str) -> list[str]:
    """The words of an ask that a story about them must say, each in one of the ways it may be said."""
    found = []
    for word in re.findall(r"[A-Za-z]+", ask):
        if word.lower() in _KIND or word in TAG_OF:
            found.append(word)
        elif word.capitalize() in _NAMES and len(word) > 2:
            found.append(word.capitalize())
    return found


def mentions(text: str, wanted: list[str]) -> bool:
    """Whether each of these words is in the text; an animal may be somebody there, a Fox."""
    there = set(re.findall(r"[A-Za-z]+", text))
    return all(word in there or _HERO.get(word) in there or word.lower() in there for word in wanted)
