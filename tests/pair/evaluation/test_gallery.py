"""The gallery: thirteen recordings that open, each with a preview; and a search that says where it found nothing."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from unmask.models import load
from unmask.pair.evaluation.gallery import (
    FOUR,
    MORE,
    PLACE,
    SUDOKU,
    Exhibit,
    found,
    in_world,
    make,
    passes,
    preview,
    run,
    seeds,
)
from unmask.run import trace
from unmask.ui.gallery import WORDS, rows

ROWS = json.loads((PLACE / "gallery.json").read_text())


def test_thirteen_runs_are_there_and_small_enough_to_be_kept() -> None:
    assert len(ROWS) == len({row["name"] for row in ROWS}) == 13 and {row["name"] for row in ROWS} == set(WORDS)
    assert sum(file.stat().st_size for file in PLACE.glob("*.*")) < 3_000_000
    assert [row["name"] for row in rows()] == [row["name"] for row in ROWS if row["proof"]]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_each_opens_whole_and_has_a_preview(row: dict[str, object]) -> None:
    read = trace.load(PLACE / f"{row['name']}.trace.jsonl")
    assert read.seal is trace.Seal.WHOLE and passes(read.first) == row["passes"]
    assert not read.first.head.canvas.open.any()
    picture = ElementTree.parse(PLACE / f"{row['name']}.svg").getroot()
    assert len(picture) == len(read.first.head.canvas)
    assert preview(read.first) == (PLACE / f"{row['name']}.svg").read_text(encoding="utf-8")


def test_the_counted_worlds_show_what_is_said_of_them() -> None:
    for order, right in ((SUDOKU, True), (FOUR, False)):
        timeline, proof, _ = found(Exhibit("x", seeds(order), in_world(right)))
        assert proof and not timeline.head.canvas.open.any()
    oracle = load("permutations:4")
    assert "1 look," in in_world(False)(oracle, found(MORE[-1])[0])


def test_a_search_that_finds_nothing_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = Exhibit("sudoku", seeds(SUDOKU), lambda *_: "")
    monkeypatch.setattr("unmask.pair.evaluation.gallery.examples", lambda: iter(()))
    monkeypatch.setattr("unmask.pair.evaluation.gallery.MORE", (never,))
    monkeypatch.setattr("unmask.pair.evaluation.gallery.LOOKED", 2)
    lines: list[str] = []
    assert [row["proof"] for row in make(tmp_path, lines.append)] == [""] and "NOT SHOWN" in lines[0]


def test_a_preview_has_a_square_for_each_cell() -> None:
    timeline = run(load("permutations:4"), FOUR)
    assert preview(timeline).count("<rect") == 4
