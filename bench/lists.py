"""120 prompts as visitors type them and 180 acts of steering, run by the default decoder of the bundled pair.

`python -m bench lists` measures this checkout. `python -m bench.lists NAME` writes every text to
build/lists/NAME.jsonl; with `--against FOLDER` it alternates with another checkout, so both run under the same load.
`--compare A B`, `--sheet A [B]` and `--grades SHEET` read such recordings. It takes ten minutes of processor time."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import acts, sheet
from bench.recording import HERE, MODES, Record, entries, keep, read, recorded, worked, write
from bench.row import Row, at_least, at_most

KEPT = HERE.parent / "build" / "lists"
LONGEST = 3600.0  # seconds
MOST_PASSES = 1.2  # times the cells of a run
WANTED = {
    "early pin": 23,
    "pinned ending": 18,
    "gap of unknown length": 20,
    "must contain a word": 24,
    "erase and refill": 24,
}


def tokens_per_forward(rows: Sequence[Record]) -> float:
    return sum(row["tokens"] for row in rows) / max(sum(row["forwards"] for row in rows), 1)


def figures(rows: Sequence[Record]) -> Iterator[Row]:
    """The table's rows of one recording."""
    for mode in MODES:
        some = [row for row in rows if row["list"] == "prompts" and row["mode"] == mode]
        if not some:
            continue
        rate = tokens_per_forward(some)
        long = sum(row["passes"] > MOST_PASSES * row["cells"] for row in some)
        name = f"{len(some)} prompts of strangers, {mode} mode"
        yield at_least(f"{name}: tokens a forward", rate, 2.5 if mode == "canvas" else None, "")
        yield at_most("the same: processor seconds", sum(row["seconds"] for row in some), None, " s", 1)
        most = 0 if mode == "canvas" else None  # in fast mode a draft is a pass without a forward
        yield at_most(f"the same: runs of more passes than {MOST_PASSES} x their cells", long, most, "", 0)
        ended = sum(row["ended"] for row in some)
        yield Row("the same: texts that end", f"{ended} of {len(some)}")
        if graded := [row["grade"] for row in some if "grade" in row]:
            counts = ", ".join(f"{graded.count(grade)} {grade}" for grade in sheet.GRADES)
            yield Row("the same: as a reader graded them", counts)
        answered = [row for row in some if not row["unfamiliar"]]
        rate = tokens_per_forward(answered)
        yield Row(f"the {len(answered)} that the page does not decline: tokens a forward", f"{rate:.2f}")
    for kind in acts.ACTS:
        some = [row for row in rows if row["list"] == "acts" and row["kind"] == kind]
        if not some:
            continue
        good, there = sum(row["good"] for row in some), [row["there"] for row in some if "there" in row]
        note = f" of {len(some)}" + (f" (done: {sum(there)})" if there else "")
        wanted = WANTED.get(kind) if len(some) == 30 else None
        yield at_least(f"steering, {kind}: done and strictly right", good, wanted, "", 0, note)


def place(row: Record) -> tuple[str, str, int, str]:
    """The entry that a row belongs to."""
    return row["list"], row["kind"], row["number"], row["mode"]


def compared(first: Sequence[Record], second: Sequence[Record]) -> Iterator[Row]:
    """The time of the second recording over that of the first, for entries in both."""
    before = {place(row): row for row in first}
    pairs = [(before[place(row)], row) for row in second if place(row) in before]
    for mode, wanted in (("canvas", 0.25), ("fast", 0.65)):
        some = [(a, b) for a, b in pairs if a["mode"] == mode and a["list"] == "prompts"]
        if some:
            times = sum(b["seconds"] for _, b in some) / sum(a["seconds"] for a, _ in some)
            yield at_most(f"{len(some)} prompts, {mode} mode: seconds of the second over the first", times, wanted)
            same = sum(a["text"] == b["text"] for a, b in some)
            yield Row("the same: equal texts", f"{same} of {len(some)}")


def graded(path: Path) -> dict[str, list[Record]]:
    """Write a sheet's grades into its recordings; returns the graded rows by recording."""
    mode, given = sheet.grades(path)
    found = {}
    for name, grades in given.items():
        rows = read(Path(name))
        found[name] = [row for row in rows if row["list"] == "prompts" and row["mode"] == mode]
        for row in found[name]:
            row["grade"] = grades[row["number"]]
        write(Path(name), rows)
    return found


def rows(tiny: bool = False) -> Iterator[Row]:
    """Measured in this process. A reader's grades of the texts are in bench/lists/today.json."""
    yield from figures(list(worked(map(json.dumps, entries(tiny)))))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.lists", description=__doc__)
    parser.add_argument("name", nargs="?", help="record this checkout under a name")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout, run in turn with this one")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="FILE")
    parser.add_argument("--sheet", nargs="+", type=Path, metavar="FILE", help="write texts for a reader to grade")
    parser.add_argument("--mode", choices=MODES, default="canvas", help="whose texts the sheet has")
    parser.add_argument("--grades", type=Path, metavar="SHEET", help="join a graded sheet to its recordings")
    parser.add_argument(
        "--keep", nargs=2, type=Path, metavar="FILE", help="a recording as one JSON file to be committed"
    )
    arguments = parser.parse_args(arguments)
    from bench.table import HEAD, hardware  # imported late: the table imports this module

    if arguments.compare:
        print(*compared(*map(read, arguments.compare)), sep="\n")
    elif arguments.sheet:
        print(sheet.sheet({str(path): read(path) for path in arguments.sheet}, KEPT, arguments.mode))
    elif arguments.grades:
        for name, some in graded(arguments.grades).items():
            print(name, sheet.counted(some), sep="\n")
    elif arguments.keep:
        keep(arguments.keep[1], read(arguments.keep[0]), hardware())
    elif arguments.name:
        checkouts = {arguments.name: HERE.parent}
        if arguments.against:
            checkouts[f"{arguments.name}-against"] = arguments.against.resolve()
        found = recorded(checkouts, KEPT)
        print(hardware(), HEAD, sep="\n")
        for name, some in found.items():
            print(f"| **{name}** | | | |", *figures(some), sep="\n")
        if len(found) == 2:
            print(*compared(*reversed(found.values())), sep="\n")
    else:
        parser.error("name a recording, or say what to do with one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
