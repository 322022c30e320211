"""The worlds: many, different, repeatable, and honest about what is held back."""

import re

import pytest

from dllm.judge.words import NAMES
from dllm.train.worlds import SHAPES, document
from dllm.train.worlds.plots import PLOTS
from dllm.train.worlds.puzzles import clash, grids


def test_there_are_plots_and_shapes_enough() -> None:
    assert len(PLOTS) >= 12
    assert len(SHAPES) >= 9


def test_ten_thousand_documents_differ() -> None:
    assert len({document(seed).text for seed in range(10_000)}) > 9_990


def test_a_seed_always_tells_the_same() -> None:
    assert [document(seed) for seed in range(50)] == [document(seed) for seed in range(50)]


def test_what_is_held_back_is_never_trained_on() -> None:
    trained = {document(seed, "train", "sum").key for seed in range(3000)}
    held = {document(seed, "held", "sum").key for seed in range(500)}
    assert not trained & held
    assert not document(1, "train").held and document(1, "held").held


def test_an_unknown_split_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no split 'tests'"):
        document(1, "tests")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_prompt_begins_its_text(shape: str) -> None:
    for seed in range(100):
        made = document(seed, shape=shape)
        assert made.text.startswith(made.prompt)
        assert len(made.prompt) < len(made.text)
        assert made.text == made.text.strip()
        assert "{" not in made.text or shape == "record"


def test_every_wording_can_be_told() -> None:
    """A template with an unknown slot would fail only when drawn, so draw until none is left."""
    for seed in range(4000):
        for shape in ("story", "letter", "dialogue", "steps"):
            document(seed, shape=shape)


def test_a_story_names_two_people_at_least() -> None:
    for seed in range(200):
        assert len({word for word in re.findall(r"\w+", document(seed, shape="story").text) if word in NAMES}) >= 1


def test_there_are_288_small_sudokus_and_none_clashes() -> None:
    assert len(grids()) == 288
    assert not any(clash(grid) for grid in grids())
