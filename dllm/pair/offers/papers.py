"""Recipes, steps, letters and dialogues in somebody's own words, each with what of it the pair can write."""

from __future__ import annotations

import re

from unmask.pair.offers.named import filled, named
from unmask.pair.worlds.templates import Form
from unmask.pair.worlds.words import FRUITS, NUMBERS

COOKS = re.compile(r"\b(?:recipe|cook|bake|make|prepare|eat)\b")
FOOD = re.compile(
    r"\b(?:recipe|cake|bread|pudding|porridge|crumble|soup|pie|pancakes?|muffins?|cookies?|waffles?|food|meal|dinner|"
    r"lunch|breakfast|dessert|tonight)\b"
)
ASKS = re.compile(r"^(?:how|what|give|show|write|i want|i need|please|can|could|tell|recipe|a recipe)\b|\brecipe\b")
HOW = re.compile(r"\bhow (?:to|do i|do you|can i|can you|do we|should i)\b|\bsteps\b|\binstructions\b")
WRITES = re.compile(r"^dear\b|\b(?:letter|e-?mail|mail|message|note|postcard|write to)\b")
TALKS = re.compile(r"\b(?:dialogue|dialog|conversation|chat between|talk between|two people)\b")
CRAFTS = (  # words of a question, and what the steps are for
    (r"snowman", "build a snowman"),
    (r"paper (?:boat|ship)|origami boat|\bship\b", "make a paper ship"),
    (r"paper star|\bstar\b", "make a {colour} paper star"),
    (r"\bmask\b|paper face", "make a {colour} paper face"),
    (r"paper dragon|\bkite\b", "fly a paper dragon"),
    (r"\b(?:hut|tree ?house|den)\b", "build a hut at the {place}"),
    (r"\brace\b", "hold a race at the {place}"),
    (r"\bjuice\b", "press juice from {fruits}"),
    (r"\bpuppet\b|\bstocking\b|\bsock\b", "make a {animal} out of a stocking"),
    (r"\bbirds?\b", "feed the birds"),
    (r"(?:send|post|mail) a letter", "send a letter"),
    (r"paint .*\bbox\b", "paint a {colour} box"),
    (r"\bbed for\b", "make a bed for a {animal}"),
    (r"\bshare\b", "share {fruits}"),
    (r"\b(?:plant|grow|seed)\b", "plant a {plant}"),
)


def recipe(text: str) -> str:
    ask = text.lower()
    if not (COOKS.search(ask) and FOOD.search(ask) and ASKS.search(ask)):
        return ""
    roles = named(text)
    guests = next((word for word in NUMBERS[2:10] if re.search(rf"\b(?:{word}|{NUMBERS.index(word)})\b", ask)), "four")
    fruit = next((one for one, many in FRUITS.items() if many == roles.get("fruits")), "apple")
    return f"Recipe: {fruit} {roles.get('dish', 'cake')} for {guests}\n"


def steps(text: str) -> str:
    ask = text.lower()
    craft = next((made for near, made in CRAFTS if re.search(near, ask)), "") if HOW.search(ask) else ""
    roles = filled(named(text))
    return f"Steps: how to {Form(craft, held_out=False).fill(roles)} with {roles['a']}\n" if craft else ""


def letter(text: str) -> str:
    ask = text.lower()
    if not WRITES.search(ask):
        return ""
    roles = filled(named(text))
    return f"Letter: {roles['a']} writes to {roles['elder']}\nDear {roles['elder']},\n"


def dialogue(text: str) -> str:
    if not TALKS.search(text.lower()):
        return ""
    roles = filled(named(text, fable=True))
    lost = f"I cannot find my {roles['colour']} {roles['thing']} anywhere!"
    return f"Dialogue: {roles['a']} and {roles['b']}\n{roles['a']}: {lost}\n"
