"""What is said around a run is there in every language of the lessons, and nothing that nobody says."""

import json
import re
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from unmask.models.bundled import KNOWS, NOTES
from unmask.paths import ASSETS, FEATURES
from unmask.run.check import check_names, get_check
from unmask.run.presets import presets
from unmask.run.settings import Settings
from unmask.serve.features import NAMES
from unmask.ui import gallery
from unmask.ui.decoders import decoders, dial
from unmask.ui.examples import examples
from unmask.ui.lessons import languages, phrases
from unmask.ui.page import page
from unmask.ui.panels import shape
from unmask.ui.rule import WHEN

CORE = [folder for folder in ASSETS.iterdir() if folder.is_dir() and folder.name not in ("vendor", "wire")]
FOLDERS = [*CORE, *(FEATURES / name for name in NAMES)]
SPOKEN = re.compile(r'\b(?:t|phrase)\(\s*"((?:[^"\\]|\\.)*)"')
TITLE = re.compile(r'^  "?[\w:]+"?: \{ title: "([^"]+)"', re.MULTILINE)
WORDED = re.compile(r"[A-Z][a-z]+(?: [a-z]+)+|Autoregressive")  # not a name from a paper
BRACES = re.compile(r"\{\w+\}")


TABLES = {  # of words that are looked up by what stands in a table
    "clock/figures.js": r'"source": "([^"]+)"',
    "clock/playhead.js": r'\{ name: "([^"]+)", axis',
    "views/meters.js": r'^ +(?:\{ )?name: "([^"]+)"',
    "views/names.js": r'\w+: "(drafted [^"]+)"',
    "stage/captions_on_paper.js": r'^  \w+: "([^"]+)"',
    "views/map_cells.js": r'(?:text: |says: |AID = )"([^"]+)"',
    "views/comparison.js": r'label: "([^"]+)"',
    "views/curves.js": r'title: "([^"]+)" \}|CALIBRATION = "([^"]+)"',
    "steer/card.js": r'^    \["([^"]+)", |(?:edited|none): "([^"]+)"',
    "steer/steerbar.js": r'\b(?:text|title): "([^"]+)"',
}
OF_FEATURES = {
    name: import_module(f"tests.features.{name}.phrases")
    for name in NAMES
    if find_spec(f"tests.features.{name}.phrases") is not None
}  # of each feature its tables, and what Python hands to its scripts
LISTS = re.compile(r"^const (?:NAMES|WAYS|SIDES|THEMES) = (\[.+?\]);", re.MULTILINE)


def tables() -> set[str]:
    files = ("views/names.js", "looks/theme.js")
    lists = [one for file in files for one in LISTS.findall((ASSETS / file).read_text(encoding="utf-8"))]
    found = {
        "another branch of the same run",
        "the same model, another decoder",
        *(phrase for one in lists for phrase in json.loads(one)),
    }
    return found | looked_up(ASSETS, TABLES)


