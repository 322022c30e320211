"""What is said around a run is there in every language of the lessons, and nothing that nobody says."""

import json
import re

import pytest

from unmask.features.classroom.contest import WORLDS
from unmask.paths import ASSETS
from unmask.ui import gallery
from unmask.ui.decoders import decoders, dial
from unmask.ui.lessons import languages, phrases
from unmask.ui.page import page

FOLDERS = ("ask", "cells", "class", "clock", "gallery", "lessons", "looks", "stage", "steer", "takeaway", "views")
SPOKEN = re.compile(r'\b(?:t|phrase)\(\s*"((?:[^"\\]|\\.)*)"')
TITLE = re.compile(r'^  "?([\w:]+)"?: \{ title: "([^"]+)"', re.MULTILINE)
BRACES = re.compile(r"\{\w+\}")


TABLES = {  # of words that are looked up by what stands in a table
    "clock/figures.js": r'"source": "([^"]+)"',
    "stage/playhead.js": r'\{ name: "([^"]+)", axis',
    "stage/meters.js": r'^ +(?:\{ )?name: "([^"]+)"',
    "stage/side.js": r'\w+: "(drafted [^"]+)"',
    "stage/captions_on_paper.js": r'^  \w+: "([^"]+)"',
    "views/map.js": r'(?:text: |says: |AID = |scale: \[|(?<=", )(?="[^"]+"\]))"([^"]+)"',
    "views/comparison.js": r'label: "([^"]+)"',
    "steer/steerbar.js": r'\b(?:text|title): "([^"]+)"',
}
LISTS = re.compile(r"^const (?:NAMES|WAYS) = (\[.+?\]);", re.MULTILINE)


def tables() -> set[str]:
    lists = LISTS.findall((ASSETS / "stage/side.js").read_text(encoding="utf-8"))
    found = {
        "another branch of the same run",
        "the same model, another decoder",
        *(phrase for one in lists for phrase in json.loads(one)),
    }
    for file, pattern in TABLES.items():
        rows = re.findall(pattern, (ASSETS / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert rows, file
        found |= {*rows}
    return found


def forms() -> set[str]:
    """What Python writes on the page: labels and explanations of the controls, and the decoders."""
    found = {"Watch a language model write everywhere at once, and take part."}
    for part in page().config["components"]:
        props = part["props"]
        knob = props.get("info") if re.fullmatch(r"[a-z_]+", props.get("info") or "") else None  # the name of a setting
        texts = [props.get("label"), props.get("info"), props.get("placeholder")]
        found |= {text for text in texts if text and text != knob}
        found |= {props["value"]} if part["type"] == "button" else set()
    for group in decoders():
        found |= {group["name"], group["says"], *(item[key] for item in group["items"] for key in ("plain", "says"))}
    return found


def english() -> set[str]:
    sources = [file for folder in FOLDERS for file in (ASSETS / folder).glob("*.js")]
    found = {phrase for file in sources for phrase in SPOKEN.findall(file.read_text(encoding="utf-8"))}
    titles = dict(TITLE.findall((ASSETS / "lab" / "worlds.js").read_text(encoding="utf-8")))
    assert {*titles} == {*WORLDS}  # the game of the Lab and of a class are played on the same worlds
    cards = {text for row in gallery.WORDS.values() for text in row}
    return found | {*titles.values()} | cards | tables() | forms() | {word for word, _ in dial()}


@pytest.mark.parametrize("language", [one for one in languages() if one != "en"])
def test_another_language_has_each_phrase_with_the_same_braces(language: str) -> None:
    there = phrases(language)
    assert there.keys() == english()
    for phrase, translated in there.items():
        assert translated and sorted(BRACES.findall(phrase)) == sorted(BRACES.findall(translated)), phrase
