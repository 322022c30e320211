"""The gallery: thirteen recordings that open, each with words of its text; and a search that may find nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from pair.evaluation.gallery import (
    BEGUN,
    FOUR,
    GIVEN,
    MORE,
    PLACE,
    SUDOKU,
    TAIL,
    Exhibit,
    excerpt,
    found,
    in_world,
    make,
    passes,
    seeds,
)
from unmask.models import load
from unmask.run import trace
from unmask.ui.gallery import WORDS, rows

ROWS = json.loads((PLACE / "gallery.json").read_text())


def test_thirteen_runs_are_there_and_small_enough_to_be_kept() -> None:
    assert len(ROWS) == len({row["name"] for row in ROWS}) == 13 and {row["name"] for row in ROWS} == set(WORDS)
    assert sum(file.stat().st_size for file in PLACE.glob("*.*")) < 3_000_000
    assert [row["name"] for row in rows()] == [row["name"] for row in ROWS if row["proof"]]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_each_opens_whole_and_has_words(row: dict[str, Any]) -> None:
    read = trace.load(PLACE / f"{row['name']}.trace.jsonl")
    assert read.seal is trace.Seal.WHOLE and passes(read.first) == row["passes"]
    assert not read.first.head.canvas.open.any()
    assert [tuple(span) for span in row["text"]] == excerpt(read.first)
    assert 6 < len("".join(text for text, _ in row["text"])) <= GIVEN + BEGUN + TAIL + 4


def test_a_card_shows_words_and_when_each_was_written() -> None:
    """The cards showed coloured squares."""
    text = {row["name"]: [tuple(span) for span in row["text"]] for row in ROWS}
    assert text["list"][0] == ("Sort: 56 90 86 58 17 22\n", -1) and "17 22 56" in "".join(t for t, _ in text["list"])
    assert text["ending"][-1] == (" some bread and went home on tiptoe.", -1)
    assert [when for _, when in text["blocks"]] == [-1, 0, 1, -1, 3, 4]  # eight cells at a time


def test_the_counted_worlds_show_what_is_said_of_them() -> None:
    for order, right in ((SUDOKU, True), (FOUR, False)):
        timeline, proof, _ = found(Exhibit("x", seeds(order), in_world(right)))
        assert proof and not timeline.head.canvas.open.any()
    oracle = load("permutations:4")
    assert "1 look," in in_world(False)(oracle, found(MORE[-1])[0])


def test_a_search_that_finds_nothing_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = Exhibit("sudoku", seeds(SUDOKU), lambda *_: "")
    monkeypatch.setattr("pair.evaluation.gallery.examples", lambda: iter(()))
    monkeypatch.setattr("pair.evaluation.gallery.MORE", (never,))
    monkeypatch.setattr("pair.evaluation.gallery.LOOKED", 2)
    lines: list[str] = []
    assert [row["proof"] for row in make(tmp_path, lines.append)] == [""] and "NOT SHOWN" in lines[0]
