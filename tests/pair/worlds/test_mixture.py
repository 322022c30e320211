"""The worlds: many, different, repeatable, and honest about what is held back."""

import re
from collections import Counter

import pytest

from unmask.pair.worlds import (
    DRILLS,
    MIX,
    OPENINGS,
    SHAPES,
    dialogue,
    document,
    grid,
    letter,
    recipe,
    record,
    steps,
    story,
)
from unmask.pair.worlds.kinds import TAG_OF
from unmask.pair.worlds.words import NEW_CHILDREN

GRAMMARS = [one.GRAMMAR for one in (story, dialogue, letter, recipe, steps, record)]


@pytest.fixture(scope="module")
def trained() -> list:
    return [document(seed) for seed in range(5_000)]


@pytest.fixture(scope="module")
def examined() -> list:
    return [document(seed, "held") for seed in range(1_000_000, 1_001_000)]


def test_there_are_plots_and_shapes_enough() -> None:
    assert len(story.GRAMMAR.families) >= 40 and len(story.GRAMMAR.plots) >= 100
    assert len(SHAPES) >= 18 and sum(MIX.values()) == 1000


def test_ten_thousand_sentences_can_be_said() -> None:
    assert sum(len(grammar.forms()) for grammar in GRAMMARS) >= 10_000


def test_a_hundred_stories_tell_thirty_plots_at_least() -> None:
    assert len({document(seed, shape="story").plot for seed in range(100)}) >= 30


def test_thousands_of_documents_differ(trained: list) -> None:
    assert len({made.text for made in trained}) > 4_980


def test_a_seed_always_tells_the_same() -> None:
    assert [document(seed) for seed in range(50)] == [document(seed) for seed in range(50)]


def test_no_training_document_asks_what_is_examined(trained: list, examined: list) -> None:
    prompts = {made.prompt for made in trained}
    # drills ask for nothing, so their question cannot be held back
    assert not [made.prompt for made in examined if made.shape not in DRILLS and made.prompt in prompts]
    assert not {made.text for made in trained} & {made.text for made in examined}


def test_no_training_document_names_who_is_examined(trained: list, examined: list) -> None:
    names = re.compile(rf"\b({'|'.join(NEW_CHILDREN)})\b")
    assert not [made.text for made in trained if names.search(made.text)]
    assert sum(bool(names.search(made.text)) for made in examined) > 15


def test_no_training_document_tells_a_plot_that_is_examined(trained: list, examined: list) -> None:
    held_out = {plot.name for plot in story.GRAMMAR.plots.values() if plot.held_out}
    assert len(held_out) >= 5
    assert not [made.plot for made in trained if made.plot in held_out]
    assert {made.plot for made in examined if made.shape == "story"} & held_out


def test_no_training_document_says_a_sentence_that_is_examined() -> None:
    """A wording is held back by its form; where another form fills to the same words, that one must be held too."""
    for grammar in GRAMMARS:
        for plot in grammar.plots.values():
            for beat in plot.beats:
                assert beat.trained, beat.name
                assert not {form.text for form in beat.held_out} & {
                    form.text for forms in beat.trained for form in forms
                }
    assert sum(form.held_out for grammar in GRAMMARS for form in grammar.forms()) > 300


def test_an_unknown_split_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no split 'tests'"):
        document(1, "tests")


def test_a_prompt_begins_its_text(trained: list) -> None:
    assert set(SHAPES) == {made.shape for made in trained}
    for made in trained:
        assert made.text.startswith(made.prompt)
        assert len(made.prompt) < len(made.text)
        assert made.text == made.text.strip()
        assert "{" not in made.text or made.shape in ("record", "brackets", "chat")


def test_every_wording_can_be_told_and_is_one_sentence() -> None:
    """A template with an unknown slot would fail only when drawn, so fill them all."""
    world = story.scene(story.Random(1))
    for form in story.GRAMMAR.forms():
        sentence = form.fill(world)
        assert story.sentences(sentence) == [sentence]
        assert sentence[0] == '"' or sentence[0].isupper()


def test_what_is_said_in_passing_is_of_no_kind_that_stories_track() -> None:
    """A fixed "village" beside a drawn "pond" would be two places in one story."""
    tracked = {word for word, tag in TAG_OF.items() if tag in {TAG_OF[it] for it in ("pond", "owl", "Lily", "kite")}}
    for form in story.GRAMMAR.forms():
        fixed = set(re.findall(r"[A-Za-z]+", re.sub(r"\{\w+\}", "", form.text)))
        assert not fixed & tracked, form.text


def test_most_texts_are_short(trained: list) -> None:
    lengths = sorted(len(re.findall(r"\w+|[^\w\s]|\n", made.text)) for made in trained)
    assert lengths[len(lengths) * 9 // 10] <= 112


def test_the_mix_is_what_the_table_says(trained: list) -> None:
    found = Counter(made.shape for made in trained)
    for shape, share in MIX.items():
        assert found[shape] / len(trained) == pytest.approx(share / 1000, abs=0.02)


def test_there_are_288_small_sudokus_and_none_clashes() -> None:
    assert len(grid.grids()) == 288
    assert not any(grid.clash(one) for one in grid.grids())


def test_every_document_begins_with_one_of_the_openings() -> None:
    for shape in SHAPES:
        for seed in range(20):
            assert document(seed, "held", shape).prompt.partition(":")[0].split(",")[0] in OPENINGS
