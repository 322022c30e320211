"""A first sentence that the pair writes well, with whom and what somebody's own words are about."""

from __future__ import annotations

import re
from collections.abc import Mapping

from unmask.pair.offers.named import filled, named
from unmask.pair.worlds.templates import Form
from unmask.pair.worlds.words import HEROES

# words that call for a plot, and its first sentence
PLOTS = (
    (r"hav\w*|had|has|lost|los\w+|broke\w*|own\w*|favou?rite", "{a} had a {colour} {thing}."),
    (r"friends?|friendship|meets?|met|share\w*", "{a} and {b} met in the middle of a narrow plank."),
    (r"snow\w*|winter|white world", "It snowed all night, and in the morning {a} could not find the path."),
    (r"rac(?:e|es|ing)|fastest|runs?|ran|running", "One day {a} and {b} ran a race to the {place}."),
    (r"treasures?|maps?|pirates?|adventures?|island", "In an old box {a} found a map of the {place}."),
    (r"stars?|wish\w*|sky|astronauts?|space\w*|planets?|moon|night", "One clear night {a} sat at the window."),
    (
        r"dream\w*|fly|flying|flies|magic\w*|dragons?|unicorns?|wizards?|witch\w*|fairy|fairies",
        "{a} had a strange dream.",
    ),
    (r"ghosts?|scary|haunted|midnight|noises?|horror", "In the middle of the night {a} woke up."),
    (
        r"rain\w*|storms?|stormy|thunder\w*|lightning",
        "One day {a} and {b} were playing with a {colour} {thing} at the {place}.",
    ),
    (r"sleep\w*|awake|tired|bed", "It was late, and {a} could not sleep."),
    (r"afraid|scared|fears?|monsters?|dark|brave", "{a} was afraid of the dark."),
    (r"hide|hid|hiding|seek", "One day {a} and {b} played hide and seek at the {place}."),
    (r"seeds?|plants?|planted|grow\w*|flowers?|trees?|spring", "In spring {elder} gave {a} a tiny {plant} seed."),
    (r"learn\w*|swim\w*|skat\w*|ski\w*|juggl\w*|school", "{a} could not {skill}."),
    (r"build|built|house|hut|treehouse", "One day {a} and {b} went to the {place} to build a hut."),
    (r"birthday|presents?|gifts?|christmas|love", "It was the birthday of {elder}, and {a} had no present yet."),
    (r"bak\w*|cakes?|cook\w*|kitchen|bread", "One day {a} baked {many} {bakes}."),
    (r"pick\w*|fruits?|harvest|autumn", "One day {a} picked {many} {fruits} at the {place}."),
    (r"sell\w*|sold|shop|market", "{a} had {many} {fruits} to sell."),
    (r"coins?|money|sav\w*|rich|poor", "{a} had saved {many} coins."),
    (r"visit\w*|journey|travel\w*|far away", "One day {a} set out to visit {elder}."),
    (r"sick|ill|fever|doctor", "{b} was ill and had to stay in bed."),
    (r"quarrel\w*|fight|argue\w*|both|two|friends?", "One day {a} and {b} found a {colour} {thing} at the {place}."),
    (r"picnic", "{a} and {b} went to the {place} with {many} {bakes}."),
    (r"work\w*|jobs?", "The {job} had too much to do."),
    (r"pets?|follow\w*|home|found|finds", "One day a {animal} followed {a} home from the {place}."),
    (r"sleep\w*|asleep|secrets?|hid|hidden|shy", "One day {a} found a {animal} at the {place}, among the ferns."),
    (
        r"bab(?:y|ies)|famil(?:y|ies)|young|chicks?|mothers?",
        "Behind the hedge, at the {place}, {a} saw a {animal} with its little ones.",
    ),
    (r"lost in|lost (?:his|her|the|their) way|astray", "{a} walked too far and lost the way."),
)
STORY = re.compile(
    r"\b(?:story|stories|tale|fairytale|fable|bedtime|poem|once upon a time|(?:tell|write)(?: me| us)?"
    r"(?: something)? about)\b"
)
# several words, and none of the signs of a question, a sum or code
SENTENCE = re.compile(r"^[\"“]?[^\W\d_][^?:;=+*/<>{}()\[\]_#@|\\]*$")
REQUEST = re.compile(
    r"^(?:what|who|whose|whom|which|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|shall|"
    r"may|have|has|dear|please|hello|hi|hey|write|tell|give|make|show|list|explain|describe|translate|summari[sz]e|"
    r"solve|compute|calculate|compare|define|name|find|help|create|generate|ignore|continue|complete|act|let|add|"
    r"subtract|sort|repeat|reverse|copy|replace|rewrite|fix|correct|count|spell|rhyme|words?|text|import|python|java\w*|"
    r"i want|i need)\b",
    re.I,
)
KNOWN = 1.0  # what a word that the story says is worth, beside a word that calls for a plot
CALLED = 1.5
MATTERS = 1.0  # and more if it is what the story is about, not one more person in it


def tells(text: str) -> bool:
    """Whether somebody asks for a story, or begins one."""
    if STORY.search(text.lower()):
        return True
    return len(text.split()) >= 3 and bool(SENTENCE.match(text)) and not REQUEST.match(text)


def opening(text: str) -> str:
    """The first sentence of a story; empty where nothing is told and none is asked for."""
    title, colon, rest = text.partition(": ")
    beginning = rest if colon and title.isalpha() and not REQUEST.match(title) else text
    if not tells(beginning) and not tells(text):
        return ""
    roles = named(beginning, fable=True)
    sentence = Form(plot(beginning, roles), held_out=False).fill(filled(roles))
    return f"Story: {sentence}"


def plot(text: str, roles: Mapping[str, str]) -> str:
    """The first sentence, with its blanks, that says most of what is asked for; a fable is about two."""
    fable = roles.get("a") in HEROES
    able = [(near, first) for near, first in PLOTS if not fable or ("{a}" in first and "{b}" in first)]

    def worth(near: str, first: str) -> float:
        says = roles.keys() & set(re.findall(r"\{(\w+)\}", first))
        called = len(set(re.findall(rf"\b(?:{near})\b", text.lower())))
        return KNOWN * len(says) + CALLED * called + MATTERS * len(says & {"thing", "animal"})

    return max(able, key=lambda one: worth(*one))[1]