def looked_up(folder: Path, tables: Mapping[str, str]) -> set[str]:
    found = set()
    for file, pattern in tables.items():
        rows = re.findall(pattern, (folder / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert rows, file
        found |= {one for row in rows for one in ([row] if isinstance(row, str) else row) if one}
    return found


def spoken(folder: Path) -> set[str]:
    return {phrase for file in folder.glob("*.js") for phrase in SPOKEN.findall(file.read_text(encoding="utf-8"))}


def of_feature(name: str) -> set[str]:
    """What a feature says."""
    found, tables = spoken(FEATURES / name), OF_FEATURES.get(name)
    return found | (looked_up(FEATURES / name, tables.TABLES) | set(tables.FROM_PYTHON) if tables else set())


def forms() -> set[str]:
    """What Python writes on the page: labels and explanations of the controls, and the decoders."""
    found = {"Watch a language model write everywhere at once, and take part."}
    for part in page().config["components"]:
        props = part["props"]
        knob = props.get("info") if re.fullmatch(r"[a-z_]+", props.get("info") or "") else None  # the name of a setting
        texts = [props.get("label"), props.get("info"), props.get("placeholder")]
        found |= {text for text in texts if text and text != knob}
        found |= {props["value"]} if part["type"] == "button" else set()
    found -= {one.opening for one in examples()}  # prompts are in the models' language
    for group in decoders():
        found |= {group["name"], group["says"], *(item[key] for item in group["items"] for key in ("plain", "says"))}
    return found


def counted(text: str) -> str:
    """The phrase of a sentence with numbers in it: {1} for the first number."""
    numbers = iter(range(1, 100))
    return re.sub(r"\d+", lambda _: f"{{{next(numbers)}}}", text)


def plans() -> set[str]:
    """The parts of the line that says what a decoder plans, for every decoder and a few lengths."""
    found = set()
    own = {"length": 112} | {name: getattr(Settings(), name) for name in ("passes", "block", "schedule", "bend")}
    own |= {"shares": [0.5] * 24, "warmth": False}
    for name in presets():
        for changes in ({}, {"passes": 1}, {"passes": 48}, {"length": 1}, {"schedule": "drawn", "passes": 8}):
            for warmth in ({}, {"warmth": True, "heats": [0.0, 1.0]}):
                line = shape(own | {"preset": name} | changes | warmth)
                found |= {counted(part.strip()) for part in re.split(r"\*+|`[^`]*`", line)}
    return found - {""}


def english() -> set[str]:
    """What the page says without its features."""
    found = {phrase for folder in CORE for phrase in spoken(folder)}
    titles = set(TITLE.findall((ASSETS / "wire" / "schedule_game.js").read_text(encoding="utf-8")))
    cards = {text for row in gallery.WORDS.values() for text in row}
    data = {*titles, KNOWS, *NOTES.values(), "diffusion", "autoregressive", "here"}
    data |= {
        text
        for one in presets().values()
        for text in (one.title, one.says)
        if text == one.says or WORDED.fullmatch(text)
    }
    data |= {*(get_check(name).says for name in check_names()), *(label for label, _ in WHEN)}
    data |= {counted(row["proof"]) for row in gallery.rows()}
    data |= {counted(item["warning"]) for group in decoders() for item in group["items"] if item["warning"]}
    return found | data | cards | tables() | forms() | plans() | {word for word, _ in dial()}


OTHERS = [one for one in languages() if one != "en"]


@pytest.mark.parametrize("language", OTHERS)
def test_another_language_has_each_phrase_with_the_same_braces(language: str) -> None:
    there = phrases(language)
    assert there.keys() == english().union(*map(of_feature, NAMES))
    for phrase, translated in there.items():
        assert translated and sorted(BRACES.findall(phrase)) == sorted(BRACES.findall(translated)), phrase


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", NAMES)
def test_what_only_a_feature_says_is_translated_in_its_folder(name: str, language: str) -> None:
    """So that nothing of it is left when the folder is deleted."""
    file = FEATURES / name / f"{language}.json"
    there = set(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else set()
    others = english().union(*(of_feature(one) for one in NAMES if one != name))
    assert there == of_feature(name) - others


COMMENT = re.compile(r"/\*.*?\*/|(?<=\s)//[^\n]*", re.DOTALL)
TEXT = re.compile(
    r"""(?P<before>[^\n"`]{0,24})(?:"(?P<plain>(?:[^"\\\n]|\\.)*)"|`(?P<built>(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^{}`]*\})*)`)"""
)
WORDS = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}")  # as a sentence has them
ALONE = re.compile(r"\}, $|title: $|label\"?: $|label\($|note\($|say\([\w.]+, $")  # where a single word is a label
OTHER = re.compile(
    r"(?:className[:=]? |class=|look \+= |from |Attribute\(|querySelector\(|rel=)$|data-|font|COLOURS = $|kind === $"
)  # class names, files, elements
MARKUP = re.compile(r"[<>{=#*\[\]]|, serif$|sans-serif|px .*px$|^unmask-|\bhtml$")  # or code between two templates
CLASSES = {
    "paper card ink ink-2 line line-strong soft accent mark mark-soft doubt side-0 side-1",
    "page unmask",
    "cell hide",
    "gone was",
    "line side-${side} ${which}",
    " given own",
    " beyond rest",
}


# data for developers: no visitor reads the reasons of the statechart
UNSEEN = ("statechart.js", "machine.js")


def test_no_sentence_of_the_page_is_outside_the_catalogue() -> None:
    """A text of several words that is not looked up: as an element's child, a label, a note or an error."""
    known, missing = english().union(*map(of_feature, NAMES)), []
    for folder in FOLDERS:
        for file in sorted(folder.glob("*.js")):
            if file.name in UNSEEN:
                continue
            source = COMMENT.sub("", file.read_text(encoding="utf-8"))
            for found in TEXT.finditer(source):
                text = found["plain"] if found["plain"] is not None else found["built"]
                spoken = text if found["plain"] is not None else re.sub(r"\$\{[^{}`]*\}", "", text)
                label = ALONE.search(found["before"]) and re.search(r"^[A-Z][a-z]+", spoken)
                if not (WORDS.search(spoken) or label) or text in known:
                    continue
                if text in CLASSES or MARKUP.search(spoken) or OTHER.search(found["before"]):
                    continue
                missing.append(f"{folder.name}/{file.name}: {text}")
    assert missing == []
