"""Which words of two texts are the same ones, wherever they stand: a longer word shifts all that follow it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from unmask.decide.pause import may_pause


def align(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """For each token of the second text its place in the first, or -1 where it is another word.

    What both begin and end with is the same; of the rest the longest passage that both have (the earliest of several),
    and so on to its left and right. `assets/views/alignment.js` has the same rule; one file of cases tests both."""
    places = [-1] * len(second)
    shorter = min(len(first), len(second))
    start = next((k for k in range(shorter) if first[k] != second[k]), shorter)
    places[:start] = range(start)
    tail = next((k for k in range(shorter - start) if first[-1 - k] != second[-1 - k]), shorter - start)
    places[len(second) - tail :] = range(len(first) - tail, len(first))
    may_pause()
    one, two = (list(text[start : len(text) - tail]) for text in (first, second))
    for block in SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks():
        begin = start + block.b
        places[begin : begin + block.size] = range(start + block.a, start + block.a + block.size)
    return places
