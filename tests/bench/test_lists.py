"""The lists of prompts and acts: how many there are, how they are run and graded, and how recordings are compared."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from bench import acts, lists, sheet
from bench.recording import entries, keep, read, worked, write


def test_there_are_twenty_prompts_and_thirty_acts_of_each_kind_and_none_twice() -> None:
    found = entries()
    counts = Counter((row["list"], row["mode"], row["kind"]) for row in found)
    assert {count for (which, *_), count in counts.items() if which == "prompts"} == {20} and len(counts) == 18
    assert {kind: counts["acts", "canvas", kind] for kind in acts.ACTS} == dict.fromkeys(acts.ACTS, 30)
    assert len({row["prompt"] for row in found if row["list"] == "prompts"}) == 120


@pytest.mark.slow
def test_one_entry_of_each_kind_is_run_and_its_figures_are_counted() -> None:
    rows = list(worked(map(json.dumps, entries(tiny=True))))
    assert all(row["passes"] >= 1 and row["seconds"] > 0 and row["cells"] > 0 for row in rows)
    assert all(row["there"] or not row["good"] for row in rows if "there" in row)
    figures = {row.what: row.figure for row in lists.figures(rows)}
    assert "3 prompts of strangers, fast mode: tokens a forward" in figures
    answered = sum(not row["unfamiliar"] for row in rows if row["list"] == "prompts" and row["mode"] == "canvas")
    assert f"the {answered} that the page does not decline: tokens a forward" in figures
    assert sum(name.startswith("steering") for name in figures) == len(acts.ACTS)


def test_a_word_is_found_whole_alone() -> None:
    assert acts.whole_word("rain", "It began to rain.") and not acts.whole_word("rain", "six train left")


def row(number: int, text: str, seconds: float = 1.0) -> dict[str, object]:
    place = {"list": "prompts", "mode": "canvas", "kind": "code", "number": number, "prompt": f"prompt {number}"}
    return place | {"text": text, "seconds": seconds}


def test_a_sheet_hides_whose_a_text_is_and_its_grades_come_back_to_both(tmp_path: Path) -> None:
    texts = {"old": [row(0, " one"), row(1, " same")], "new": [row(0, " two"), row(1, " same")]}
    for name, rows in texts.items():
        write(tmp_path / f"{name}.jsonl", rows)
    recordings = {str(tmp_path / f"{name}.jsonl"): rows for name, rows in texts.items()}
    path = sheet.sheet(recordings, tmp_path, "canvas")
    text = path.read_text()
    assert text.count("\ngrade:") == 3 and "old" not in text and "new" not in text
    with pytest.raises(SystemExit, match="has no grade"):
        sheet.grades(path)
    given = {" one": "broken", " two": "good", " same": "off"}
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line.startswith("grade:"):
            lines[at] += given[lines[at - 1].partition("▌")[2]]
    path.write_text("\n".join(lines))
    lists.graded(path)
    found = {name: [one["grade"] for one in read(tmp_path / f"{name}.jsonl")] for name in texts}
    assert found == {"old": ["broken", "off"], "new": ["good", "off"]}
    assert "| code | 0 | 1 | 1 | 0 |" in sheet.counted(read(tmp_path / "old.jsonl"))


def test_two_recordings_are_compared_where_both_have_an_entry(tmp_path: Path) -> None:
    file = tmp_path / "old.json"
    keep(file, [row(0, " one", 4.0), row(1, " same", 4.0), row(2, " more", 9.0)], "a processor")
    ratio, same = lists.compared(read(file), [row(0, " two", 1.0), row(1, " same", 1.0)])
    assert ratio.figure == "0.25 x" and ratio.met and same.figure == "1 of 2"
