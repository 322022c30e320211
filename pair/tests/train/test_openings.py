"""First sentences of a person's own: no world has them, and the story behind them is told whole and about the same."""

import re
from random import Random

import pytest

from pair.train.openings import UNLIKE, WORLDLY, composed_opening, other_opening, unlike, with_opening
from unmask.pair.worlds import document, strict
from unmask.pair.worlds.kinds import bare
from unmask.pair.worlds.story import GRAMMAR

TALES = [
    "Tale: Once there was a little girl named Sue. She ran.",
    "Tale: One day, a girl named Sue found a kite. She ran.",
    'Tale: "Come here!" said Tim. He ran.',
    "Tale: It was a strange machine. It ran.",
]


def test_a_story_is_told_whole_behind_its_opening_and_nearly_always_true() -> None:
    rng, good, seen = Random(0), [], set()
    for seed in range(200):
        story = document(seed, "train", "story")
        text, prompt = with_opening(story.text, story.prompt, rng)
        if story.prompt.startswith("Words"):
            assert (text, prompt) == (story.text, story.prompt)
            continue
        assert text == f"{prompt} {story.text.removeprefix('Story: ')}" and prompt.startswith("Story: ")
        good.append(strict(prompt, text).strict)
        seen.add(prompt)
    assert sum(good) > 0.9 * len(good) and len(seen) > 0.8 * len(good)


def test_an_opening_is_no_sentence_of_a_world_and_names_what_its_story_tells_of() -> None:
    rng, known = Random(1), 0
    for seed in range(150):
        story = document(seed, "train", "story").text.partition("Story: ")[2]
        first = composed_opening(story, rng)
        known += bare(first)[0] in GRAMMAR.index
        named = {*re.findall(r"[A-Za-z]+", first)} & WORLDLY
        assert {word.lower() for word in named} <= {*re.findall(r"[a-z]+", story.lower())}
    assert known < 4


def test_somebody_elses_sentence_gets_this_storys_persons() -> None:
    story, rng = "Mia had a red kite.", Random(2)
    found = {other_opening(story, rng, TALES) for _ in range(60)}
    assert found == {"", "Once there was a little girl named Mia.", "It was a strange machine."}
    assert {other_opening("Tom had a red kite.", rng, TALES) for _ in range(60)} == {"", "It was a strange machine."}


@pytest.mark.parametrize("shape", [*UNLIKE])
def test_what_begins_otherwise_goes_on_as_the_worlds_do(shape: str) -> None:
    rng, beginnings = Random(5), set()
    for seed in range(80):
        made = document(seed, "train", shape)
        if made.prompt.startswith("Words"):
            continue
        text, prompt = unlike(shape, made.text, rng)
        assert text.startswith(prompt) and prompt.startswith(f"{shape.capitalize()}: ")
        beginnings.add(prompt)
        # all lines but the changed first ones are the world's, with another reader or dish in them
        assert text.count("\n") in (made.text.count("\n"), made.text.count("\n") - 1, made.text.count("\n") - 2)
        assert not re.search(r"[{}]", text)
    assert len(beginnings) > 30


def test_a_letter_is_to_whom_it_says() -> None:
    letter = "Letter: Tom writes to Grandma\nDear Grandma,\nI saw a hen. Grandma, it was red.\nLove,\nTom"
    for seed in range(40):
        text, prompt = unlike("letter", letter, Random(seed))
        assert (reader := re.match(r"Letter: Dear ([\w ]+),", prompt)) and f"{reader[1]}, it was red." in text
        assert text.endswith("\nLove,\nTom") and "writes to" not in text
