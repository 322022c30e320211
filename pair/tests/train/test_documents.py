"""What is trained on: people's own beginnings, friends' names and a teacher's texts; never in what is examined."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

from pair.train.documents import TAUGHT, TrainingText, asking, documents, keep, kept, spread
from pair.train.names import PERSON
from unmask.pair.worlds import Document, document, strict
from unmask.pair.worlds.asking import requested_facts, with_words
from unmask.pair.worlds.story import GRAMMAR, nearest

SUM = re.compile(r"Assistant: \d+ [+-] \d+ = \d+$")
OWN = [
    TrainingText("Story: Lily ran. She fell.", "Story: Lily ran."),
    TrainingText("Story: Tom slept. It rained.", "Story: Tom slept."),
]


def test_texts_for_examination_are_as_the_worlds_tell_them() -> None:
    made = [document(at, "held") for at in range(1, 200)]
    assert [TrainingText(one.text, one.prompt) for one in made] == list(islice(documents("held", 0, ()), 199))


def test_most_who_had_to_be_thought_of_have_a_few_names() -> None:
    model_input = Counter[str]()
    for text in islice(documents("train", 3, ()), 1500):
        if text.prompt.startswith("Story:"):
            model_input.update({*PERSON.findall(text.whole)} - {*PERSON.findall(text.prompt)})
    assert sum(count for _, count in model_input.most_common(24)) > 0.5 * model_input.total() and len(model_input) > 30


def test_some_texts_are_asked_for_by_their_title_alone() -> None:
    prompts = Counter(text.prompt for text in islice(documents("train", 5, ()), 3000))
    assert prompts["Story:"] > 45 and min(prompts[f"{title}:"] for title in ("Letter", "Recipe", "Dialogue")) > 4


def test_under_a_title_alone_no_plot_is_the_likeliest() -> None:
    """The likeliest would be told whenever nothing else is asked for."""
    titled = [text for text in islice(documents("train", 8, ()), 9000) if text.prompt == "Story:"]
    plots = Counter(nearest(text.whole) for text in titled)
    assert len(titled) > 450 and len(plots) > 85 and plots.most_common(1)[0][1] < 0.05 * len(titled)
    assert not {plot.name for plot in GRAMMAR.plots.values() if plot.held_out} & {*plots}


def test_sums_are_asked_for_in_talks_beside_a_teachers_texts() -> None:
    sums = [text for text in islice(documents("train", 9, (), taught=OWN), 3000) if SUM.search(text.whole)]
    assert len(sums) > 60 and sum(" - " in text.whole for text in sums) > 20
    assert all(strict(text.prompt, text.whole).strict for text in sums)


def test_enough_stories_have_to_use_words_that_a_line_asks_for() -> None:
    found = list(islice(documents("train", 6, ()), 1500))
    request = [text for text in found if text.prompt.startswith("Words: ")]
    assert 0.35 < len(request) / len(found) < 0.5  # those of the worlds' own among them
    assert all(fact.holds for text in request for fact in requested_facts(text.whole)[0])


def test_words_are_asked_for_oftener_that_few_stories_have() -> None:
    """A word that every story has is granted whatever is told: nothing is learned from it."""
    stories = [document(seed, "train", "story") for seed in range(400)]
    plain = [one for one in stories if not one.prompt.startswith("Words")]

    def spreads(ask: Callable[[Document, Random], Document]) -> float:
        rng = Random(1)
        lines = [ask(one, rng).prompt.partition("\n")[0] for one in plain]
        return float(np.median([spread()[word] for line in lines for word in line.removeprefix("Words: ").split(", ")]))

    assert spreads(asking) < 0.7 * spreads(with_words)


def test_some_lines_ask_for_more_words_than_those_of_the_examination() -> None:
    rng = Random(2)
    stories = [document(seed, "train", "story") for seed in range(300)]
    lines = [asking(one, rng).prompt.partition("\n")[0] for one in stories if not one.prompt.startswith("Words")]
    counts = Counter(1 + line.count(",") for line in lines)
    assert {*counts} == {2, 3, 4, 5} and 0.1 < (counts[4] + counts[5]) / len(lines) < 0.25


def test_a_teachers_texts_are_the_share_they_should_be() -> None:
    found = list(islice(documents("train", 4, (), taught=OWN), 2000))
    assert all(text.whole.startswith(text.prompt) for text in found)
    share = sum(text.whole.endswith(("fell.", "rained.")) for text in found) / len(found)
    assert share == pytest.approx(TAUGHT, abs=0.05)
    assert len({text.whole for text in found if text.whole.endswith("fell.")}) > 20  # some have invented names


def test_kinds_that_a_teacher_does_not_write_are_told_oftener_beside_its_texts() -> None:
    alone, beside = (
        Counter(text.prompt.partition(":")[0] for text in islice(documents("train", 7, (), taught=taught), 2000))
        for taught in ((), OWN)
    )
    for title in ("Brackets", "Latin", "Replace", "Shuffle", "Code"):
        assert beside[title] > 10
    assert beside["Brackets"] > alone["Brackets"]


def test_texts_that_were_kept_come_back_behind_those_kept_before(tmp_path: Path) -> None:
    keep(OWN[:1], tmp_path / "own.jsonl")
    keep(OWN[1:], tmp_path / "own.jsonl")
    assert kept(tmp_path / "own.jsonl") == OWN
