"""What a class and the gallery say is there in every language of the lessons, and nothing that nobody says."""

import re

import pytest

from dllm.lab.contest import WORLDS
from ui import gallery
from ui.canvas import ASSETS
from ui.lessons import languages, phrases

SPOKEN = re.compile(r'\bt\(\s*"((?:[^"\\]|\\.)*)"')
TITLE = re.compile(r'^  "?([\w:]+)"?: \{ title: "([^"]+)"', re.MULTILINE)
BRACES = re.compile(r"\{\w+\}")


def english() -> set[str]:
    sources = [*(ASSETS / "class").glob("*.js"), *(ASSETS / "gallery").glob("*.js")]
    found = {phrase for file in sources for phrase in SPOKEN.findall(file.read_text(encoding="utf-8"))}
    titles = dict(TITLE.findall((ASSETS / "lab" / "worlds.js").read_text(encoding="utf-8")))
    assert {*titles} == {*WORLDS}  # the game of the Lab and of a class are played on the same worlds
    cards = {text for row in gallery.WORDS.values() for text in row}
    return found | {*titles.values()} | cards


@pytest.mark.parametrize("language", [one for one in languages() if one != "en"])
def test_another_language_has_each_phrase_with_the_same_braces(language: str) -> None:
    there = phrases(language)
    assert there.keys() == english()
    for phrase, translated in there.items():
        assert translated and sorted(BRACES.findall(phrase)) == sorted(BRACES.findall(translated)), phrase
