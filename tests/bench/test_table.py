"""The table of figures in tiny form: quick questions answer, misses are marked, and a failure hides nothing."""

from __future__ import annotations

import importlib
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import table
from bench.row import Row, at_least, at_most
from tests.long import mostly_long
from tests.until import LONG

QUICK = [("step", 3), ("forward", 3), ("rival", 2)]


@pytest.mark.parametrize(("question", "fewest"), mostly_long(QUICK, QUICK[1:]))
def test_a_quick_question_gives_figures(question: str, fewest: int) -> None:
    rows = list(table.answered(question, tiny=True))
    assert len(rows) >= fewest and not any("failed" in row.figure for row in rows)
    assert all(any(c.isdigit() for c in row.figure) for row in rows)


def test_the_published_loops_tokens_are_ours() -> None:
    first, *ratios = table.answered("loop", tiny=True)
    assert first.met and all(row.figure.endswith(" x") for row in ratios)


def test_caches_change_no_token_and_the_twin_is_raced() -> None:
    rows = list(table.answered("twin", tiny=True))
    changed = [row for row in rows if "tokens changed" in row.what]
    assert len(changed) == 2 and all(row.met for row in changed)
    assert any("transformers.generate" in row.what for row in rows)


def test_what_a_device_waits_is_measured_with_many_readers() -> None:
    (row,) = table.answered("prefetch", tiny=True)
    assert " x (" in row.figure and row.wanted == "<= 1.5 x"


@pytest.mark.slow
@pytest.mark.long
def test_a_run_beside_a_download_loses_one_turn_at_the_most() -> None:
    (row,) = table.answered("download", tiny=True)
    assert row.met and "passes meanwhile" in row.figure


def test_a_miss_is_marked_and_a_mere_figure_is_not() -> None:
    assert "**missed**" in str(at_least("speed", 1.2, 1.3)) and "**missed**" in str(at_most("wait", 3, 2, " s"))
    assert "missed" not in str(at_least("speed", 1.3, 1.3)) and at_most("wait", 3, None).met is None


def test_a_question_that_fails_leaves_the_others_their_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(tiny: bool) -> Iterator[Row]:
        yield Row("a figure", "1")
        raise RuntimeError("no browser here\nand a long list of reasons")

    monkeypatch.setattr(table.importlib, "import_module", lambda name: types.SimpleNamespace(rows=rows))
    good, bad = table.answered("screen", tiny=True)
    assert good.figure == "1" and bad.figure == "failed: no browser here" and bad.met is False


def test_a_question_that_never_ends_leaves_the_others_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(tiny: bool) -> Iterator[Row]:
        yield Row("a figure", "1")
        threading.Event().wait(LONG)

    monkeypatch.setattr(table.importlib, "import_module", lambda name: types.SimpleNamespace(rows=rows))
    monkeypatch.setattr(table, "LONGEST", 0.2)
    good, bad = table.answered("screen", tiny=True)
    assert good.figure == "1" and bad.figure == "failed: it took more than 0.2 s" and bad.met is False


def test_a_new_table_takes_the_place_of_the_last() -> None:
    text = f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n"
    new = table.replaced(text, "today", [Row("what", "1.0 x")])
    assert "old" not in new and "| what | 1.0 x |" in new
    assert new.startswith("before\n") and new.endswith("after\n")
    assert table.replaced(new, "today", [Row("what", "1.0 x")]) == new


def test_every_question_is_a_file_and_the_results_have_a_place_for_the_table() -> None:
    folder = table.RESULTS.parent
    assert all((folder / f"{name}.py").exists() for name in table.ALL)
    assert table.BEGIN in table.RESULTS.read_text() and table.END in table.RESULTS.read_text()


@pytest.mark.parametrize("file", sorted(Path(table.__file__).parent.glob("[a-z]*.py")), ids=lambda file: file.stem)
def test_each_benchmark_can_be_imported(file: Path) -> None:
    importlib.import_module(f"bench.{file.stem}")
