"""Two texts are compared where their words stand now. The page has the same rule: one file of cases for both."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from unmask.run.alignment import align

CASES = json.loads((Path(__file__).parents[1] / "contract" / "alignment_cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_words_that_stayed_are_found(case: dict[str, Any]) -> None:
    places = align(case["first"], case["second"])
    assert places == case["places"]
    same = [(place, j) for j, place in enumerate(places) if place >= 0]
    assert same == sorted(same) and all(case["first"][i] == case["second"][j] for i, j in same)


def test_a_longer_word_changes_only_itself() -> None:
    """*jar* → *bicycle*, of three tokens: all 59 words after it counted as changed, though they only moved."""
    first = [*range(100, 160)]
    second = [*first[:5], 1, 2, 3, *first[6:]]
    assert [j for j, place in enumerate(align(first, second)) if place < 0] == [5, 6, 7]


def test_in_a_long_text_every_twentieth_word_is_another() -> None:
    first = random.Random(1).choices(range(200), k=4096)
    second = [1000 if k % 20 == 19 else token for k, token in enumerate(first)]
    assert [j for j, place in enumerate(align(first, second)) if place < 0] == [*range(19, 4096, 20)]
